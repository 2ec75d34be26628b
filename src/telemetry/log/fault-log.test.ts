import { expect, test } from 'vitest';
import { virtualClock } from '../../system/virtual-clock.ts';
import { FAULT_LOG_EVERY_MS, faultLog } from './road-log.ts';

test('every fault is counted; a place is logged once a minute, with its stack and how often', async () => {
  const clock = virtualClock(1_700_000_000_000);
  const lines: Record<string, unknown>[] = [];
  const counts: string[] = [];
  const report = faultLog(
    clock,
    { error: (fields) => lines.push(fields as Record<string, unknown>) },
    (stage) => counts.push(stage),
  );
  const fail = () => report('attempt', new TypeError('broken'), { seq: 7 });
  fail();
  fail();
  fail();
  expect(counts).toHaveLength(3);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ stage: 'attempt', seq: 7, times: 1 });
  expect(String(lines[0]!.fault)).toMatch(/^TypeError at log\/fault-log\.test\.ts/);
  expect((lines[0]!.stack as string[]).length).toBeGreaterThan(0);
  report('recovery', new Error('elsewhere'), {});
  expect(lines).toHaveLength(2);
  await clock.run(clock.now() + FAULT_LOG_EVERY_MS);
  fail();
  expect(lines[2]).toMatchObject({ times: 3 });
});
