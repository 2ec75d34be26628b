import { expect, test } from 'vitest';
import { UNHEARD_KEPT_MS, UNHEARD_MAX, Unheard } from './unheard.ts';

const MINUTE = 60_000;
const account = (id: string) => ({ id, detail: 'ECONNREFUSED 127.0.0.1:9' });

test('is told once, then at growing intervals, and anew after it was heard', () => {
  const unheard = new Unheard();
  const told: number[] = [];
  for (let minute = 0; minute <= 20; minute++) {
    if (unheard.failed(account('a:1'), minute * MINUTE)) told.push(minute);
  }
  expect(told).toEqual([0, 1, 3, 7, 15]);
  unheard.heard('a:1');
  expect(unheard.list(20 * MINUTE)).toEqual([]);
  expect(unheard.failed(account('a:1'), 20 * MINUTE)).toBe(true);
});

test('is kept for a while after the last try', () => {
  const unheard = new Unheard();
  unheard.failed(account('a:1'), 0);
  unheard.failed(account('a:2'), 1);
  unheard.failed(account('a:1'), 2);
  expect(unheard.list(UNHEARD_KEPT_MS + 1)).toEqual([account('a:1')]);
  expect(unheard.list(UNHEARD_KEPT_MS + 2)).toEqual([]);
});

test('is bounded: the oldest is forgotten', () => {
  const unheard = new Unheard();
  for (let n = 0; n <= UNHEARD_MAX; n++) unheard.failed(account(`a:${n}`), n);
  const ids = unheard.list(UNHEARD_MAX).map(({ id }) => id);
  expect(ids).toHaveLength(UNHEARD_MAX);
  expect(ids).not.toContain('a:0');
});
