// Forgets what ended long ago, a small step at a time: each step is one short transaction, and the
// next one waits its turn, so that retention never stands in the way of an accept or a settle.

import type { Clock, Timer } from '../system/clock.ts';
import type { Service } from '../system/service.ts';

export interface RetentionSettings {
  // How long an ended delivery is kept.
  readonly keepMs: number;
  // At most this many per step, and this long between two steps while there is more.
  readonly stepMax: number;
  readonly pauseMs: number;
  // How often to look when there was nothing more.
  readonly everyMs: number;
}

export const RETENTION_DEFAULTS: RetentionSettings = {
  keepMs: 7 * 24 * 60 * 60 * 1000,
  stepMax: 200,
  pauseMs: 20,
  everyMs: 60 * 1000,
};

export interface RetentionParts {
  readonly clock: Clock;
  // The journal's; says how many it removed.
  readonly prune: (before: number, max: number) => Promise<number>;
  // The store could not be written; retention looks again later.
  readonly onFailure: (error: unknown) => void;
}

export function createRetention(parts: RetentionParts, settings: RetentionSettings): Service {
  const { clock, prune, onFailure } = parts;
  let timer: Timer | null = null;
  let step: Promise<void> = Promise.resolve();
  let isRunning = false;

  const arm = (delayMs: number) => {
    timer = clock.schedule(clock.now() + delayMs, () => {
      step = forget();
    });
  };
  const forget = async () => {
    let removed = 0;
    try {
      removed = await prune(clock.now() - settings.keepMs, settings.stepMax);
    } catch (error) {
      onFailure(error);
    }
    if (isRunning) arm(removed === settings.stepMax ? settings.pauseMs : settings.everyMs);
  };

  return {
    async start() {
      if (isRunning) return;
      isRunning = true;
      arm(0);
    },
    // A step is short: it is let finish, within the deadline.
    async stop(deadlineMs) {
      isRunning = false;
      timer?.cancel();
      const deadline = Promise.withResolvers<void>();
      const patience = clock.schedule(clock.now() + deadlineMs, deadline.resolve);
      await Promise.race([step, deadline.promise]);
      patience.cancel();
    },
  };
}
