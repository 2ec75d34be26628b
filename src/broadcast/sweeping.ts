// Forgets broadcasts that ended long ago, and audiences nobody needs, a small step at a time, so that an audience of
// millions goes without holding up a commit.

import type { BroadcastStore } from '../store/ports/broadcasts.ts';
import type { Clock } from '../system/clock.ts';
import { createRounds } from '../system/rounds.ts';
import type { Service } from '../system/service.ts';

export interface SweepingParts {
  readonly clock: Clock;
  readonly sweep: BroadcastStore['sweep'];
  readonly keepMs: number;
  readonly log: { warn(fields: object, message: string): void };
}

const STEP_MAX = 500;
const PAUSE_MS = 20;
const EVERY_MS = 60_000;

export function createSweeping({ clock, sweep, keepMs, log }: SweepingParts): Service {
  return createRounds({
    clock,
    pauseMs: PAUSE_MS,
    everyMs: EVERY_MS,
    async step() {
      const removed = await sweep({ endedBefore: clock.now() - keepMs, max: STEP_MAX });
      return removed === STEP_MAX;
    },
    onFailure: (error) => log.warn({ err: error }, 'could not forget old broadcasts; trying again'),
  });
}
