// Refusals for a full queue as log lines: the first of a queue at once, then at most one a minute with how many there
// were. A producer that does not slow down must not fill the log too.

import type { Clock } from '../../system/clock.ts';
import type { LineLog } from './road-log.ts';

export const FULL_LOG_EVERY_MS = 60_000;
// Beyond so many full queues the oldest is told anew.
const QUEUES_MAX = 10_000;

export interface FullQueue {
  readonly account: string;
  // The platform whose queue is full, or all accounts; neither: the account's own is.
  readonly platform?: string;
  readonly whose?: string;
  readonly waiting: number;
  readonly queueMax: number;
  // Left out: deliveries.
  readonly unit?: string;
}

export function fullLog(clock: Clock, log: Pick<LineLog, 'warn'>): (full: FullQueue) => void {
  const told = new Map<string, { at: number; since: number }>();
  return ({ account, platform, whose, waiting, queueMax, unit = 'deliveries' }) => {
    const queue = platform ?? whose ?? account;
    const last = told.get(queue);
    const now = clock.now();
    if (last !== undefined && now - last.at < FULL_LOG_EVERY_MS) {
      last.since += 1;
      return;
    }
    told.delete(queue);
    if (told.size >= QUEUES_MAX) told.delete(told.keys().next().value!);
    told.set(queue, { at: now, since: 0 });
    const refused = (last?.since ?? 0) + 1;
    log.warn({ queue, account, waiting, queueMax, unit, refused }, 'queue full');
  };
}
