// Forgets updates a day after they came, a small step at a time. A day is how long a platform repeats an update, and
// how long it would have kept it for the app: what nobody took by then is gone, and the log says so.

import { type AccountId, platformOf } from '../domain/ids.ts';
import type { UpdateStore } from '../store/ports/updates.ts';
import type { Periodic, PeriodicJob } from '../system/periodic.ts';

export const KEPT_MS = 24 * 3_600_000;
const STEP_MAX = 500;
const PAUSE_MS = 20;
const EVERY_MS = 60_000;

export interface PruningParts {
  readonly periodic: Periodic;
  readonly prune: UpdateStore['prune'];
  // Of this account one expired.
  expired(account: AccountId): void;
  readonly log: { warn(fields: object, message: string): void };
}

export function createPruning({ periodic, prune, expired, log }: PruningParts): PeriodicJob {
  const { clock } = periodic;
  return periodic.job({
    name: 'forget_updates',
    everyMs: EVERY_MS,
    firstMs: 0,
    async run(job) {
      const { removed, untaken } = await prune({ before: clock.now() - KEPT_MS, max: STEP_MAX });
      for (const account of untaken) expired(account);
      for (const [account, { length }] of Map.groupBy(untaken, (each) => each)) {
        const fields = { platform: platformOf(account), account, untaken: length };
        log.warn(fields, 'updates expired: no app took them within a day');
      }
      if (removed === STEP_MAX) job.within(PAUSE_MS);
    },
  });
}
