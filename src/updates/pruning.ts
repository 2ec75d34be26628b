// Forgets updates a day after they came, a small step at a time. A day is how long a platform repeats an update, and
// how long it would have kept it for the app: what nobody took by then is gone, and the log says so.

import type { AccountId } from '../domain/ids.ts';
import type { UpdateStore } from '../store/ports/updates.ts';
import type { Clock } from '../system/clock.ts';
import { createRounds } from '../system/rounds.ts';
import type { Service } from '../system/service.ts';

export const KEPT_MS = 24 * 3_600_000;
const STEP_MAX = 500;
const PAUSE_MS = 20;
const EVERY_MS = 60_000;

export interface PruningParts {
  readonly clock: Clock;
  readonly prune: UpdateStore['prune'];
  // Of this account one expired.
  expired(account: AccountId): void;
  readonly log: { warn(fields: object, message: string): void };
}

export function createPruning({ clock, prune, expired, log }: PruningParts): Service {
  return createRounds({
    clock,
    pauseMs: PAUSE_MS,
    everyMs: EVERY_MS,
    async step() {
      const { removed, untaken } = await prune({ before: clock.now() - KEPT_MS, max: STEP_MAX });
      for (const account of untaken) expired(account);
      const fields = { untaken: untaken.length };
      if (untaken.length > 0) log.warn(fields, 'updates expired: no app took them within a day');
      return removed === STEP_MAX;
    },
    onFailure: (error) => log.warn({ err: error }, 'could not forget old updates; trying again'),
  });
}
