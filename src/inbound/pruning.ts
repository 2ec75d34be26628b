// Forgets updates a day after they came, a small step at a time. A day is how long a platform repeats an update, and
// how long it would have kept it for the app: what nobody took by then is gone, and the log says so.

import type { Incoming } from '../journal/journal.ts';
import type { Clock, Timer } from '../system/clock.ts';
import { drained, type Service } from '../system/service.ts';

export const KEPT_MS = 24 * 3_600_000;
const STEP_MAX = 500;
const PAUSE_MS = 20;
const EVERY_MS = 60_000;

export interface PruningParts {
  readonly clock: Clock;
  readonly prune: Incoming['prune'];
  // Of this account one expired.
  expired(account: string): void;
  readonly log: { warn(fields: object, message: string): void };
}

export function createPruning({ clock, prune, expired, log }: PruningParts): Service {
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
      const pruned = await prune({ before: clock.now() - KEPT_MS, max: STEP_MAX });
      removed = pruned.removed;
      for (const account of pruned.untaken) expired(account);
      const untaken = pruned.untaken.length;
      if (untaken > 0) log.warn({ untaken }, 'updates expired: no app took them within a day');
    } catch (error) {
      log.warn({ err: error }, 'could not forget old updates; trying again');
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
