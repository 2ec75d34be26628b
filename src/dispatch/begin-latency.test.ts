import { expect, test } from 'vitest';
import { BeginLatency } from './attempt/run.ts';
import { aRoad, SENT, submit } from './dispatch.fixture.ts';

test('the lead follows what beginning takes, and no stall drives it beyond its bound', () => {
  const lead = new BeginLatency();
  expect(lead.ms).toBe(0);
  for (let i = 0; i < 100; i++) lead.observe(6);
  expect(lead.ms).toBeCloseTo(6, 3);
  for (let i = 0; i < 100; i++) lead.observe(10_000);
  expect(lead.ms).toBeCloseTo(50, 3);
});

test('a slow store does not slow the pace: what may go in a moment is begun before, and leaves on time', async () => {
  const commitMs = 20;
  const windowMs = 1_000;
  // Enough to learn how long a call is under way, too.
  const messages = 60;
  const departures: number[] = [];
  const { dispatch, road, clock, run, store } = aRoad(() => {
    departures.push(clock.now());
    return SENT;
  });
  await dispatch.start();
  const { begin } = store.journal;
  const begunAt: number[] = [];
  store.journal.begin = async (...args) => {
    await new Promise<void>((resolve) => clock.schedule(clock.now() + commitMs, resolve));
    begunAt.push(clock.now());
    return begin.apply(store.journal, args);
  };
  // Not plain, so that each is begun apart.
  for (let i = 0; i < messages; i++) await submit(road, { correlation: 'x' });
  await run(2 * messages * windowMs);
  expect(departures).toHaveLength(messages);
  // None before it is begun on disk, none before its time, and in the end none later.
  for (const [i, at] of departures.entries()) expect(at).toBeGreaterThanOrEqual(begunAt[i]!);
  const gaps = departures.slice(1).map((at, i) => at - departures[i]!);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(windowMs);
  const late = gaps.slice(-10).map((gap) => gap - windowMs);
  expect(Math.max(...late)).toBeLessThan(commitMs / 2);
});
