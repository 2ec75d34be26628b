// A broadcast as others see it: how far it is, how fast it goes, and when it will be done. The end is told from what
// was measured in the last minute, before that from what the account's limits allow, shared with its other
// broadcasts.

import type { RecipientState, StoredBroadcast } from '../store/ports/broadcasts.ts';
import type { AccountPace } from './pace.ts';
import type { Running } from './running.ts';
import { type BroadcastView, formatBroadcastId } from './types.ts';

export interface ViewParts {
  readonly tag: string;
  readonly now: number;
  readonly pace: AccountPace;
  // When the last of those on the road is expected to go; null: nobody knows.
  readonly lastOf: (running: Running) => number | null;
  // How many broadcasts of its account run.
  readonly sharing: number;
}

export function viewOf(
  stored: StoredBroadcast,
  running: Running | null,
  parts: ViewParts,
): BroadcastView {
  const { account, platform, name, correlation, method, priority, state } = stored;
  const { total, createdAt, endedAt, notBefore } = stored;
  return {
    id: formatBroadcastId(parts.tag, stored.id),
    state,
    account,
    platform,
    name,
    correlation,
    method,
    priority,
    total,
    createdAt,
    endedAt,
    notBefore,
    progress: progressOf(stored),
    perSecond: running?.rate.perSecond(parts.now) ?? null,
    eta: running === null || state !== 'running' ? null : etaOf(stored, running, parts),
  };
}

function progressOf({ counts, total, state }: StoredBroadcast): Record<RecipientState, number> {
  const known = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const unfed = total - known;
  if (state !== 'cancelled') return { pending: unfed, ...counts };
  return { pending: 0, ...counts, cancelled: counts.cancelled + unfed };
}

function etaOf(stored: StoredBroadcast, running: Running, parts: ViewParts): number | null {
  const { now, pace, sharing } = parts;
  const opensAt = pace.opensAt(stored.account);
  if (opensAt === null) return null;
  const startsAt = Math.max(opensAt, stored.notBefore);
  const { pending, queued } = progressOf(stored);
  // What was measured before a freeze says nothing about what comes after it.
  const measured = startsAt > now ? null : running.rate.perSecond(now);
  const allowed = pace.perSecond(stored.account, running.charge);
  const perSecond = measured ?? (allowed === null ? null : allowed / Math.max(1, sharing));
  if (perSecond === null) return null;
  const eta = startsAt + ((pending + queued) / perSecond) * 1000;
  // The last ones may be chats with a wait of their own.
  return pending > 0 ? eta : Math.max(eta, parts.lastOf(running) ?? 0);
}
