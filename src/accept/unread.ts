// What was accepted, while the ledger cannot be read: a database that says nothing. Whoever were told then that it was
// not accepted would say it twice.

import type { Delivery } from '../domain/delivery.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Ended, Road } from '../road/road.ts';
import { tolerateUnavailable } from '../store/ports/unavailable.ts';
import { type Clock, sleep } from '../system/clock.ts';

const ASK_AGAIN_MS = 250;

// null: there is none, or it cannot be read now.
export async function recordOf(
  { ledger }: { readonly ledger: Pick<Ledger, 'get'> },
  seq: number,
): Promise<Delivery | null> {
  try {
    return await ledger.get(seq);
  } catch (error) {
    tolerateUnavailable(error);
    return null;
  }
}

// Asks for the end again and again. null: it was aborted.
export async function endedLater(
  road: Pick<Road, 'ended'>,
  clock: Clock,
  seq: number,
  signal: AbortSignal,
): Promise<Ended | null> {
  for (;;) {
    await sleep(clock, ASK_AGAIN_MS);
    if (signal.aborted) return null;
    try {
      return await road.ended(seq, signal);
    } catch (error) {
      if (signal.aborted) return null;
      tolerateUnavailable(error);
    }
  }
}
