import { expect, test } from 'vitest';
import type { Ended } from '../road/road.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { endOf } from './end-of.ts';

const SENT = { seq: 7, state: 'sent' } as Ended;

// A ledger that cannot be read so many times.
function aRoad(times: number, error: Error) {
  let left = times;
  return {
    async ended() {
      left -= 1;
      if (left >= 0) throw error;
      return SENT;
    },
  };
}

const away = new JournalUnavailable('journal_failed', 'the database does not answer');

test('while the ledger cannot be read its end is not known, and asked for again', async () => {
  const clock = virtualClock(0);
  const ended = endOf({ road: aRoad(3, away), clock }, 7, () => false);
  await clock.run(10_000);
  expect(await ended).toBe(SENT);
});

test('nobody asks for it any more', async () => {
  const clock = virtualClock(0);
  const ended = endOf({ road: aRoad(100, away), clock }, 7, () => clock.now() >= 5000);
  await clock.run(10_000);
  expect(await ended).toBeNull();
});

test('an exception is one', async () => {
  const clock = virtualClock(0);
  const broken = new TypeError('broken');
  await expect(endOf({ road: aRoad(1, broken), clock }, 7, () => false)).rejects.toBe(broken);
});
