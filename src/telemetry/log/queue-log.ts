// The length of the queue as a log line at the start, at the end, and every minute in between: what a person
// looks for in the night's log. A quiet gateway writes nothing: there is a line only when something waits, is in flight
// or has moved since the last. Each platform's worker is named when it starts and stops, with what it has to do.

import type { RoadCounts } from '../../domain/event.ts';
import type { Periodic } from '../../system/periodic.ts';
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
  readonly periodic: Periodic;
  readonly log: LineLog;
  // What the road has told since it began.
  readonly counts: () => RoadCounts;
  readonly depths: () => QueueDepths;
  // Of every platform, whether or not it has any work.
  readonly workers: () => readonly WorkerDepth[];
}

export const QUEUE_LOG_EVERY_MS = 60_000;

export function createQueueLog(parts: QueueLogParts): Service {
  const { periodic, log, counts, depths, workers } = parts;
  const { clock } = periodic;
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
  const job = periodic.job({ name: 'log_queue', everyMs: QUEUE_LOG_EVERY_MS, run: write });

  return {
    async start() {
      if (life !== 'new') return;
      life = 'running';
      log.info(measure(depths(), clock.now()), 'started');
      for (const worker of workers()) log.info(worker, 'worker started');
      await job.start();
    },
    async stop(deadlineMs) {
      if (life === 'running') {
        for (const worker of workers()) log.info(worker, 'worker stopped');
        log.info(measure(depths(), clock.now()), 'stopped');
      }
      life = 'stopped';
      await job.stop(deadlineMs);
    },
  };
}

function measure({ oldestDueAt, ...lengths }: QueueDepths, now: number) {
  const { critical, high, normal, low } = lengths;
  const oldestDueMs = oldestDueAt === null ? 0 : Math.max(0, Math.round(now - oldestDueAt));
  return { waiting: critical + high + normal + low, ...lengths, oldestDueMs };
}
