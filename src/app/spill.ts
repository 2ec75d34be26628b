// Joins the spill of a node with its road: corrects what the database decided otherwise than callers were answered, and
// takes up what other nodes accepted for accounts of this one.

import type { Dispatch } from '../dispatch/loop.ts';
import type { AccountId } from '../domain/ids.ts';
import type { HealthPart } from '../http/context.ts';
import type { SpillStanding } from '../store/spill/spill.ts';
import type { SpillingStore } from '../store/spill/store.ts';
import type { Clock } from '../system/clock.ts';
import type { OpenedSpool } from './spool.ts';

interface SpillParts {
  readonly clock: Clock;
  readonly ensure: OpenedSpool['ensure'];
  isOpen(account: AccountId): boolean;
}

export function followSpill(spill: SpillingStore, { state }: Dispatch, parts: SpillParts): void {
  const { clock, ensure, isOpen } = parts;
  const { scheduler, events } = state;
  if (ensure !== null) spill.bringFilesBy(ensure);
  const isOnRoad = (seq: number) => scheduler.isWaiting(seq) || scheduler.isInFlight(seq);
  spill.listen({
    isOpen,
    isOnRoad,
    left: () => void spill.takeStrays(),
    superseded(seq, by) {
      const now = clock.now();
      const old = scheduler.remove(seq, now);
      if (isOnRoad(by)) events.replaced(old, seq, by, now);
      else {
        // The first of two requests under one key, which may have ended long ago.
        if (old !== null) events.moved(old, 'queued', 'superseded', 'repeated', now);
        events.ended(seq, 'superseded', 'repeated');
      }
    },
    dead(seq, reason) {
      const now = clock.now();
      const old = scheduler.remove(seq, now);
      if (old !== null) events.moved(old, 'queued', 'dead', reason, now);
      events.ended(seq, 'dead', reason);
    },
    arrived(queued) {
      if (!isOnRoad(queued.seq)) state.admit(queued, null);
    },
  });
}

// `stale`: everything is accepted, and nothing is sent.
export function spillHealth(standing: SpillStanding): HealthPart {
  const { mode, since, oldestAt, ...counts } = standing;
  const isFull = counts.deliveries >= counts.deliveriesMax || counts.bytes >= counts.bytesMax;
  const status = mode === 'direct' ? 'ok' : isFull ? 'down' : 'stale';
  return { status, mode, since: timeOf(since), oldest: timeOf(oldestAt), ...counts };
}

function timeOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
