// One order over the accounts of a platform: each keeps its own queue, and only the one whose first was accepted before
// all others may send. An account that is held without an end (paused, refused) is skipped: it would stop all others
// until an operator acts.

import type { Queued } from '../domain/delivery.ts';
import type { AccountId } from '../domain/ids.ts';
import { PRIORITY_RANK } from '../domain/priority.ts';
import { assert } from '../system/assert.ts';
import type { Entry, Flow, Lane } from './chat.ts';
import type { Pacing } from './pacing.ts';

export interface LineMember {
  readonly id: AccountId;
  readonly limits: Pacing;
  readonly heldUntil: number;
  readonly heldWhy: string;
  readonly heldName: string;
  // null: nothing waits in its queue or is in flight.
  readonly queue: Lane | null;
}

// Of each other account so many at its end are looked at to tell how many are ahead.
const LOOK_BACK_MAX = 32;

export class PlatformLine {
  // Those with something that waits, is in flight or is being written down.
  readonly members = new Set<LineMember>();
  // Of each delivery that waits or is in flight: as which it came. Numbers and ranks are each account's own.
  readonly #ordinals = new Map<number, number>();
  #lastOrdinal = 0;

  // Also of a retry, which keeps its place.
  entered({ seq }: Queued): void {
    if (this.#ordinals.has(seq)) return;
    this.#lastOrdinal += 1;
    this.#ordinals.set(seq, this.#lastOrdinal);
  }

  left({ seq }: Queued): void {
    this.#ordinals.delete(seq);
  }

  // Whose turn it is; null: nobody's, or a call is in flight.
  get first(): LineMember | null {
    let [first, head]: [LineMember | null, Queued | null] = [null, null];
    for (const member of this.members) {
      if (member.queue?.busy === true) return null;
      const candidate = isAside(member) ? null : headOf(member);
      if (candidate === null || (head !== null && !this.#isBefore(candidate, head))) continue;
      [first, head] = [member, candidate];
    }
    return first;
  }

  // How many of other accounts are ahead of it: exact near the end of their queues, where new ones are.
  aheadOf(entry: Entry, own: LineMember): number {
    let ahead = 0;
    for (const member of this.members) {
      if (member === own || isAside(member)) continue;
      if (member.queue?.busy === true) ahead += 1;
      ahead += this.#aheadIn(flowOf(member), entry.queued);
    }
    return ahead;
  }

  #aheadIn(flow: Flow | null, queued: Queued): number {
    if (flow === null || flow.head === null || this.#isBefore(queued, flow.head.queued)) return 0;
    let behind = 0;
    for (let e = flow.tail; e !== null && behind < LOOK_BACK_MAX; e = e.prev) {
      if (this.#isBefore(e.queued, queued)) break;
      behind += 1;
    }
    return flow.length - behind;
  }

  // Of deliveries of two accounts.
  #isBefore(a: Queued, b: Queued): boolean {
    if (a.enterAt !== b.enterAt) return a.enterAt < b.enterAt;
    return this.#ordinalOf(a) < this.#ordinalOf(b);
  }

  #ordinalOf({ seq }: Queued): number {
    const ordinal = this.#ordinals.get(seq);
    assert(ordinal !== undefined, 'what waits in a line has entered it');
    return ordinal;
  }
}

export function headOf(member: LineMember): Queued | null {
  return flowOf(member)?.head?.queued ?? null;
}

function flowOf({ queue }: LineMember): Flow | null {
  return queue?.flows[PRIORITY_RANK.normal] ?? null;
}

function isAside({ heldUntil }: LineMember): boolean {
  return heldUntil === Number.POSITIVE_INFINITY;
}
