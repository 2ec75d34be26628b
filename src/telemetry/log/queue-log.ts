// The length of the queue as a log line at the start, at the end, and every minute in between: what a person
// looks for in the night's log. A quiet house writes nothing: there is a line only when something waits, flies
// or has moved since the last.

import type { RoadListener } from '../../domain/event.ts';
import type { Clock, Timer } from '../../system/clock.ts';
import type { Service } from '../../system/service.ts';
import type { LineLog } from './road-log.ts';

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

export interface QueueLogParts {
  readonly clock: Clock;
  readonly log: LineLog;
  readonly depths: () => QueueDepths;
}

export const QUEUE_LOG_EVERY_MS = 60_000;

export function createQueueLog(parts: QueueLogParts): Service & { readonly listen: RoadListener } {
  const { clock, log, depths } = parts;
  let timer: Timer | null = null;
  let life: 'new' | 'running' | 'stopped' = 'new';
  let since = { accepted: 0, sent: 0, dead: 0 };

  const tell = () => {
    const lengths = measure(depths(), clock.now());
    const moved = since.accepted + since.sent + since.dead;
    if (lengths.waiting + lengths.inFlight + moved > 0) log.info({ ...lengths, ...since }, 'queue');
    since = { accepted: 0, sent: 0, dead: 0 };
  };
  const arm = () => {
    timer = clock.schedule(clock.now() + QUEUE_LOG_EVERY_MS, () => {
      tell();
      arm();
    });
  };

  return {
    listen(event) {
      if (event.kind === 'accepted') since.accepted += 1;
      else if (event.kind === 'moved' && event.to === 'sent') since.sent += 1;
      else if (event.kind === 'moved' && event.to === 'dead') since.dead += 1;
    },
    async start() {
      if (life !== 'new') return;
      life = 'running';
      log.info(measure(depths(), clock.now()), 'started');
      arm();
    },
    async stop() {
      if (life === 'running') log.info(measure(depths(), clock.now()), 'stopped');
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
