// A new process takes over with the budget the old one had left: no fresh one, and no smaller one.

import { expect, test } from 'vitest';
import type { Outcome } from '../domain/outcome.ts';
import { aRoad, SENT, START, submit } from './dispatch.fixture.ts';

// One message a second to a chat.
const WINDOW_MS = 1_000;

// Ends a process after its first call came to `outcome`; when the next one calls the same chat.
async function callAfterRestart(outcome: Outcome): Promise<number> {
  const first = aRoad(() => outcome);
  await first.dispatch.start();
  await submit(first.road);
  await first.run(150);
  expect(first.calls).toHaveLength(1);
  let calledAt = Number.POSITIVE_INFINITY;
  const second = aRoad(
    () => {
      calledAt = Math.min(calledAt, second.clock.now());
      return SENT;
    },
    { disk: first.disk },
  );
  await second.run(150);
  await second.dispatch.start();
  await submit(second.road);
  await second.run(10 * WINDOW_MS);
  return calledAt - START;
}

test('a call that was made has used its room', async () => {
  expect(await callAfterRestart(SENT)).toBeGreaterThanOrEqual(WINDOW_MS);
  const lost: Outcome = { kind: 'uncertain', reason: 'reset', detail: '' };
  expect(await callAfterRestart(lost)).toBeGreaterThanOrEqual(WINDOW_MS);
});

test('a call that the platform limited has not: it goes when the platform said', async () => {
  const limited: Outcome = { kind: 'limited', retryAfterMs: 300, scope: 'chat', result: '' };
  const at = await callAfterRestart(limited);
  expect(at).toBeGreaterThanOrEqual(400);
  expect(at).toBeLessThan(WINDOW_MS);
});

test('what the platform said of calls that are passed through holds for the next process', async () => {
  const first = aRoad(() => SENT);
  await first.dispatch.start();
  const until = first.clock.now() + 60_000;
  first.road.limitPassed('telegram:1', 'getChat', until);
  await first.run(150);
  const second = aRoad(() => SENT, { disk: first.disk });
  await second.run(150);
  await second.dispatch.start();
  expect(second.road.passWait('telegram:1', 'getchat')).toBe(until);
  expect(second.road.passWait('telegram:1', 'getMe')).toBe(0);
  for (const { road } of [first, second]) {
    const [own] = road.limits('telegram:1');
    const told = { scope: 'method', until, cause: expect.stringContaining('wait 60 s') };
    expect(own).toMatchObject({ chat: '', freezes: [{ ...told, method: 'getchat' }] });
    expect(road.freezes()).toMatchObject([{ ...told, name: 'getchat', account: 'telegram:1' }]);
  }
  expect(await second.road.thaw({ account: 'telegram:1', chat: 'a' })).toBe(0);
  expect(await second.road.thaw({ account: 'telegram:1', chat: null })).toBe(1);
  expect(second.road.freezes()).toEqual([]);
  expect(second.road.passWait('telegram:1', 'getchat')).toBe(0);
});

test('of an account that gave way before the platform answered nothing is kept', async () => {
  const { dispatch, road, disk, clock, run } = aRoad(() => SENT);
  await dispatch.start();
  road.limitPassed('telegram:7', 'getChat', clock.now() + 60_000);
  await run(1000);
  expect(road.passWait('telegram:7', 'getChat')).toBe(0);
  expect(dispatch.state.owners.known('telegram:7')).toBeNull();
  expect([...disk.limits.keys()].filter((key) => key.includes('telegram:7'))).toEqual([]);
});
