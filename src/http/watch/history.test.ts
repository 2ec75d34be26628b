import { expect, test } from 'vitest';
import { WAIT_CLASSES, waitClassOf } from '../../domain/wait-histogram.ts';
import { ALL_ACCOUNTS } from '../../store/ports/minutes.ts';
import { AUTH, bench, START } from '../context.fixture.ts';
import { seriesOf } from './history.ts';

const MINUTE = Math.floor(START / 60_000);

function aSum(minute: number, waitsMs: readonly number[], more: object = {}) {
  const waits = Array.from({ length: WAIT_CLASSES }, () => 0);
  for (const ms of waitsMs) waits[waitClassOf(ms)]! += 1;
  const counts = { sent: waitsMs.length, failed: 1, dead: 0, waits };
  return { minute, account: ALL_ACCOUNTS, node: 'a', ...counts, ...more };
}

test('minutes of several processes are added up, step by step', () => {
  const found = [aSum(100, [10]), aSum(100, [20], { node: 'b' }), aSum(104, []), aSum(105, [4000])];
  const { until, stepS, sent, failed, p50Ms } = seriesOf(found, 100, 115, 5);
  expect({ until, stepS }).toEqual({ until: 115 * 60, stepS: 300 });
  expect(sent).toEqual([2, 1, 0]);
  expect(failed).toEqual([3, 1, 0]);
  expect(p50Ms[0]).toBeLessThanOrEqual(50);
  expect(p50Ms[1]).toBeGreaterThan(2000);
  expect(p50Ms[2]).toBeNull();
});

test('the last hours, of all or of one account; nothing is refused but what is no hour', async () => {
  const { app, journal } = await bench();
  const own = aSum(MINUTE - 1, [7], { account: 'telegram:42', sent: 3 });
  await journal.minutes.save([aSum(MINUTE - 3, [1, 2]), aSum(MINUTE - 300, [1]), own]);
  const ask = async (query: string) => {
    const answer = await app.inject({ url: `/v1/history?${query}`, headers: AUTH });
    return { status: answer.statusCode, body: answer.json() };
  };
  const { body: short } = await ask('hours=1');
  expect(short.sent).toHaveLength(60);
  expect(short.sent.at(-4)).toBe(2);
  expect(short.until).toBe((MINUTE + 1) * 60);
  expect(short.stepS).toBe(60);
  const { body: day } = await ask('');
  expect(day.sent).toHaveLength(288);
  expect(day.sent.reduce((a: number, b: number) => a + b, 0)).toBe(3);
  const { body: one } = await ask('account=telegram:42&hours=2');
  expect(one.sent.at(-2)).toBe(3);
  expect((await ask('hours=25')).status).toBe(422);
  await app.close();
});
