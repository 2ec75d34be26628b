// Freezes that hold: from the limits once, then from events.

import { expect, test } from 'vitest';
import type { AccountId } from '../../domain/ids.ts';
import type { AccountLimits } from '../../limits/limits.ts';
import { ActiveFreezes } from './freezes.ts';

const FROZEN = { kind: 'frozen', at: 1_000, account: 'telegram:1', cause: '429' } as const;

function limitsWith(...chats: readonly string[]) {
  let reads = 0;
  const freezes = [{ scope: 'chat', since: 0, until: 9_000, cause: '429' }];
  const view = () => {
    reads += 1;
    return chats.map((chat) => ({ chat, rules: [], freezes }));
  };
  return { limits: { view } as unknown as AccountLimits, reads: () => reads };
}

const names = (found: readonly { account: AccountId; name: string }[]) =>
  found.map(({ account, name }) => `${account} ${name}`);

test('come from the limits once, then from events, and end by themselves', () => {
  const freezes = new ActiveFreezes();
  const { limits, reads } = limitsWith('5');
  const accounts = [['telegram:1', limits]] as const;
  expect(names(freezes.active(accounts, 1_000))).toEqual(['telegram:1 5']);
  freezes.note({ ...FROZEN, scope: 'chat:7', until: 5_000 });
  expect(names(freezes.active(accounts, 2_000))).toEqual(['telegram:1 5', 'telegram:1 7']);
  expect(names(freezes.active(accounts, 6_000))).toEqual(['telegram:1 5']);
  expect(freezes.active(accounts, 9_000)).toEqual([]);
  expect(reads()).toBe(1);
});

test('those of an account that is others now are not shown, and read anew when it comes back', () => {
  const freezes = new ActiveFreezes();
  const { limits, reads } = limitsWith('5');
  const accounts = [['telegram:1', limits]] as const;
  freezes.active(accounts, 1_000);
  expect(freezes.active([], 1_000)).toEqual([]);
  freezes.forget('telegram:1');
  expect(names(freezes.active(accounts, 1_000))).toEqual(['telegram:1 5']);
  expect(reads()).toBe(2);
});
