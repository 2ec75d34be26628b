import { expect, test } from 'vitest';
import { behindBy, STEER_RATE, steeredClock } from './steered-clock.ts';
import { virtualClock } from './virtual-clock.ts';

const START = 1_800_000_000_000;

function aClock() {
  const base = virtualClock(START);
  return { base, clock: steeredClock(base) };
}

test('set: at once, and timers follow', async () => {
  const { base, clock } = aClock();
  clock.set(-3_600_000);
  expect(clock.now()).toBe(START - 3_600_000);
  const fired: number[] = [];
  clock.schedule(clock.now() + 1_000, () => fired.push(base.now()));
  await base.run(START + 999);
  expect(fired).toEqual([]);
  await base.run(START + 1_001);
  expect(fired).toHaveLength(1);
});

test.each([100, -100])('steered by %i ms: slowly, never back, and no further', async (byMs) => {
  const { base, clock } = aClock();
  clock.steer(byMs);
  const neededMs = Math.abs(byMs) / STEER_RATE;
  let last = clock.now();
  for (let at = START; at <= START + 2 * neededMs; at += neededMs / 10) {
    await base.run(at);
    expect(clock.now()).toBeGreaterThanOrEqual(last);
    expect(Math.abs(clock.now() - base.now())).toBeLessThanOrEqual(Math.abs(byMs) + 1e-3);
    last = clock.now();
  }
  expect(clock.now() - base.now()).toBeCloseTo(byMs, 2);
});

test('a timer waits for its time by this clock, also when it is slowed down meanwhile', async () => {
  const { base, clock } = aClock();
  const fired: number[] = [];
  const at = clock.now() + 10_000;
  clock.schedule(at, () => fired.push(clock.now()));
  const cancelled = clock.schedule(at, () => fired.push(0));
  clock.steer(-1_000);
  await base.run(START + 10_000);
  expect(fired).toEqual([]);
  cancelled.cancel();
  await base.run(START + 10_010);
  expect(fired).toHaveLength(1);
  expect(fired[0]).toBeGreaterThanOrEqual(at);
});

test('how far it is behind is told by the quickest answer', async () => {
  const { base, clock } = aClock();
  const trips = [
    { thereMs: 80, backMs: 2 },
    { thereMs: 3, backMs: 1 },
    { thereMs: 5, backMs: 400 },
  ];
  const ask = async () => {
    const { thereMs, backMs } = trips.shift()!;
    await base.run(base.now() + thereMs);
    const told = base.now() + 5_000;
    await base.run(base.now() + backMs);
    return told;
  };
  const { byMs, errorMs } = await behindBy(clock, ask, 3);
  expect(errorMs).toBe(2);
  expect(Math.abs(byMs - 5_000)).toBeLessThanOrEqual(errorMs);
});
