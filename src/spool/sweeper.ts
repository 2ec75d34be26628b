// Sweeps the spool now and then: at the start for what a crash left behind, later for what has been delivered.
// An empty spool costs nothing; a journal that cannot be asked is asked again.

import type { Periodic, PeriodicJob } from '../system/periodic.ts';
import type { FileSpool } from './spool.ts';

export const SWEEP_EVERY_MS = 2_000;

export interface SweeperParts {
  readonly periodic: Periodic;
  readonly spool: FileSpool;
  // Which files deliveries still need.
  readonly inUse: () => Promise<readonly string[]>;
}

export function createSweeper({ periodic, spool, inUse }: SweeperParts): PeriodicJob {
  return periodic.job({
    name: 'sweep_spool',
    everyMs: SWEEP_EVERY_MS,
    firstMs: 0,
    async run() {
      if (!spool.isEmpty) await spool.sweep(inUse);
    },
  });
}
