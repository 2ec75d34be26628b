// The chats of an account and whose turn it is: within a chat its lanes, among chats those that could go now.
// Lanes take turns within a class, and chats do; classes share by weight. A chat's own limits are asked here.

import { COSMETIC_FAMILIES } from '../domain/call.ts';
import type { Queued } from '../domain/delivery.ts';
import { PRIORITY_RANK } from '../domain/priority.ts';
import { leaveRing, Ring, RingMember, type Waiter } from './collections.ts';
import { Hindrances } from './hindrances.ts';
import type { Pacing } from './pacing.ts';

export class Chat extends RingMember implements Waiter {
  readonly id: string;
  readonly lanes = new Map<string, Lane>();
  inFlight = 0;
  waiting = 0;
  // Deliveries that are being written, and will queue here.
  expected = 0;
  wakeAt = 0;
  heapIndex = -1;
  // The flow it would serve now; set by consider().
  offer: Flow | null = null;
  // Calls that it has served.
  served = 0;
  // Made when it is first closed while something waits; most chats never are.
  hindrances: Hindrances | null = null;

  readonly #weights: Weights;
  readonly #rings: (Ring<Flow> | undefined)[] = [];
  // Made when two classes first meet here; most chats never need one.
  #picker: ClassPicker | null = null;

  constructor(id: string, weights: Weights) {
    super();
    this.id = id;
    this.#weights = weights;
  }

  laneOf(key: string): Lane {
    let lane = this.lanes.get(key);
    if (lane === undefined) {
      lane = new Lane(key);
      this.lanes.set(key, lane);
    }
    return lane;
  }

  // All that wait in it.
  entries(): Entry[] {
    const found: Entry[] = [];
    for (const lane of this.lanes.values()) {
      for (const flow of lane.flows) {
        for (let entry = flow?.head ?? null; entry !== null; entry = entry.next) found.push(entry);
      }
    }
    return found;
  }

  // Bit c is set for each class with a flow that waits for its turn.
  get present(): number {
    let present = 0;
    for (let c = 0; c < CLASS_COUNT; c++) if ((this.#rings[c]?.size ?? 0) > 0) present |= 1 << c;
    return present;
  }

  // The flow takes its turns in the ring of its class; no change if it is there already.
  join(flow: Flow): void {
    const c = flow.finals > 0 ? URGENT : flow.rank;
    this.#rings[c] ??= new Ring<Flow>();
    const ring = this.#rings[c];
    if (flow.ring === (ring as unknown)) return;
    leaveRing(flow);
    ring.push(flow);
  }

  // Not its turn: that can only change with another account.
  pass(): number {
    this.offer = null;
    return Number.POSITIVE_INFINITY;
  }

  // Chooses the offer. Answers when: ≤ now means at once, Infinity when nothing waits or only a settle can tell.
  consider(limits: Pacing, now: number): number {
    this.offer = null;
    let earliest = Number.POSITIVE_INFINITY;
    let mask = this.present;
    while (mask !== 0) {
      const c = this.#choose(mask);
      const ring = this.#rings[c]!;
      let closed: Queued | null = null;
      for (let flow = ring.turn(); flow !== null; flow = flow.ringNext as Flow | null) {
        const queued = flow.head!.queued;
        if (closed !== null && sameKind(queued, closed)) continue;
        const at = limits.earliestChat(queued, now);
        if (at <= now) {
          this.offer = flow;
          this.hindrances?.opened(queued, now);
          return at;
        }
        closed = queued;
        this.hindrances ??= new Hindrances();
        this.hindrances.closed(limits, queued, at, now);
        if (at < earliest) earliest = at;
      }
      mask &= ~(1 << c);
    }
    return earliest;
  }

  // Books a turn of the offered flow.
  charge(flow: Flow, cost: number): void {
    const c = flow.finals > 0 ? URGENT : flow.rank;
    const present = this.present;
    flow.debt += cost - 1;
    if (present !== 1 << c || this.#picker !== null) {
      this.#picker ??= new ClassPicker(this.#weights);
      this.#picker.charge(c, cost, present);
    }
  }

  forgetLane(lane: Lane): void {
    if (lane.empty) this.lanes.delete(lane.key);
  }

  #choose(mask: number): number {
    if ((mask & (mask - 1)) === 0 && this.#picker === null) return 31 - Math.clz32(mask);
    this.#picker ??= new ClassPicker(this.#weights);
    return this.#picker.choose(mask);
  }
}

// Calls of one kind have the same limits: if one must wait, all must.
function sameKind(a: Queued, b: Queued): boolean {
  return (
    a.family === b.family &&
    a.live === b.live &&
    a.budget === b.budget &&
    a.cost === b.cost &&
    a.user === b.user
  );
}

// A flow is the waiting deliveries of one lane and one priority, first in, first out: the unit of order.
// A lane is up to four flows; one call of a lane is in flight at a time, so order survives retries.

// Up to this far from the head the position in a flow is counted exactly.
const AHEAD_WALKED_MAX = 32;

export class Entry implements Waiter {
  queued: Queued;
  // null while it waits outside its lane: scheduled for later, or in flight.
  flow: Flow | null = null;
  next: Entry | null = null;
  prev: Entry | null = null;
  // Counts upwards along the flow; the difference of two is about how many stand between them.
  ordinal = 0;
  // How many calls its chat had served when it came.
  servedBefore = 0;
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

  // Where it would stand before those of `others` that are right before it; null: none of them is.
  placeBefore(entry: Entry, others: ReadonlySet<number>): Pick<Queued, 'enterAt' | 'rank'> | null {
    let first: Entry | null = null;
    for (let e = entry.prev; e !== null && others.has(e.queued.seq); e = e.prev) first = e;
    if (first === null) return null;
    const { enterAt, rank } = first.queued;
    const before = first.prev?.queued;
    return { enterAt, rank: before?.enterAt === enterAt ? (before.rank + rank) / 2 : rank - 0.5 };
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

// Which class goes next at one point of contention (a chat, or an account).
// Urgent (critical, and lanes with a final) goes first, but takes at most URGENT_RUN_MAX of each
// URGENT_RUN_MAX + 1 turns while others wait: "critical first" must not mean "low never".
// The others share by weight (stride scheduling: each turn moves a class on by cost ÷ weight, the class
// that is furthest behind goes next). A class that was away rejoins at the current point: it neither
// hoards turns nor is punished.

const URGENT = 0;
export const CLASS_COUNT = 4;
export const URGENT_RUN_MAX = 3;

// Of high, normal and low, at their index.
export type Weights = readonly [urgent: number, high: number, normal: number, low: number];

export class ClassPicker {
  readonly #weights: Weights;
  readonly #pass: [number, number, number, number] = [0, 0, 0, 0];
  #point = 0;
  #present = 0;
  #urgentRun = 0;

  constructor(weights: Weights) {
    this.#weights = weights;
  }

  // `present` has bit c set for each class c that could go now; not 0.
  choose(present: number): number {
    this.#rejoin(present);
    const urgentWaits = (present & (1 << URGENT)) !== 0;
    const othersWait = present !== 1 << URGENT;
    if (urgentWaits && (!othersWait || this.#urgentRun < URGENT_RUN_MAX)) return URGENT;
    let best = -1;
    for (let c = 1; c < CLASS_COUNT; c++) {
      if ((present & (1 << c)) === 0) continue;
      if (best === -1 || this.#pass[c]! < this.#pass[best]!) best = c;
    }
    return best;
  }

  charge(chosen: number, cost: number, present: number): void {
    if (chosen === URGENT) {
      this.#urgentRun = present === 1 << URGENT ? 0 : this.#urgentRun + cost;
      return;
    }
    this.#urgentRun = Math.max(0, this.#urgentRun - URGENT_RUN_MAX * cost);
    this.#point = this.#pass[chosen]!;
    this.#pass[chosen]! += cost / this.#weights[chosen]!;
  }

  #rejoin(present: number): void {
    const joined = present & ~this.#present;
    this.#present = present;
    if (joined === 0) return;
    for (let c = 1; c < CLASS_COUNT; c++) {
      if ((joined & (1 << c)) !== 0) this.#pass[c] = Math.max(this.#pass[c]!, this.#point);
    }
  }
}

// Where a delivery queues, by the order its account keeps. `lane`: in its own chat and lane, by priority. `account`:
// with all others of the account in one queue, in the order they were accepted, whatever their chat or priority; what
// must wait makes all behind it wait. `platform`: the same over all accounts of the platform that keep this order. The
// stored lane stays as it is, so the setting can be changed at any start.

export type Order = 'lane' | 'account' | 'platform';

// The chat that stands for the one queue of an account. No platform has a chat without a name.
export const QUEUE = '';

// Typing signs and drafts keep out of it: no message waits behind one.
export function isInOneQueue(queued: Pick<Queued, 'family'>, order: Order): boolean {
  return order !== 'lane' && !COSMETIC_FAMILIES.includes(queued.family);
}

export function chatOf(queued: Pick<Queued, 'chat' | 'family'>, order: Order): string {
  return isInOneQueue(queued, order) ? QUEUE : queued.chat;
}

export function laneOf(queued: Queued, order: Order): string {
  return isInOneQueue(queued, order) ? '' : queued.lane;
}

export function rankOf(queued: Queued, order: Order): number {
  return isInOneQueue(queued, order) ? PRIORITY_RANK.normal : PRIORITY_RANK[queued.priority];
}
