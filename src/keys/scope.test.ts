import { describe, expect, test } from 'vitest';
import { Bounds, NO_SCOPE, type Scope } from './scope.ts';

const bounds = (scope: Partial<Scope>) => new Bounds({ ...NO_SCOPE, ...scope });
const OWN = bounds({ chats: ['-100', '@News'] });

describe('chats', () => {
  test.each([
    ['its own', { chat_id: -100 }, true],
    ['its own, by name', { chat_id: '@nEWS' }, true],
    ['another', { chat_id: -101 }, false],
    ['another, in other letters', { chat_id: -100, CHAT_ID: -101 }, false],
    ['forwarded from another', { chat_id: -100, from_chat_id: 7 }, false],
    ['replying into another', { chat_id: -100, reply_parameters: { chat_id: 7 } }, false],
    ['the same, as text', { chat_id: -100, reply_parameters: '{"chat_id":7}' }, false],
    ['replying into its own', { chat_id: -100, reply_parameters: '{"chat_id":-100}' }, true],
    ['a message without a place', { chat_id: -100, inline_message_id: 'x' }, false],
    ['no chat at all', { text: 'x' }, false],
    ['a text that only looks like it', { chat_id: -100, text: '{"chat_id":7}' }, true],
    ['deeper than anyone looks', { chat_id: -100, a: nested(20) }, false],
  ])('%s', (_name, params, allowed) => {
    expect(OWN.mayCall('sendMessage', params)).toBe(allowed);
  });

  test('a call without a chat must be named, or tell nothing', () => {
    expect(OWN.mayCall('getMe', {})).toBe(true);
    expect(OWN.mayCall('getUpdates', { offset: 1 })).toBe(false);
    const named = bounds({ chats: ['-100'], methods: ['getUpdates'] });
    expect(named.mayCall('GETUPDATES', {})).toBe(true);
    expect(named.mayCall('getMe', {})).toBe(false);
  });

  test('what is read must be of a chat of its own', () => {
    expect(OWN.mayRead('telegram:42', '-100')).toBe(true);
    expect(OWN.mayRead('telegram:42', '-101')).toBe(false);
    expect(OWN.mayRead('telegram:42', null)).toBe(false);
  });
});

test('accounts and methods', () => {
  const of = bounds({ accounts: ['telegram:42'], methods: ['sendMessage'] });
  expect([of.mayUse('telegram:42'), of.mayUse('telegram:43')]).toEqual([true, false]);
  expect([of.mayRead('telegram:42', null), of.mayRead('telegram:43', '1')]).toEqual([true, false]);
  expect(of.mayCall('sendmessage', { chat_id: 1 })).toBe(true);
  expect(of.mayCall('sendPhoto', { chat_id: 1 })).toBe(false);
});

test('what is too urgent is lowered, the rest stays', () => {
  const of = bounds({ priority: 'normal' });
  const all = (['critical', 'high', 'normal', 'low'] as const).map((each) => of.lowered(each));
  expect(all).toEqual(['normal', 'normal', 'normal', 'low']);
  expect(of.isNarrow).toBe(false);
});

test('so many in any minute, not in each', () => {
  const of = bounds({ perMinute: 2 });
  expect(of.takeMs(50_000)).toBe(0);
  expect(of.takeMs(59_000)).toBe(0);
  expect(of.takeMs(61_000)).toBe(49_000);
  expect(of.takeMs(110_000)).toBe(0);
  expect(of.takeMs(110_001)).toBe(8_999);
});

function nested(depth: number): object {
  return depth === 0 ? { chat_id: -100 } : { in: nested(depth - 1) };
}
