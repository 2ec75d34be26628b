// A flow is the waiting deliveries of one lane and one priority, first in, first out: the unit of order.
// A lane is up to four flows; one call of a lane is in flight at a time, so order survives retries.

import type { Queued } from '../domain/delivery.ts';
import type { Waiter } from './heap.ts';
import { RingMember } from './ring.ts';

// As far as this the place in a flow is counted exactly.
const AHEAD_WALKED_MAX = 32;

export class Entry implements Waiter {
  queued: Queued;
  // null while it waits outside its lane: scheduled for later, or in flight.
  flow: Flow | null = null;
  next: Entry | null = null;
  prev: Entry | null = null;
  // Counts upwards along the flow; the difference of two is about how many stand between them.
  ordinal = 0;
  wakeAt = 0;
  heapIndex = -1;

  constructor(queued: Queued) {
    this.queued = queued;
  }
}

export class Lane {
  readonly key: string;
  readonly flows: (Flow | undefined)[] = [];
  // A call of it is in flight.
  busy = false;

  constructor(key: string) {
    this.key = key;
  }

  flowOf(rank: number): Flow {
    this.flows[rank] ??= new Flow(this, rank);
    return this.flows[rank];
  }

  get empty(): boolean {
    return !this.busy && this.flows.every((flow) => flow === undefined || flow.length === 0);
  }
}

export class Flow extends RingMember implements Waiter {
  readonly lane: Lane;
  readonly rank: number;
  head: Entry | null = null;
  tail: Entry | null = null;
  length = 0;
  // How many finals wait in it: while there is one, the lane is served as urgent.
  finals = 0;
  // Waits here for its head's retry time.
  wakeAt = 0;
  heapIndex = -1;

  constructor(lane: Lane, rank: number) {
    super();
    this.lane = lane;
    this.rank = rank;
  }

  // In order of (enterAt, rank). New ones belong at the end, so the search starts there.
  insert(entry: Entry): void {
    let after = this.tail;
    while (after !== null && goesBefore(entry.queued, after.queued)) after = after.prev;
    entry.flow = this;
    entry.ordinal = after === null ? (this.head?.ordinal ?? 0) - 1 : after.ordinal + 1;
    entry.prev = after;
    entry.next = after === null ? this.head : after.next;
    if (entry.next === null) this.tail = entry;
    else entry.next.prev = entry;
    if (after === null) this.head = entry;
    else after.next = entry;
    this.length += 1;
    if (entry.queued.final) this.finals += 1;
  }

  remove(entry: Entry): void {
    if (entry.prev === null) this.head = entry.next;
    else entry.prev.next = entry.next;
    if (entry.next === null) this.tail = entry.prev;
    else entry.next.prev = entry.prev;
    entry.flow = null;
    entry.next = null;
    entry.prev = null;
    this.length -= 1;
    if (entry.queued.final) this.finals -= 1;
  }

  // How many are ahead of it here: exact near the head, beyond that at most a little too many (those that left
  // from the middle), because every acceptance asks and a walk along a long lane would cost more than the rest.
  aheadOf(entry: Entry): number {
    const between = Math.min(entry.ordinal - this.head!.ordinal, this.length - 1);
    if (between > AHEAD_WALKED_MAX) return between;
    let ahead = 0;
    for (let e = entry.prev; e !== null; e = e.prev) ahead += 1;
    return ahead;
  }
}

function goesBefore(a: Queued, b: Queued): boolean {
  return a.enterAt !== b.enterAt ? a.enterAt < b.enterAt : a.rank < b.rank;
}
