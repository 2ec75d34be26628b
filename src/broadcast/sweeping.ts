// Forgets broadcasts that ended long ago, and audiences nobody needs, a small step at a time, so that an audience of
// millions goes without holding up a commit.

import type { Broadcasts } from '../journal/journal.ts';
import type { Clock, Timer } from '../system/clock.ts';
import { drained, type Service } from '../system/service.ts';

export interface SweepingParts {
  readonly clock: Clock;
  readonly sweep: Broadcasts['sweep'];
  readonly keepMs: number;
  readonly log: { warn(fields: object, message: string): void };
}

const STEP_MAX = 500;
const PAUSE_MS = 20;
const EVERY_MS = 60_000;

export function createSweeping({ clock, sweep, keepMs, log }: SweepingParts): Service {
  let timer: Timer | null = null;
  let step: Promise<void> = Promise.resolve();
  let life: 'new' | 'running' | 'stopped' = 'new';

  const arm = (delayMs: number) => {
    timer = clock.schedule(clock.now() + delayMs, () => {
      step = forget();
    });
  };
  const forget = async () => {
    let removed = 0;
    try {
      removed = await sweep({ endedBefore: clock.now() - keepMs, max: STEP_MAX });
    } catch (error) {
      log.warn({ err: error }, 'could not forget old broadcasts; trying again');
    }
    if (life === 'running') arm(removed === STEP_MAX ? PAUSE_MS : EVERY_MS);
  };

  return {
    async start() {
      if (life !== 'new') return;
      life = 'running';
      arm(0);
    },
    async stop(deadlineMs) {
      life = 'stopped';
      timer?.cancel();
      await drained(clock, [step], deadlineMs);
    },
  };
}
