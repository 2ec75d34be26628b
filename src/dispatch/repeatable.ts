// Whether a call whose answer was lost can be made again without a doubt.

import type { Queued } from '../domain/delivery.ts';
import type { Platform } from '../platforms/platform.ts';
import type { DeliveryPast } from '../store/ports/delivery.ts';

interface LostCall {
  readonly queued: Queued;
  readonly record: DeliveryPast;
  readonly body: string | null;
  readonly startedAt: number;
}

// Edits and deletes are; and what the platform itself recognises as a repeat, for as long as it does. From the first
// try on; of later ones only the time since it was accepted is known.
export function isRepeatable({ calls }: Platform, lost: LostCall, now: number): boolean {
  const { queued, record, body, startedAt } = lost;
  if (calls.isIdempotent(queued.method)) return true;
  if (body === null || calls.recognisedMs === undefined) return false;
  const isFirst = record.failures === 0 && record.doubts === 0;
  const since = isFirst ? startedAt : Math.max(record.acceptedAt, queued.enterAt);
  return now - since < calls.recognisedMs(queued.method, body);
}
