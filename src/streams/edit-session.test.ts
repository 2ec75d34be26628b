import { expect, test } from 'vitest';
import { aDelivery } from '../domain/delivery.fixture.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { EditSession, togetherMs } from './edit-session.ts';

const QUIET_MS = 1_000;

// When it is taken for quiet, where each timer comes so much late.
async function quietAt(lateMs: (nth: number) => number): Promise<number> {
  const virtual = virtualClock(0);
  let nth = 0;
  const clock = {
    ...virtual,
    schedule: (at: number, run: () => void) => virtual.schedule(at + lateMs(nth++), run),
  };
  let at = Number.POSITIVE_INFINITY;
  new EditSession('a', aDelivery({}), '7', 0).whenQuiet(clock, QUIET_MS, () => {
    at = virtual.now();
  });
  await virtual.run(60_000);
  return at;
}

test('after the process stood still what came in meanwhile is read first', async () => {
  expect(await quietAt(() => 0)).toBe(QUIET_MS);
  expect(await quietAt((nth) => (nth === 0 ? 300 : 0))).toBe(QUIET_MS + 300 + 300);
});

test('where every timer is late the last text is shown all the same', async () => {
  expect(await quietAt(() => 60)).toBeLessThan(2 * QUIET_MS);
});

test('one waits for those that fall silent together with it, and for no others', () => {
  const clock = virtualClock(0);
  const quietAfter = (ms: number) => {
    const session = new EditSession('a', aDelivery({}), '7', 0);
    session.whenQuiet(clock, ms, () => {});
    return session;
  };
  const [now, soon, later] = [quietAfter(1_000), quietAfter(1_300), quietAfter(3_000)];
  expect(togetherMs([later, new EditSession('a', aDelivery({}), '7', 0)], 1_000)).toBe(0);
  expect(togetherMs([now, later], 1_000)).toBeGreaterThan(0);
  const waitMs = togetherMs([now, soon, later], 1_000);
  expect(waitMs).toBeGreaterThan(300);
  expect(waitMs).toBeLessThan(500);
});

test('what was not taken is no live output, unless another edit was meanwhile', async () => {
  const session = new EditSession('a', aDelivery({}), '7', 0);
  expect(session.isLive).toBe(false);
  await session.asLive(async () => ({ kind: 'full', waiting: 1, queueMax: 1 }));
  expect(session.isLive).toBe(false);
  await expect(session.asLive(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(session.isLive).toBe(false);
  session.held = 3;
  await session.asLive(async () => ({ kind: 'full', waiting: 1, queueMax: 1 }));
  expect(session.isLive).toBe(true);
});
