// The length of the queue as a log line at the start, at the end, and every minute in between: what a person
// looks for in the night's log. A quiet gateway writes nothing: there is a line only when something waits, is in flight
// or has moved since the last. Each platform's worker is named when it starts and stops, with what it has to do.

import type { RoadCounts } from '../../domain/event.ts';
import type { Clock, Timer } from '../../system/clock.ts';
import type { Service } from '../../system/service.ts';
import type { LineLog } from './line-log.ts';

export interface QueueDepths {
  readonly critical: number;
  readonly high: number;
  readonly normal: number;
  readonly low: number;
  readonly retry: number;
  readonly inFlight: number;
  readonly oldestDueAt: number | null;
  // Waiting or in flight, of each platform that has any.
  readonly platforms: Readonly<Record<string, number>>;
}

// What each platform's worker has to do: they share nothing but the process.
export interface WorkerDepth {
  readonly platform: string;
  readonly queued: number;
  readonly inFlight: number;
}

export interface QueueLogParts {
  readonly clock: Clock;
  readonly log: LineLog;
  // What the road has told since it began.
  readonly counts: () => RoadCounts;
  readonly depths: () => QueueDepths;
  // Of every platform, whether or not it has any work.
  readonly workers: () => readonly WorkerDepth[];
}

export const QUEUE_LOG_EVERY_MS = 60_000;

export function createQueueLog(parts: QueueLogParts): Service {
  const { clock, log, counts, depths, workers } = parts;
  let timer: Timer | null = null;
  let life: 'new' | 'running' | 'stopped' = 'new';
  let last = { ...counts() };

  const write = () => {
    const lengths = measure(depths(), clock.now());
    const now = { ...counts() };
    const accepted = now.accepted - last.accepted;
    const sent = now.sent - last.sent;
    const dead = now.dead - last.dead;
    last = now;
    if (lengths.waiting + lengths.inFlight + accepted + sent + dead === 0) return;
    log.info({ ...lengths, accepted, sent, dead }, 'queue');
  };
  const arm = () => {
    timer = clock.schedule(clock.now() + QUEUE_LOG_EVERY_MS, () => {
      write();
      arm();
    });
  };

  return {
    async start() {
      if (life !== 'new') return;
      life = 'running';
      log.info(measure(depths(), clock.now()), 'started');
      for (const worker of workers()) log.info(worker, 'worker started');
      arm();
    },
    async stop() {
      if (life === 'running') {
        for (const worker of workers()) log.info(worker, 'worker stopped');
        log.info(measure(depths(), clock.now()), 'stopped');
      }
      life = 'stopped';
      timer?.cancel();
    },
  };
}

function measure({ oldestDueAt, ...lengths }: QueueDepths, now: number) {
  const { critical, high, normal, low } = lengths;
  const oldestDueMs = oldestDueAt === null ? 0 : Math.max(0, Math.round(now - oldestDueAt));
  return { waiting: critical + high + normal + low, ...lengths, oldestDueMs };
}
