import { expect, test } from 'vitest';
import { Periodic } from '../../system/periodic.ts';
import { virtualClock } from '../../system/virtual-clock.ts';
import { Rates, SECONDS_KEPT } from './rates.ts';

const START = 1_900_000_000_000;

function open(waiting = 0) {
  const clock = virtualClock(START);
  const counts = { accepted: 0, sent: 0, limited: 0, failed: 0, dead: 0, events: 0 };
  const rates = new Rates({
    periodic: new Periodic(clock),
    name: 'rates',
    counts: () => counts,
    waitingNow: () => waiting,
  });
  return { clock, counts, rates };
}

test('counts by second; the one that runs is not told yet', async () => {
  const { clock, counts, rates } = open(7);
  counts.accepted += 2;
  await clock.run(START + 1500);
  counts.sent += 1;
  await clock.run(START + 3100);
  counts.dead += 1;
  await clock.run(START + 3999);
  const series = rates.series(4);
  expect(series.until).toBe(START / 1000 + 2);
  expect(series.accepted).toEqual([0, 2, 0, 0]);
  expect(series.sent).toEqual([0, 0, 1, 0]);
  expect(series.dead).toEqual([0, 0, 0, 0]);
  expect(series.waiting).toEqual([0, 7, 7, 7]);
  await clock.run(START + 4000);
  expect(rates.series(1).dead).toEqual([1]);
  expect(rates.totals).toEqual({ accepted: 2, sent: 1, limited: 0, failed: 0, dead: 1 });
});

test('what is older than the ring is forgotten', async () => {
  const { clock, counts, rates } = open();
  for (let s = 0; s < SECONDS_KEPT; s++) {
    counts.accepted += 1;
    await clock.run(START + (s + 1) * 1000);
  }
  expect(rates.series(SECONDS_KEPT).accepted.every((count) => count === 1)).toBe(true);
  await clock.run(START + 2 * SECONDS_KEPT * 1000);
  const { accepted } = rates.series(SECONDS_KEPT);
  expect(accepted).toHaveLength(SECONDS_KEPT - 1);
  expect(accepted.every((count) => count === 0)).toBe(true);
});

test('a pause longer than the ring leaves nothing of before it', () => {
  const counts = { accepted: 0, sent: 0, limited: 0, failed: 0, dead: 0, events: 0 };
  let now = START;
  const schedule = () => ({ cancel() {} });
  const clock = { now: () => now, schedule };
  const rates = new Rates({
    periodic: new Periodic(clock),
    name: 'rates',
    counts: () => counts,
    waitingNow: () => 0,
  });
  for (let s = 0; s < SECONDS_KEPT; s++) {
    counts.sent += 1;
    now += 1000;
    rates.series(1);
  }
  counts.sent += 5;
  now += 10 * SECONDS_KEPT * 1000;
  expect(rates.series(SECONDS_KEPT).sent.every((count) => count === 0)).toBe(true);
  expect(rates.totals.sent).toBe(SECONDS_KEPT + 5);
});

test('reads no more once it is stopped', async () => {
  const { clock, rates } = open();
  rates.stop();
  await clock.run(START + 5000);
  expect(clock.pending()).toBe(0);
});
