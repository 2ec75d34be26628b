import { expect, test } from 'vitest';
import { virtualClock } from '../../system/virtual-clock.ts';
import { FULL_LOG_EVERY_MS, fullLog } from './road-log.ts';

test('tells the first refusal of a queue, then how many there were in a minute', async () => {
  const clock = virtualClock(0);
  const told: object[] = [];
  const tell = fullLog(clock, { warn: (fields, message) => told.push({ ...fields, message }) });
  const own = { account: 'telegram:1' as const, waiting: 10, queueMax: 10 };
  tell(own);
  for (let i = 0; i < 41; i++) tell(own);
  tell({ ...own, platform: 'telegram' });
  expect(told).toEqual([
    {
      message: 'queue full',
      queue: 'telegram:1',
      platform: 'telegram',
      account: 'telegram:1',
      waiting: 10,
      queueMax: 10,
      unit: 'deliveries',
      refused: 1,
    },
    expect.objectContaining({ queue: 'telegram', refused: 1 }),
  ]);
  await clock.run(FULL_LOG_EVERY_MS);
  tell(own);
  expect(told[2]).toMatchObject({ queue: 'telegram:1', refused: 42 });
});
