// How a delivery of live output ends. A ledger that cannot be read, as a database that is away, is so for a while: that
// says nothing of what was accepted, which comes to its end all the same.

import type { AskedRoad, Ended } from '../road/road.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { type Clock, sleep } from '../system/clock.ts';
import type { Stream } from './stream-state.ts';

const AGAIN_MS = 1000;
const NEVER = new AbortController().signal;

export interface EndPorts {
  readonly road: Pick<AskedRoad, 'ended'>;
  readonly clock: Clock;
}

// null: nobody waits for it any more.
export async function endOf(
  { road, clock }: EndPorts,
  seq: number,
  isOver: () => boolean,
): Promise<Ended | null> {
  for (; !isOver(); await sleep(clock, AGAIN_MS)) {
    try {
      return await road.ended(seq, NEVER);
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
    }
  }
  return null;
}

// The process stops, or another one has the stream and brings it to its end.
export function isOver(
  { isStopped }: { isStopped(): boolean },
  { isLeft }: Pick<Stream, 'isLeft'>,
): boolean {
  return isLeft || isStopped();
}
