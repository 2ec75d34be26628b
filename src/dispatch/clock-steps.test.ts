// The wall clock is set, across a restart and while the road runs: freezes and retries keep their length, and what a
// caller scheduled follows the wall clock.

import { describe, expect, test } from 'vitest';
import { aDelivery } from '../domain/delivery.fixture.ts';
import type { NewDelivery } from '../domain/delivery.ts';
import type { Outcome } from '../domain/outcome.ts';
import { aRoad, SENT, START } from './dispatch.fixture.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const UP = 5 * HOUR;

type Road = ReturnType<typeof aRoad>;

const submit = (road: Road, changes: Partial<NewDelivery> = {}) =>
  road.road.submit(aDelivery({ acceptedAt: road.clock.now(), ...changes }));

const limited = (retryAfterMs: number): Outcome => ({
  kind: 'limited',
  retryAfterMs,
  scope: 'chat',
  result: '{}',
});

// A chat is frozen for half an hour; ten minutes later the process ends, and a minute after that the next one starts,
// when the wall clock has been set by `stepMs`.
async function restarted(stepMs: number, boots: readonly [string, string]) {
  const first = aRoad(() => limited(30 * MINUTE), { bootTime: () => ({ boot: boots[0], ms: UP }) });
  await first.dispatch.start();
  await submit(first, { chat: 'frozen' });
  await first.run(10 * MINUTE);
  expect(first.calls).toHaveLength(1);
  await first.dispatch.stop(0);
  const second = aRoad(() => SENT, {
    disk: first.disk,
    startAt: START + 11 * MINUTE + stepMs,
    bootTime: () => ({ boot: boots[1], ms: UP + 11 * MINUTE }),
  });
  await second.dispatch.start();
  return second;
}

// How long after the start the first call goes.
async function firstCallMs(road: Road): Promise<number> {
  const startedAt = road.clock.now();
  for (let i = 0; i < 200 && road.calls.length === 0; i++) await road.run(MINUTE / 2);
  return road.clock.now() - startedAt;
}

describe('a wall clock that is set across a restart', () => {
  test.each([0, HOUR, -HOUR, 24 * HOUR, -24 * HOUR])(
    'by %i ms: a freeze keeps its length',
    async (stepMs) => {
      const waited = await firstCallMs(await restarted(stepMs, ['boot', 'boot']));
      expect(waited).toBeGreaterThanOrEqual(19 * MINUTE);
      expect(waited).toBeLessThanOrEqual(20 * MINUTE);
    },
  );

  test('and once more: what was moved is on disk', async () => {
    const second = await restarted(HOUR, ['boot', 'boot']);
    await second.run(5 * MINUTE);
    await second.dispatch.stop(0);
    const third = aRoad(() => SENT, {
      disk: second.disk,
      startAt: second.clock.now(),
      bootTime: () => ({ boot: 'boot', ms: UP + 16 * MINUTE }),
    });
    await third.dispatch.start();
    const [frozen] = third.road.limits(null).flatMap(({ freezes }) => freezes);
    expect(frozen!.until - third.clock.now()).toBeGreaterThanOrEqual(14 * MINUTE - 1000);
    expect(frozen!.until - third.clock.now()).toBeLessThanOrEqual(15 * MINUTE);
  });

  test.each([HOUR, -HOUR])(
    'by %i ms: what waited goes as soon as before, also after a retry',
    async (stepMs) => {
      const bootTime = (ms: number) => () => ({ boot: 'boot', ms });
      const down: Outcome = { kind: 'failed', reason: 'refused', detail: '', hostDown: false };
      const first = aRoad(() => down, { bootTime: bootTime(UP) });
      await first.dispatch.start();
      for (let i = 0; i < 3; i++) await submit(first, { chat: 'a', body: `{"text":"${i}"}` });
      await first.run(500);
      await first.dispatch.stop(0);
      const startAt = first.clock.now() + stepMs;
      const second = aRoad((_call, nth) => (nth < 3 ? down : SENT), {
        disk: first.disk,
        startAt,
        bootTime: bootTime(UP + 500),
      });
      await second.dispatch.start();
      await second.run(1_000);
      await second.dispatch.stop(0);
      // The clock has not been set again; the rows are of before.
      const third = aRoad(() => SENT, {
        disk: first.disk,
        startAt: startAt + 1_000,
        bootTime: bootTime(UP + 1_500),
      });
      await third.dispatch.start();
      await third.run(2 * MINUTE);
      const sent = [...second.calls, ...third.calls].map(({ body }) => body);
      expect(new Set(sent).size).toBe(3);
      const order = third.calls.map(({ body }) => body);
      expect(order).toEqual([...order].sort());
    },
  );

  test('after a reboot it is trusted, but a freeze lasts no longer than it was meant to', async () => {
    const waited = await firstCallMs(await restarted(-HOUR, ['one', 'two']));
    expect(waited).toBeLessThanOrEqual(90 * MINUTE);
    const { road, clock } = await restarted(-24 * HOUR, ['one', 'two']);
    const [frozen] = road.limits(null).flatMap(({ freezes }) => freezes);
    expect(frozen!.until - clock.now()).toBeLessThanOrEqual(30 * MINUTE);
  });
});

describe('a wall clock that is set while the road runs', () => {
  test.each([
    ['forwards', 30 * MINUTE, 30 * MINUTE],
    ['backwards', -30 * MINUTE, 90 * MINUTE],
  ])('%s: what is scheduled follows, what is frozen does not', async (_how, byMs, dueInMs) => {
    let stepMs = 0;
    const road = aRoad((call) => (call.body.includes('frozen') ? limited(40 * MINUTE) : SENT), {
      stepMs: () => stepMs,
    });
    await road.dispatch.start();
    await submit(road, { chat: 'a', notBefore: START + HOUR, body: '{"text":"scheduled"}' });
    await submit(road, { chat: 'b', body: '{"text":"frozen"}' });
    await road.run(5_000);
    stepMs = byMs;
    const said = (text: string) => road.calls.filter(({ body }) => body.includes(text)).length;
    await road.run(dueInMs - 10_000);
    expect(said('scheduled')).toBe(0);
    await road.run(10_000);
    expect(said('scheduled')).toBe(1);
    // Every forty minutes, whatever the wall clock says.
    expect(said('frozen')).toBe(
      1 + Math.floor(road.clock.now() / (40 * MINUTE) - START / (40 * MINUTE)),
    );
  });
});
