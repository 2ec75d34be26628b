import { expect, test } from 'vitest';
import type { AccountId } from '../domain/ids.ts';
import { UNREACHABLE_KEPT_MS, UNREACHABLE_MAX, UnreachableAccounts } from './unreachable.ts';

const MINUTE = 60_000;
const account = (id: AccountId) => ({ id, detail: 'ECONNREFUSED 127.0.0.1:9' });

test('is told once, then at growing intervals, and anew after it was heard', () => {
  const unreachable = new UnreachableAccounts();
  const told: number[] = [];
  for (let minute = 0; minute <= 20; minute++) {
    if (unreachable.failed(account('a:1'), minute * MINUTE)) told.push(minute);
  }
  expect(told).toEqual([0, 1, 3, 7, 15]);
  unreachable.answered('a:1');
  expect(unreachable.list(20 * MINUTE)).toEqual([]);
  expect(unreachable.failed(account('a:1'), 20 * MINUTE)).toBe(true);
});

test('is kept for a while after the last try', () => {
  const unreachable = new UnreachableAccounts();
  unreachable.failed(account('a:1'), 0);
  unreachable.failed(account('a:2'), 1);
  unreachable.failed(account('a:1'), 2);
  expect(unreachable.list(UNREACHABLE_KEPT_MS + 1)).toEqual([account('a:1')]);
  expect(unreachable.list(UNREACHABLE_KEPT_MS + 2)).toEqual([]);
});

test('is bounded: the oldest is forgotten', () => {
  const unreachable = new UnreachableAccounts();
  for (let n = 0; n <= UNREACHABLE_MAX; n++) unreachable.failed(account(`a:${n}`), n);
  const ids = unreachable.list(UNREACHABLE_MAX).map(({ id }) => id);
  expect(ids).toHaveLength(UNREACHABLE_MAX);
  expect(ids).not.toContain('a:0');
});
