import { expect, test } from 'vitest';
import type { LiveReading } from '../domain/live.ts';
import { Periodic } from '../system/periodic.ts';
import { serviceContract } from '../system/service.contract.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { createSummary } from './summary.ts';

const LIMITED = {
  kind: 'attempted',
  at: 0,
  about: {
    ...{ seq: 1, id: 'a-1', account: 'telegram:1', chat: '1', lane: '' },
    ...{ method: 'sendMessage', priority: 'normal' },
  },
  ...{ n: 1, outcome: 'limited', reason: null, tookMs: 1, waitedMs: 1 },
  ...{ retryAfterMs: 3000, payload: null },
} as const;

serviceContract('the cadence summary', async () => {
  const clock = virtualClock(100_000);
  let deeds = 0;
  const read = () => {
    deeds += 1;
    return [];
  };
  const service = createSummary({
    periodic: new Periodic(clock),
    log: { info: () => {} },
    everyMs: 1000,
    read,
  });
  return { service, clock, deeds: () => deeds, work: null };
});

function aSummary(readings: LiveReading[]) {
  const lines: { fields: object; message: string }[] = [];
  const clock = virtualClock(100_000);
  const log = { info: (fields: object, message: string) => lines.push({ fields, message }) };
  const periodic = new Periodic(clock);
  const summary = createSummary({ periodic, log, everyMs: 60_000, read: () => readings });
  return { summary, lines, clock };
}

test('a gateway without live output writes nothing, whatever else is limited', async () => {
  const { summary, lines, clock } = aSummary([]);
  await summary.start();
  summary.listen(LIMITED as never);
  await clock.run(400_000);
  await summary.stop(0);
  expect(lines).toEqual([]);
});

test('one line per platform and interval says how it stands', async () => {
  const waits = Array.from({ length: 7 }, (_, i) => ({ session: `s${i}`, since: 90_000 + i }));
  const reading = { platform: 'telegram', streams: 20, activeSessions: 19, finalsWaiting: 1 };
  const { summary, lines, clock } = aSummary([{ ...reading, tickMsMax: 75_000, waits }]);
  await summary.start();
  const shown = { kind: 'shown', platform: 'telegram', session: 's0', staleMs: 5 } as const;
  for (let i = 0; i < 3; i++) summary.publish(shown);
  summary.publish({ kind: 'superseded', platform: 'telegram' });
  summary.publish({ kind: 'final', platform: 'telegram', reason: null });
  summary.publish({ kind: 'final', platform: 'telegram', reason: 'producer_silent' });
  summary.listen(LIMITED as never);
  await clock.run(160_000);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    message: 'Output cadence summary',
    fields: {
      ...{ platform: 'telegram', streams: 20, activeSessions: 19, waiting: 7, finalsWaiting: 1 },
      ...{ tickMs: 75_000, shown: 3, superseded: 1, finals: 2, silent: 1 },
      ...{ limited: 1, retryAfterMs: 3000 },
    },
  });
  const { longestWaits } = lines[0]!.fields as { longestWaits: unknown[] };
  expect(longestWaits).toHaveLength(5);
  expect(longestWaits[0]).toEqual({ session: 's0', waitMs: 70_000 });
  await clock.run(220_000);
  expect(lines[1]).toMatchObject({ fields: { shown: 0, limited: 0 } });
  await summary.stop(0);
  expect(lines).toHaveLength(3);
});
