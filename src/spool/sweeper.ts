// Sweeps the spool now and then: at the start for what a crash left behind, later for what has been delivered.
// An empty spool costs nothing; a journal that cannot be asked is asked again.

import type { Clock } from '../system/clock.ts';
import { createRounds } from '../system/rounds.ts';
import type { Service } from '../system/service.ts';
import type { FileSpool } from './spool.ts';

export const SWEEP_EVERY_MS = 2_000;

export interface SweeperParts {
  readonly clock: Clock;
  readonly spool: FileSpool;
  // Which files deliveries still need.
  readonly inUse: () => Promise<readonly string[]>;
  readonly onFailure: (error: unknown) => void;
}

export function createSweeper({ clock, spool, inUse, onFailure }: SweeperParts): Service {
  return createRounds({
    clock,
    pauseMs: 0,
    everyMs: SWEEP_EVERY_MS,
    async step() {
      if (!spool.isEmpty) await spool.sweep(inUse);
      return false;
    },
    onFailure,
  });
}
