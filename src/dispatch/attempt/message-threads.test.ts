import { expect, test } from 'vitest';
import { MessageThreads } from './messages.ts';

const sent = { seq: 5, account: 'fake:1' as const, chat: '7', lane: 't:9' };

test('a message is known by its id and by its provisional one', () => {
  const threads = new MessageThreads();
  threads.learn(sent, null);
  expect([threads.of('fake:1', '7', '-5'), threads.of('fake:1', '7', '12')]).toEqual(['9', null]);
  threads.learn(sent, '12');
  expect(threads.of('fake:1', '7', '12')).toBe('9');
  expect([threads.of('fake:2', '7', '12'), threads.of('fake:1', '8', '12')]).toEqual([null, null]);
});

test('only threads are lanes of messages', () => {
  const threads = new MessageThreads();
  for (const lane of ['', 's:session']) threads.learn({ ...sent, lane }, '12');
  expect(threads.of('fake:1', '7', '12')).toBeNull();
});

test('what was not used longest is forgotten', () => {
  const threads = new MessageThreads();
  for (let seq = 1; seq <= 30_000; seq++) {
    threads.learn({ ...sent, seq }, null);
    threads.of('fake:1', '7', '-1');
  }
  expect(threads.of('fake:1', '7', '-1')).toBe('9');
  expect(threads.of('fake:1', '7', '-2')).toBeNull();
  expect(threads.of('fake:1', '7', '-30000')).toBe('9');
});
