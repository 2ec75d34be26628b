// Keeps what happened in each minute of the last day: counted by the metrics, written once a minute in one
// small transaction, also what the last minute has when the gateway stops. Nothing waits for it.

import type { MinuteStore } from '../store/ports/minutes.ts';
import { drained, type Service } from '../system/service.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import type { Resources } from './resources.ts';

const MINUTE_MS = 60_000;
const MINUTES_KEPT = 1440;
const PRUNE_EVERY_MINUTES = 10;
const PRUNE_MAX = 5000;

type HistoryParts = Pick<Resources, 'periodic' | 'random' | 'journal'>;

// What is kept, and of this process what the minute that runs has by now: a gateway that has just started has sent
// something too.
export function minutesSoFar(
  { clock, journal }: Pick<Resources, 'clock' | 'journal'>,
  metrics: Pick<Metrics, 'minuteSoFar'>,
): Pick<MinuteStore, 'since'> {
  return {
    async since(asked) {
      const kept = await journal.minutes.since(asked);
      const running = metrics.minuteSoFar().filter(({ account }) => account === asked.account);
      const minute = Math.floor(clock.now() / MINUTE_MS);
      return [...kept, ...running.map((sum) => ({ minute, node: '', ...sum }))];
    },
  };
}

export function openHistory(
  { periodic, random, journal }: HistoryParts,
  metrics: Pick<Metrics, 'takeMinute'>,
): Service {
  const { clock } = periodic;
  // Another at every start: a minute may have been counted by the process before.
  const node = `${Math.floor(clock.now()).toString(36)}-${random.next().toString(36).slice(2, 8)}`;
  const minuteNow = () => Math.floor(clock.now() / MINUTE_MS);
  let life: 'new' | 'running' | 'stopped' = 'new';
  // The one that is counted.
  let minute = minuteNow();
  let last: Promise<void> = Promise.resolve();

  const write = async () => {
    // A timer may be early by less than a millisecond: what is saved again replaces what was.
    if (minuteNow() === minute && life === 'running') return;
    const over = minute;
    minute = minuteNow();
    const counted = metrics.takeMinute().map((sum) => ({ minute: over, node, ...sum }));
    if (counted.length > 0) await journal.minutes.save(counted);
    if (over % PRUNE_EVERY_MINUTES === 0) {
      await journal.minutes.prune({ before: over - MINUTES_KEPT, max: PRUNE_MAX });
    }
  };
  const job = periodic.job({
    name: 'save_minutes',
    everyMs: () => MINUTE_MS - (clock.now() % MINUTE_MS),
    run: write,
  });
  return {
    async start() {
      if (life !== 'new') return;
      life = 'running';
      minute = minuteNow();
      await job.start();
    },
    async stop(deadlineMs) {
      // Also what the last minute has.
      if (life === 'running') {
        life = 'stopped';
        last = job.now();
      }
      await drained(clock, [last], deadlineMs);
      await job.stop(0);
    },
  };
}
