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
// when the wall clock has been set by `stepMs`. `tells`: the platform's answers say the true time.
async function restarted(stepMs: number, boots: readonly [string, string], tells = false) {
  const dateOf = (aheadMs: number) => (now: number) => (tells ? now - aheadMs : null);
  const first = aRoad(() => limited(30 * MINUTE), {
    bootTime: () => ({ boot: boots[0], ms: UP }),
    dateOf: dateOf(7 * MINUTE),
  });
  await first.dispatch.start();
  await submit(first, { chat: 'frozen' });
  await first.run(10 * MINUTE);
  expect(first.calls).toHaveLength(1);
  await first.dispatch.stop(0);
  const second = aRoad(() => SENT, {
    disk: first.disk,
    startAt: START + 11 * MINUTE + stepMs,
    bootTime: () => ({ boot: boots[1], ms: UP + 11 * MINUTE }),
    dateOf: dateOf(7 * MINUTE + stepMs),
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

  const STEPS = [0, HOUR, -HOUR, 24 * HOUR, -24 * HOUR, 15 * MINUTE, -15 * MINUTE];

  test.each(STEPS)(
    'by %i ms and over a reboot: no freeze ends early, and the platform’s Date tells what is left',
    async (stepMs) => {
      const waited = await firstCallMs(await restarted(stepMs, ['one', 'two'], true));
      expect(waited).toBeGreaterThanOrEqual(19 * MINUTE);
      expect(waited).toBeLessThanOrEqual(20 * MINUTE);
    },
  );

  test.each(STEPS)(
    'by %i ms and over a reboot, without a Date: longer by the time it was down at most',
    async (stepMs) => {
      const waited = await firstCallMs(await restarted(stepMs, ['one', 'two']));
      expect(waited).toBeGreaterThanOrEqual(19 * MINUTE);
      // Nothing was written after the freeze began.
      expect(waited).toBeLessThanOrEqual(30 * MINUTE + MINUTE / 2);
    },
  );

  test.each(STEPS)('by %i ms over a reboot, and restarted before the Date is known', async (by) => {
    const second = await restarted(by, ['one', 'two']);
    await second.run(MINUTE);
    await second.dispatch.stop(0);
    const third = aRoad(() => SENT, {
      disk: second.disk,
      startAt: second.clock.now(),
      bootTime: () => ({ boot: 'two', ms: UP + 12 * MINUTE }),
    });
    await third.dispatch.start();
    const waited = await firstCallMs(third);
    expect(waited).toBeGreaterThanOrEqual(18 * MINUTE);
    expect(waited).toBeLessThanOrEqual(29 * MINUTE + MINUTE / 2);
  });

  test('and the Date that comes after two restarts still puts it right', async () => {
    const first = aRoad(() => limited(30 * MINUTE), {
      bootTime: () => ({ boot: 'one', ms: UP }),
      dateOf: (now) => now,
    });
    await first.dispatch.start();
    await submit(first, { chat: 'frozen' });
    await first.run(MINUTE);
    await first.dispatch.stop(0);
    const next = (down: number, boot: string, tells: boolean) =>
      aRoad(() => SENT, {
        disk: first.disk,
        startAt: START + HOUR + down * MINUTE,
        bootTime: () => ({ boot, ms: down * MINUTE }),
        dateOf: (now) => (tells ? now - HOUR : null),
      });
    const second = next(5, 'two', false);
    await second.dispatch.start();
    await second.dispatch.stop(0);
    const third = next(8, 'two', true);
    await third.dispatch.start();
    const waited = await firstCallMs(third);
    expect(waited).toBeGreaterThanOrEqual(22 * MINUTE);
    expect(waited).toBeLessThanOrEqual(23 * MINUTE);
  });

  test.each([HOUR, -HOUR])('by %i ms: a retry keeps its time over two restarts', async (stepMs) => {
    const down: Outcome = { kind: 'failed', reason: 'refused', detail: '', hostDown: false };
    const first = aRoad(() => down, { bootTime: () => ({ boot: 'boot', ms: UP }) });
    await first.dispatch.start();
    const seq = await submit(first, { chat: 'a' });
    await first.run(150);
    await first.dispatch.stop(0);
    const row = () => first.disk.deliveries.get(seq.kind === 'accepted' ? seq.queued.seq : 0)!;
    const [attempt] = first.disk.attempts;
    const before = { due: row().dueAt, started: attempt!.startedAt, entered: row().enterAt };
    expect(before.due).toBeGreaterThan(0);
    for (const ms of [200, 300]) {
      const again = aRoad(() => down, {
        disk: first.disk,
        startAt: START + ms + stepMs,
        bootTime: () => ({ boot: 'boot', ms: UP + ms }),
      });
      await again.dispatch.start();
      await again.dispatch.stop(0);
      expect(row().dueAt).toBe(before.due + stepMs);
      expect(row().enterAt).toBe(before.entered + stepMs);
      expect(first.disk.attempts[0]!.startedAt).toBe(before.started + stepMs);
    }
  });

  test.each(['boot', 'other'])(
    'forwards, into the boot “%s”: what went out lately still counts in its window',
    async (boot) => {
      const first = aRoad(() => SENT, { bootTime: () => ({ boot: 'boot', ms: UP }) });
      await first.dispatch.start();
      await submit(first, { chat: 'a', body: '{"text":"1"}' });
      await submit(first, { chat: 'a', body: '{"text":"2"}' });
      await first.run(150);
      await first.dispatch.stop(0);
      for (const ms of [200, 300]) {
        const again = aRoad(() => SENT, {
          disk: first.disk,
          startAt: START + ms + HOUR,
          bootTime: () => ({ boot, ms: UP + ms }),
        });
        await again.dispatch.start();
        await again.run(300);
        expect(again.calls).toEqual([]);
        await again.dispatch.stop(0);
      }
    },
  );
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
  // Accepted before it is noticed, too.
  test.each([HOUR, -HOUR])(
    'by %i ms: what is scheduled after it goes on time, also after a restart',
    async (byMs) => {
      let stepMs = 0;
      const clocks = { stepMs: () => stepMs, bootTime: () => ({ boot: 'boot', ms: UP }) };
      const road = aRoad(() => SENT, clocks);
      await road.dispatch.start();
      stepMs = byMs;
      // Twenty minutes from now, by either clock.
      await submit(road, { chat: 'a', notBefore: START + 20 * MINUTE });
      await submit(road, { chat: 'b', notBefore: START + 20 * MINUTE });
      await road.run(19 * MINUTE);
      expect(road.calls).toEqual([]);
      await road.dispatch.stop(0);
      const next = aRoad(() => SENT, {
        disk: road.disk,
        startAt: road.clock.now() + byMs,
        bootTime: () => ({ boot: 'boot', ms: UP + 19 * MINUTE }),
      });
      await next.dispatch.start();
      await next.run(MINUTE - 1000);
      expect(next.calls).toEqual([]);
      await next.run(2000);
      expect(next.calls).toHaveLength(2);
    },
  );

  test('what is scheduled after it goes on time without a restart', async () => {
    let stepMs = 0;
    const road = aRoad(() => SENT, { stepMs: () => stepMs });
    await road.dispatch.start();
    stepMs = -HOUR;
    await submit(road, { chat: 'a', notBefore: START + 20 * MINUTE });
    await road.run(20 * MINUTE - 1000);
    expect(road.calls).toEqual([]);
    await road.run(2000);
    expect(road.calls).toHaveLength(1);
  });
});
