// The table against the published types of the Bot API: each of its releases is a decision for every new method.

import { expect, test } from 'vitest';
import { deliveryMethod, isListed, methodOf, spends } from './methods.ts';
import { published } from './published.fixture.ts';

test('has a row for every published method', () => {
  expect(published.size).toBeGreaterThan(170);
  expect([...published.keys()].filter((name) => !isListed(name))).toEqual([]);
  expect(isListed('sendHologram')).toBe(false);
});

test('passes whatever reads', () => {
  for (const name of published.keys()) {
    if (name.startsWith('get')) expect(methodOf(name, true), name).toBeNull();
  }
});

test('sends whatever makes a message for a chat', () => {
  const other = ['sendChatAction', 'sendMessageDraft', 'sendRichMessageDraft'];
  for (const [name, params] of published) {
    if (!/^(send|forward|copy)/.test(name) || !params.has('chat_id')) continue;
    if (!other.includes(name)) expect(deliveryMethod(name).family, name).toBe('send');
  }
});

test('coalesces edits of every kind of message', () => {
  for (const name of published.keys()) {
    if (!/^edit(Ephemeral)?Message/.test(name)) continue;
    expect(deliveryMethod(name), name).toMatchObject({ family: 'edit', slot: expect.any(String) });
  }
});

test.each([
  'sendGift',
  'GIFTPREMIUMSUBSCRIPTION',
  'transferGift',
  'upgradeGift',
  'refundStarPayment',
])('%s moves money', (name) => expect(spends(name)).toBe(true));

test.each(['sendMessage', 'sendInvoice', 'createInvoiceLink', 'sendPaidMedia', 'getMyStarBalance'])(
  '%s moves none',
  (name) => expect(spends(name)).toBe(false),
);

test('no method that moves money may be repeated', () => {
  for (const name of published.keys()) {
    if (spends(name)) expect(methodOf(name, true)?.idempotent ?? false, name).toBe(false);
  }
});
