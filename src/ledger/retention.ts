// Forgets what ended long ago, a small step at a time: each step is one short transaction, and the
// next one waits its turn, so that retention never stands in the way of an accept or a settle.

import type { Periodic, PeriodicJob } from '../system/periodic.ts';

export interface RetentionSettings {
  // How long a delivery is kept that needs nobody any more, and one that may (dead, uncertain).
  readonly keepMs: number;
  readonly keepDeadMs: number;
  // At most this many per step, and this long between two steps while there is more.
  readonly stepMax: number;
  readonly pauseMs: number;
  // How often to look when there was nothing more.
  readonly everyMs: number;
}

export interface PruneStep {
  readonly endedBefore: number;
  readonly deadBefore: number;
  readonly max: number;
}

export interface RetentionParts {
  readonly periodic: Periodic;
  // Of the job.
  readonly name: string;
  // The journal's; says how many it removed.
  readonly prune: (command: PruneStep) => Promise<number>;
}

export function createRetention(parts: RetentionParts, settings: RetentionSettings): PeriodicJob {
  const { periodic, name, prune } = parts;
  const { keepMs, keepDeadMs, stepMax, pauseMs, everyMs } = settings;
  return periodic.job({
    name,
    everyMs,
    firstMs: 0,
    async run(job) {
      const now = periodic.clock.now();
      const command = { endedBefore: now - keepMs, deadBefore: now - keepDeadMs, max: stepMax };
      if ((await prune(command)) === stepMax) job.within(pauseMs);
    },
  });
}
