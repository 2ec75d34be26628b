import { expect, test } from 'vitest';
import type { Prospect } from '../road/road.ts';
import { aRoad, SENT, START, submit } from './dispatch.fixture.ts';

const CALL: Prospect = {
  account: 'fake:1',
  chat: 'c',
  user: null,
  family: 'send',
  budget: 'open',
  live: true,
  cost: 1,
};

test('a chat that nothing holds back is open at once', () => {
  const { road } = aRoad(() => SENT);
  expect(road.earliest(CALL)).toBeLessThanOrEqual(START);
  expect(road.hindrance(CALL)).toBeNull();
});

test('a call under way, a used window, a freeze and a pause are told before a call is made', async () => {
  const wait = { kind: 'limited', retryAfterMs: 7_200_000, scope: 'chat', result: '' } as const;
  const { road, dispatch, run } = aRoad((_call, nth) => (nth === 1 ? SENT : wait));
  await dispatch.start();
  await submit(road);
  await run(50);
  expect(road.earliest(CALL)).toBe(Number.POSITIVE_INFINITY);
  await run(100);
  expect(road.earliest(CALL)).toBeGreaterThan(START + 900);
  expect(road.earliest({ ...CALL, chat: 'other' })).toBeLessThanOrEqual(START + 150);
  expect(road.hindrance(CALL)).toMatch(/^this chat takes .*; 1 was sent; expected in/);
  await submit(road);
  await run(2_000);
  expect(road.earliest(CALL)).toBeGreaterThan(START + 7_000_000);
  expect(road.hindrance(CALL)).toMatch(/chat c is frozen.*expected in 2 h/);
  await road.pause('fake:1');
  expect(road.earliest({ ...CALL, chat: 'other' })).toBe(Number.POSITIVE_INFINITY);
  expect(road.hindrance({ ...CALL, chat: 'other' })).toContain('paused');
});

test('what waits has not begun, what is in flight has', async () => {
  const { road, dispatch, run } = aRoad(() => SENT);
  await dispatch.start();
  const first = await submit(road);
  const second = await submit(road);
  await run(50);
  expect([road.isWaiting(first), road.isWaiting(second)]).toEqual([false, true]);
});
