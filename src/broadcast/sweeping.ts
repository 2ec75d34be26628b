// Forgets broadcasts that ended long ago, and audiences nobody needs, a small step at a time, so that an audience of
// millions goes without holding up a commit.

import type { BroadcastStore } from '../store/ports/broadcasts.ts';
import type { Periodic, PeriodicJob } from '../system/periodic.ts';

export interface SweepingParts {
  readonly periodic: Periodic;
  readonly sweep: BroadcastStore['sweep'];
  readonly keepMs: number;
}

const STEP_MAX = 500;
const PAUSE_MS = 20;
const EVERY_MS = 60_000;

export function createSweeping({ periodic, sweep, keepMs }: SweepingParts): PeriodicJob {
  return periodic.job({
    name: 'forget_broadcasts',
    everyMs: EVERY_MS,
    firstMs: 0,
    async run(job) {
      const removed = await sweep({ endedBefore: periodic.clock.now() - keepMs, max: STEP_MAX });
      if (removed === STEP_MAX) job.within(PAUSE_MS);
    },
  });
}
