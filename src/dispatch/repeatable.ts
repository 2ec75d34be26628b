// Whether a call whose answer was lost can be made again without risking a duplicate.

import type { Queued } from '../domain/delivery.ts';
import type { Platform } from '../platforms/platform.ts';
import type { DeliveryPast } from '../store/ports/delivery.ts';

interface LostCall {
  readonly queued: Queued;
  readonly past: DeliveryPast;
  readonly body: string | null;
  readonly startedAt: number;
}

// Edits and deletes can; and what the platform itself recognises as a repeat, for as long as it does, counted from the
// first attempt (of later ones only the time since acceptance is known).
export function isRepeatable({ calls }: Platform, lost: LostCall, now: number): boolean {
  const { queued, past, body, startedAt } = lost;
  if (calls.isIdempotent(queued.method)) return true;
  if (body === null || calls.recognisedMs === undefined) return false;
  const isFirst = past.failures === 0 && past.doubts === 0;
  const since = isFirst ? startedAt : Math.max(past.acceptedAt, queued.enterAt);
  return now - since < calls.recognisedMs(queued.method, body);
}
