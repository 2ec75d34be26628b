import { expect, test } from 'vitest';
import type { DescribedCall } from '../domain/call.ts';
import { OUTPUT_CLASSES, type OutputClasses } from '../domain/priority.ts';
import { createTelegram } from '../platforms/telegram/telegram.ts';
import type { Inbound } from '../updates/updates.ts';
import type { AcceptContext } from './context.ts';
import { answering, compose, NO_SEND_OPTIONS, type SendOptions, userFor } from './draft.ts';

const unused = () => Promise.reject(new Error('no wire in this test'));
const telegram = createTelegram({
  transport: { request: unused, stream: unused, close: async () => {} },
});

// Updates that say of every call that it answers someone who waits.
const updates = {
  seen: new Set(['telegram:42']),
  budgetFor: () => 'reply',
  priorityFor: () => 'high',
} as unknown as Inbound;

function composed(
  seen: { updates?: Inbound },
  sendOptions: Partial<SendOptions> = {},
  classes: OutputClasses = OUTPUT_CLASSES,
) {
  const params = { chat_id: 7, text: 'hi' };
  const call = telegram.calls.describe('sendMessage', params) as DescribedCall;
  const answer = answering(seen, 'telegram:42', call, params);
  const from = {
    account: 'telegram:42' as const,
    platform: 'telegram',
    call: answer,
    body: '{}',
    classes,
  };
  return compose(0, from, { ...NO_SEND_OPTIONS, ...sendOptions });
}

test('what the updates say goes into the delivery', () => {
  expect(composed({ updates })).toMatchObject({ budget: 'reply', priority: 'high' });
  expect(composed({})).toMatchObject({ budget: 'broadcast', priority: 'normal' });
});

test('an account whose updates nobody showed us is not asked about', () => {
  const unseen = { ...updates, seen: new Set<string>() } as Inbound;
  expect(composed({ updates: unseen })).toMatchObject({ budget: 'broadcast', priority: 'normal' });
});

test('a priority that the caller names stands before it', () => {
  expect(composed({ updates }, { priority: 'low' })).toMatchObject({ priority: 'low' });
  expect(composed({ updates }, { priority: 'normal' })).toMatchObject({ priority: 'normal' });
});

test('on whose behalf: the person of a private chat, else who wrote what it replies to', () => {
  const road = { pacesUsers: () => true } as unknown as AcceptContext['road'];
  const authorOf: Inbound['authorOf'] = (_account, { chat }) => (chat === '-100' ? '11' : null);
  const seen = { ...updates, authorOf } as Inbound;
  const user = (chat: string, options = { road, updates: seen }) => {
    const params = { chat_id: chat, text: 'hi' };
    const call = telegram.calls.describe('sendMessage', params) as DescribedCall;
    return userFor(options, 'telegram:42', telegram, call, params);
  };
  expect([user('7'), user('-100'), user('-200')]).toEqual(['7', '11', null]);
  const unpaced = { ...road, pacesUsers: () => false };
  expect(user('7', { road: unpaced, updates: seen })).toBeNull();
});

test('each kind of output has the class that the settings give it', () => {
  const classes: OutputClasses = {
    ...{ message: 'low', answer: 'normal', notice: 'critical', preview: 'low', final: 'high' },
  };
  const classOf = (sendOptions: Partial<SendOptions>, seen: { updates?: Inbound } = {}) => {
    const delivery = composed(seen, sendOptions, classes);
    return 'priority' in delivery ? delivery.priority : null;
  };
  const session = { session: 's', coalesce: true };
  expect(classOf({})).toBe('low');
  expect(classOf({}, { updates })).toBe('normal');
  expect(classOf({ isNotice: true }, { updates })).toBe('critical');
  expect(classOf(session, { updates })).toBe('low');
  expect(classOf({ ...session, final: true })).toBe('high');
  expect(classOf({ ...session, final: true, priority: 'low' })).toBe('low');
});
