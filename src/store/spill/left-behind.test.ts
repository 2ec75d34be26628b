// Callers that wait until what was written for them has been taken up, against a store that only counts.

import { expect, test } from 'vitest';
import { virtualClock } from '../../system/virtual-clock.ts';
import { JournalUnavailable } from '../ports/unavailable.ts';
import { LeftBehind } from './left-behind.ts';

const CALLERS = 500;
const WAIT_MS = 2_000;

function aStore() {
  const clock = virtualClock(0);
  const left = new Set(Array.from({ length: CALLERS }, (_, seq) => seq));
  const at = { looks: 0, isAway: false };
  const behind = new LeftBehind(
    {
      async stillLeft(seqs) {
        at.looks += 1;
        if (at.isAway) throw new JournalUnavailable('journal_failed', 'away');
        return seqs.filter((seq) => left.has(seq));
      },
    },
    clock,
  );
  const all = [...left].map((seq) => behind.takenUp(seq, WAIT_MS));
  return { clock, left, at, behind, all };
}

test('however many wait, the store is asked once at a time', async () => {
  const { clock, left, at, behind, all } = aStore();
  await clock.run(1_000);
  expect(at.looks).toBeLessThan(25);
  left.delete(7);
  await clock.run(1_100);
  expect(await all[7]).toBe(true);
  await clock.run(WAIT_MS + 100);
  expect((await Promise.all(all)).filter((isTakenUp) => isTakenUp)).toEqual([true]);
  const { looks } = at;
  await clock.run(10_000);
  expect(at.looks, 'nobody waits any more').toBe(looks);
  expect(await behind.takenUp(7, WAIT_MS)).toBe(true);
});

test('a store that goes away tells all who wait, and the next one is told anew', async () => {
  const { clock, at, left, behind, all } = aStore();
  at.isAway = true;
  const ended = Promise.allSettled(all);
  await clock.run(100);
  const ends = await ended;
  expect(ends.every(({ status }) => status === 'rejected')).toBe(true);
  at.isAway = false;
  left.clear();
  expect(await behind.takenUp(1, WAIT_MS)).toBe(true);
});
