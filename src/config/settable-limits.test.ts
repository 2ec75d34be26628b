import { expect, test } from 'vitest';
import type { AccountId } from '../domain/ids.ts';
import { defaultConfig } from './resolve.ts';
import { SettableLimits } from './settable-limits.ts';

const ACCOUNT: AccountId = 'telegram:1';

function hand(more: object = {}) {
  const usual = Object.freeze({ ...defaultConfig(), ...more });
  return new SettableLimits(
    () => usual,
    (account) => account.split(':')[0]!,
  );
}

function set(limits: SettableLimits, change: Record<string, unknown>, account = ACCOUNT) {
  const checked = limits.check(account, change);
  if (checked.kind === 'right') limits.set(account, checked.byHand);
  return checked;
}

const shown = (limits: SettableLimits, name: string) =>
  limits.view(ACCOUNT).find((each) => each.name === name);

test('what is set by hand holds for its account alone, and null is the way back', () => {
  const limits = hand({ privatePerS: 2 });
  expect(shown(limits, 'group_mpm')).toMatchObject({ value: 20, usual: 20, from: 'default' });
  expect(shown(limits, 'private_per_s')).toMatchObject({ value: 2, from: 'settings' });
  expect(set(limits, { group_mpm: 10, private_per_s: 0.5 }).kind).toBe('right');
  expect(limits.settingsOf(ACCOUNT)).toMatchObject({ groupMpm: 10, privatePerS: 0.5 });
  expect(limits.settingsOf('telegram:2')).toMatchObject({ groupMpm: 20, privatePerS: 2 });
  expect(shown(limits, 'group_mpm')).toMatchObject({ value: 10, usual: 20, from: 'hand' });
  set(limits, { private_per_s: null });
  expect(shown(limits, 'private_per_s')).toMatchObject({ value: 2, usual: 2, from: 'settings' });
  expect(shown(limits, 'group_mpm')).toMatchObject({ value: 10, from: 'hand' });
});

test('a limit that may be left out is none by name, also after it was kept', () => {
  const limits = hand({ userPerMinute: 30 });
  const checked = set(limits, { user_per_minute: 'none' });
  expect(checked).toEqual({ kind: 'right', byHand: { user_per_minute: null } });
  const again = hand({ userPerMinute: 30 });
  expect(again.set(ACCOUNT, { user_per_minute: null })).toEqual([]);
  expect(again.settingsOf(ACCOUNT).userPerMinute).toBeNull();
});

test.each<[Record<string, unknown>, string, string]>([
  [{ group_mpm: 0 }, 'group_mpm', 'a whole number from 1 to 6000'],
  [{ group_mpm: 1.5 }, 'group_mpm', 'a whole number from 1 to 6000'],
  [{ group_mpm: 'many' }, 'group_mpm', 'a whole number from 1 to 6000'],
  // Live output could never go.
  [{ group_mpm: 4 }, 'reserve_mpm', 'less than group_mpm (4)'],
  [{ group_mpn: 4 }, 'group_mpn', 'did you mean group_mpm?'],
  [{ slack_mpm: 4 }, 'slack_mpm', 'no such limit of this platform'],
  [{ queue_max: 4 }, 'queue_max', 'no such limit of this platform'],
])('%j is refused with what would be right, and changes nothing', (change, name, expected) => {
  const limits = hand();
  const before = limits.settingsOf(ACCOUNT);
  const checked = set(limits, change);
  expect(checked).toMatchObject({
    kind: 'wrong',
    problems: [{ name, expected: expect.stringContaining(expected) }],
  });
  expect(limits.settingsOf(ACCOUNT)).toBe(before);
});

test('what was kept and is wrong by now is told, and counts for nothing', () => {
  const limits = hand();
  expect(limits.set(ACCOUNT, { group_mpm: 0 })).toHaveLength(1);
  expect(limits.set(ACCOUNT, { gone: 3 })).toHaveLength(1);
  expect(limits.settingsOf(ACCOUNT).groupMpm).toBe(20);
});
