// Callers who wait until their delivery ends, as the store remembers them. A delivery that is accepted for
// such a caller is marked in its own row, and the mark is settled with it, so that remembering costs no commit. After
// the process was killed the marks tell whose caller never had its answer: when that caller repeats the call, the first
// delivery is its answer. Only the exceptions (a caller hangs up, or comes back) are commands of their own.

import type { State } from '../../domain/delivery.ts';

import type { Kept, Owner } from './ownership.ts';

export { fingerprintOf } from '../fingerprint.ts';

// Of a delivery: nobody waits for it; a caller does and has no answer yet; the answer was given.
export const HELD = { nobody: 0, waiting: 1, answered: 2 } as const;
export type CallerHold = (typeof HELD)[keyof typeof HELD];

// Of the process before this one, the oldest first.
export interface Unanswered {
  readonly seq: number;
  // See store/fingerprint.ts; of the call as it was submitted, whatever repairs have changed since.
  readonly print: string;
  // True: it was answered, but so shortly before the process ended that the answer may be lost.
  readonly answered: boolean;
}

export interface UnansweredBounds {
  // What ended longer before the process did is left out.
  readonly endedMsMax: number;
  readonly max: number;
}

// What was answered within this time before the process was killed may not have been: from the commit of its end to the
// socket it is a turn of the loop, which a busy machine may keep waiting.
export const ANSWER_DOUBT_MS = 1_000;

export interface CallerStore {
  // The caller of a delivery is there, or has left. One that was accepted in this process has its caller, one of the
  // process before has not, until told otherwise.
  caller(owner: Owner, seq: number, isThere: boolean): Promise<Kept>;
  unanswered(bounds: UnansweredBounds): Promise<Unanswered[]>;
}

// In these the delivery is still the answer to its call repeated; in the others the repeat is to be tried anew.
export function answersRepeat(state: State): boolean {
  switch (state) {
    case 'queued':
    case 'sending':
    case 'sent':
    case 'uncertain':
    case 'superseded':
      return true;
    case 'dead':
    case 'expired':
    case 'cancelled':
      return false;
  }
}

// Only the newest deviations from the rule below are kept.
const TOLD_MAX = 100_000;

// Which deliveries have their caller now.
export class Presence {
  // Those up to this one are of the process before.
  readonly inheritedTo: number;
  readonly #told = new Map<number, boolean>();

  constructor(inheritedTo: number) {
    this.inheritedTo = inheritedTo;
  }

  isInherited(seq: number): boolean {
    return seq <= this.inheritedTo;
  }

  note(seq: number, isThere: boolean): void {
    this.#told.delete(seq);
    this.#told.set(seq, isThere);
    if (this.#told.size <= TOLD_MAX) return;
    for (const oldest of this.#told.keys()) {
      this.#told.delete(oldest);
      return;
    }
  }

  isThere(seq: number): boolean {
    return this.#told.get(seq) ?? !this.isInherited(seq);
  }
}
