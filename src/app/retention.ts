// Joins retention with the gateway: what is kept for so many days goes after them, by the configured steps.

import type { Config } from '../config/config.ts';
import { createRetention, type PruneStep } from '../ledger/retention.ts';
import type { Service } from '../system/service.ts';
import type { Resources } from './resources.ts';

const DAY_MS = 86_400_000;
// Between two steps while there is more to forget.
const PAUSE_MS = 20;

export interface Retained {
  // Of the job.
  readonly name: string;
  readonly days: number;
  // Of what may still be wanted; the same when left out.
  readonly deadDays?: number;
  // Says how many it removed.
  readonly prune: (step: PruneStep) => Promise<number>;
}

export function openRetention(config: Config, resources: Resources, retained: Retained): Service {
  const { periodic, fleet } = resources;
  const { name, days, deadDays = days } = retained;
  // One node of a fleet does it for all.
  const prune: Retained['prune'] = async (step) =>
    fleet?.isMaintainer === false ? 0 : retained.prune(step);
  return createRetention(
    { periodic, name, prune },
    {
      keepMs: days * DAY_MS,
      keepDeadMs: deadDays * DAY_MS,
      stepMax: config.pruneMax,
      pauseMs: PAUSE_MS,
      everyMs: config.pruneEveryS * 1000,
    },
  );
}
