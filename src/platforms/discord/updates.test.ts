import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { UPDATES } from './updates.ts';

const BOT = { id: '9', username: null };
const ID = '444444444444444444';
const LATER = '444444444444444445';

test('what Discord signed with the key of the application is its own', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const secret = publicKey.export({ format: 'der', type: 'spki' }).toString('hex').slice(-64);
  const body = '{"type":1}';
  const time = '1800000000';
  const signature = sign(null, Buffer.from(time + body), privateKey).toString('hex');
  const headers = { 'x-signature-ed25519': signature, 'x-signature-timestamp': time };
  expect(UPDATES.verify(headers, body, secret)).toBe(true);
  expect(UPDATES.verify(headers, null, secret)).toBe(true);
  expect(UPDATES.verify(headers, `${body} `, secret)).toBe(false);
  expect(UPDATES.verify({ ...headers, 'x-signature-timestamp': '1' }, body, secret)).toBe(false);
  expect(UPDATES.verify(headers, body, '0'.repeat(64))).toBe(false);
  expect(UPDATES.verify({ ...headers, 'x-signature-ed25519': 'zz' }, null, secret)).toBe(false);
  // Nobody but Discord can sign for it.
  expect(UPDATES.proofOf(body, secret)).toEqual({});
});

test('a ping is answered, an interaction is answered later', () => {
  expect(UPDATES.answerTo!({ type: 1 })).toMatchObject({ status: 200, body: '{"type":1}' });
  expect(UPDATES.answerTo!({ type: 2 })).toMatchObject({ status: 202, body: null });
});

test('who presses a button or mentions the bot waits for an answer', () => {
  const pressed = { id: ID, type: 3, channel_id: '5', message: { id: '6' } };
  expect(UPDATES.read(pressed, BOT)).toMatchObject({
    ...{ chat: '5', messageId: '6', voice: 'addressed' },
  });
  const said = (more: object) => ({
    t: 'MESSAGE_CREATE',
    d: { id: ID, channel_id: '5', author: { id: '7' }, ...more },
  });
  expect(UPDATES.read(said({}), BOT)?.voice).toBe('wrote');
  expect(UPDATES.read(said({ mentions: [{ id: '9' }] }), BOT)?.voice).toBe('addressed');
  const answered = { referenced_message: { author: { id: '9' } } };
  expect(UPDATES.read(said(answered), BOT)?.voice).toBe('addressed');
  expect(UPDATES.read(said({ author: { id: '8', bot: true } }), BOT)?.voice).toBe('none');
});

test('updates have the order of their ids, in whole numbers', () => {
  const read = [ID, LATER].map((id) => UPDATES.read({ id, type: 2 }, BOT)!);
  const orders = read.map(({ order }) => order);
  expect(orders[0]).toBeLessThan(orders[1]!);
  expect(orders.every(Number.isSafeInteger)).toBe(true);
  expect(new Set(read.map(({ id }) => id)).size).toBe(2);
  for (const wrong of [null, {}, { id: 5, type: 2 }, { t: 'MESSAGE_CREATE', d: {} }]) {
    expect(UPDATES.read(wrong, BOT)).toBeNull();
  }
});
