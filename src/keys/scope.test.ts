import { describe, expect, test } from 'vitest';
import { Bounds, NO_SCOPE, type Scope } from './scope.ts';

const bounds = (scope: Partial<Scope>) => new Bounds({ ...NO_SCOPE, ...scope });
const OWN = bounds({ chats: ['-100', '@News'] });

describe('chats', () => {
  const at = (...chats: string[]) => ({ kind: 'chats', chats }) as const;

  test.each([
    ['its own', at('-100'), true],
    ['its own, by name', at('@news'), true],
    ['another', at('-101'), false],
    ['its own and another', at('-100', '7'), false],
    ['none', at(), false],
    [
      'the account, of which its own is named',
      { kind: 'account', chats: ['-100'] } as const,
      false,
    ],
    ['nobody knows what', { kind: 'unknown' } as const, false],
    ['nothing', { kind: 'none' } as const, true],
  ])('%s', (_name, targets, allowed) => {
    expect(OWN.mayCall('anyMethod', targets)).toBe(allowed);
  });

  test('what touches the account must be named, and be about no other chat', () => {
    const named = bounds({ chats: ['-100'], methods: ['getUpdates'] });
    expect(named.mayCall('GETUPDATES', { kind: 'account', chats: [] })).toBe(true);
    expect(named.mayCall('getUpdates', { kind: 'account', chats: ['7'] })).toBe(false);
    expect(named.mayCall('getUpdates', { kind: 'unknown' })).toBe(false);
    expect(named.mayCall('setWebhook', { kind: 'account', chats: [] })).toBe(false);
  });

  test('a chat is named as people write it, and screens as they are called', () => {
    const of = bounds({ chats: [' 05', '+7', '-0100', 'Desk'] });
    for (const chat of ['5', '7', '-100', 'Desk']) expect(of.mayRead('a', chat), chat).toBe(true);
    for (const chat of ['desk', '0100', '05']) expect(of.mayRead('a', chat), chat).toBe(false);
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
  expect(of.mayCall('sendmessage', { kind: 'chats', chats: ['1'] })).toBe(true);
  expect(of.mayCall('sendPhoto', { kind: 'chats', chats: ['1'] })).toBe(false);
  expect(of.mayCall('getMe', { kind: 'none' })).toBe(true);
  expect([
    of.mayTouch('telegram:42', '1', 'sendMessage'),
    of.mayTouch('telegram:42', '1', 'x'),
  ]).toEqual([true, false]);
  expect(of.mayManage('telegram:42')).toBe(false);
  const whole = bounds({ accounts: ['telegram:42'] });
  expect([whole.mayManage('telegram:42'), whole.mayManage('telegram:43')]).toEqual([true, false]);
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
