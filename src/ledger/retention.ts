// Forgets what ended long ago, a small step at a time: each step is one short transaction, and the
// next one waits its turn, so that retention never stands in the way of an accept or a settle.

import type { Clock } from '../system/clock.ts';
import { createRounds } from '../system/rounds.ts';
import type { Service } from '../system/service.ts';

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
  readonly clock: Clock;
  // The journal's; says how many it removed.
  readonly prune: (command: PruneStep) => Promise<number>;
  // The store could not be written: retention pauses, and looks again at its next round.
  readonly onFailure: (error: unknown) => void;
}

export function createRetention(parts: RetentionParts, settings: RetentionSettings): Service {
  const { clock, prune, onFailure } = parts;
  const { keepMs, keepDeadMs, stepMax, pauseMs, everyMs } = settings;
  return createRounds({
    clock,
    pauseMs,
    everyMs,
    onFailure,
    async step() {
      const now = clock.now();
      const command = { endedBefore: now - keepMs, deadBefore: now - keepDeadMs, max: stepMax };
      return (await prune(command)) === stepMax;
    },
  });
}
