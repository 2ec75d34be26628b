// One order over the accounts of a platform: each keeps its own queue, and only the one whose first was accepted before
// all others may send. An account that is held without an end (paused, refused) is skipped: it would stop all others
// until an operator acts.

import type { Queued } from '../domain/delivery.ts';
import type { AccountId } from '../domain/ids.ts';
import { PRIORITY_RANK } from '../domain/priority.ts';
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

  // Whose turn it is; null: nobody's, or a call is in flight.
  get first(): LineMember | null {
    let [first, head]: [LineMember | null, Queued | null] = [null, null];
    for (const member of this.members) {
      if (member.queue?.busy === true) return null;
      const candidate = isAside(member) ? null : headOf(member);
      if (candidate === null || (head !== null && !isBefore(candidate, head))) continue;
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
      ahead += aheadIn(flowOf(member), entry.queued);
    }
    return ahead;
  }
}

export function headOf(member: LineMember): Queued | null {
  return flowOf(member)?.head?.queued ?? null;
}

function aheadIn(flow: Flow | null, queued: Queued): number {
  if (flow === null || flow.head === null || isBefore(queued, flow.head.queued)) return 0;
  let behind = 0;
  for (let e = flow.tail; e !== null && behind < LOOK_BACK_MAX; e = e.prev) {
    if (isBefore(e.queued, queued)) break;
    behind += 1;
  }
  return flow.length - behind;
}

function flowOf({ queue }: LineMember): Flow | null {
  return queue?.flows[PRIORITY_RANK.normal] ?? null;
}

function isAside({ heldUntil }: LineMember): boolean {
  return heldUntil === Number.POSITIVE_INFINITY;
}

// Ranks are each account's own; numbers are drawn in the order of acceptance by the one process that keeps this order.
function isBefore(a: Queued, b: Queued): boolean {
  return a.enterAt !== b.enterAt ? a.enterAt < b.enterAt : a.seq < b.seq;
}
