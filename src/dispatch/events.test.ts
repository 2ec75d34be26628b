import { expect, test } from 'vitest';
import type { RoadEvent } from '../domain/event.ts';
import type { Outcome } from '../domain/outcome.ts';
import { aRoad, SENT, START, submit } from './dispatch.fixture.ts';

const BROKEN: Outcome = { kind: 'failed', reason: 'x', detail: '', hostDown: false };

function attempts(events: readonly RoadEvent[]) {
  return events.flatMap((event) => (event.kind === 'attempted' ? [event] : []));
}

test('what a try waited counts from when it was due, not from when the message came', async () => {
  const { dispatch, road, events, run } = aRoad((_call, nth) => (nth === 1 ? BROKEN : SENT));
  await dispatch.start();
  await submit(road);
  await run(60_000);
  const [first, second] = attempts(events);
  expect(first).toMatchObject({ n: 1, outcome: 'failed' });
  expect(second).toMatchObject({ n: 2, outcome: 'sent' });
  expect(first!.waitedMs).toBe(0);
  const due = events.flatMap((event) => (event.kind === 'moved' ? [event.dueAt] : []));
  const dueAt = Math.max(...due);
  expect(dueAt).toBeGreaterThan(first!.at);
  const startedAt = second!.at - second!.tookMs;
  expect(second!.waitedMs).toBeCloseTo(startedAt - dueAt, 3);
});

test('nor does the time count that a caller asked to wait; a queue before it does', async () => {
  const { dispatch, road, events, run } = aRoad(() => SENT);
  await dispatch.start();
  const notBefore = START + 10_000;
  await submit(road, { notBefore });
  await submit(road, { notBefore });
  await run(60_000);
  const [first, second] = attempts(events);
  expect(first!.waitedMs).toBeLessThan(50);
  // One message a second to a chat.
  expect(second!.waitedMs).toBeGreaterThanOrEqual(1_000);
  expect(second!.waitedMs).toBeLessThan(1_200);
});
