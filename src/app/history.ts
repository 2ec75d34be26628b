// Keeps what happened in each minute of the last day: counted by the metrics, written once a minute in one
// small transaction, also what the last minute has when the gateway stops. Nothing waits for it.

import type { MinuteStore } from '../store/ports/minutes.ts';
import type { Timer } from '../system/clock.ts';
import { drained, type Service } from '../system/service.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import type { Resources } from './resources.ts';

const MINUTE_MS = 60_000;
const MINUTES_KEPT = 1440;
const PRUNE_EVERY_MINUTES = 10;
const PRUNE_MAX = 5000;

type HistoryParts = Pick<Resources, 'clock' | 'random' | 'journal'> & {
  readonly log: Pick<Resources['log'], 'warn'>;
};

// What is kept, and of this process what the minute that runs has by now: a gateway that has just started has sent
// something too.
export function minutesSoFar(
  { clock, journal }: Pick<HistoryParts, 'clock' | 'journal'>,
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
  { clock, random, log, journal }: HistoryParts,
  metrics: Pick<Metrics, 'takeMinute'>,
): Service {
  // Another at every start: a minute may have been counted by the process before.
  const node = `${Math.floor(clock.now()).toString(36)}-${random.next().toString(36).slice(2, 8)}`;
  let timer: Timer | null = null;
  let isStopped = false;
  let writing: Promise<void> = Promise.resolve();

  const write = async (minute: number) => {
    const counted = metrics.takeMinute().map((sum) => ({ minute, node, ...sum }));
    try {
      if (counted.length > 0) await journal.minutes.save(counted);
      if (minute % PRUNE_EVERY_MINUTES === 0) {
        await journal.minutes.prune({ before: minute - MINUTES_KEPT, max: PRUNE_MAX });
      }
    } catch (error) {
      log.warn({ err: error }, 'could not save the statistics of a minute; going on with the next');
    }
  };
  const minuteNow = () => Math.floor(clock.now() / MINUTE_MS);
  const later = () => {
    const minute = minuteNow();
    timer = clock.schedule((minute + 1) * MINUTE_MS, () => {
      writing = writing.then(() => write(minute));
      later();
    });
  };
  return {
    async start() {
      if (!isStopped && timer === null) later();
    },
    async stop(deadlineMs) {
      if (!isStopped && timer !== null) {
        timer.cancel();
        writing = writing.then(() => write(minuteNow()));
      }
      isStopped = true;
      await drained(clock, [writing], deadlineMs);
    },
  };
}
