import { expect, test } from 'vitest';
import { Periodic } from '../../system/periodic.ts';
import { serviceContract } from '../../system/service.contract.ts';
import { virtualClock } from '../../system/virtual-clock.ts';
import { createQueueLog, QUEUE_LOG_EVERY_MS, type QueueDepths } from './queue-log.ts';

const NOTHING: QueueDepths = {
  ...{ critical: 0, high: 0, normal: 0, low: 0 },
  ...{ retry: 0, inFlight: 0, oldestDueAt: null, platforms: {} },
};

function open(depths: () => QueueDepths) {
  const clock = virtualClock(1_000_000);
  const lines: object[] = [];
  const info = (fields: object, message: string) => lines.push({ message, ...fields });
  const silent = () => expect.unreachable();
  const log = { debug: silent, warn: silent, error: silent, info };
  const told = { accepted: 7, sent: 5, limited: 0, failed: 0, dead: 1, events: 20 };
  const counts = () => told;
  const workers = () => [
    { platform: 'telegram', queued: depths().low, inFlight: 1 },
    { platform: 'terminal', queued: 0, inFlight: 0 },
  ];
  const periodic = new Periodic(clock);
  const queueLog = createQueueLog({ periodic, log, counts, depths, workers });
  return { clock, lines, told, queueLog };
}

serviceContract('the queue log', async () => {
  const { clock, lines, queueLog } = open(() => ({ ...NOTHING, low: 1 }));
  return { service: queueLog, clock, deeds: () => lines.length, work: null };
});

test('a line a minute while something waits or moves; none in a quiet gateway', async () => {
  let depths = NOTHING;
  const { clock, lines, told, queueLog } = open(() => depths);
  const minute = () => clock.run(clock.now() + QUEUE_LOG_EVERY_MS);
  await queueLog.start();
  await minute();
  expect(lines.splice(0)).toMatchObject([
    { message: 'started', waiting: 0 },
    { message: 'worker started', platform: 'telegram', queued: 0, inFlight: 1 },
    { message: 'worker started', platform: 'terminal', queued: 0, inFlight: 0 },
  ]);

  const platforms = { telegram: 4, terminal: 1 };
  depths = { ...NOTHING, high: 2, low: 3, retry: 1, oldestDueAt: clock.now(), platforms };
  await minute();
  const lengths = { waiting: 5, high: 2, low: 3, retry: 1, platforms };
  expect(lines).toEqual([expect.objectContaining({ ...lengths, oldestDueMs: 60_000 })]);

  depths = NOTHING;
  told.accepted += 1;
  await minute();
  await minute();
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatchObject({ waiting: 0, accepted: 1, sent: 0 });
  depths = { ...NOTHING, low: 3 };
  await queueLog.stop(0);
  await queueLog.stop(0);
  expect(lines.slice(2)).toMatchObject([
    { message: 'worker stopped', platform: 'telegram', queued: 3, inFlight: 1 },
    { message: 'worker stopped', platform: 'terminal', queued: 0, inFlight: 0 },
    { message: 'stopped', waiting: 3 },
  ]);
});
