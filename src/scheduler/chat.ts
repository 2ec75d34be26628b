// One chat's side of the queue: its lanes, and which of them would go next.
// Lanes take turns within a class; classes share by weight. The chat's own limits are asked here.

import type { Queued } from '../domain/delivery.ts';
import { type Entry, type Flow, Lane } from './flow.ts';
import type { Waiter } from './heap.ts';
import type { Pacing } from './pacing.ts';
import { CLASS_COUNT, ClassPicker, URGENT, type Weights } from './picker.ts';
import { leaveRing, Ring, RingMember } from './ring.ts';

export class Chat extends RingMember implements Waiter {
  readonly id: string;
  readonly lanes = new Map<string, Lane>();
  inFlight = 0;
  waiting = 0;
  // On their way into the queue.
  expected = 0;
  wakeAt = 0;
  heapIndex = -1;
  // The flow it would serve now; set by consider().
  offer: Flow | null = null;

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
          return at;
        }
        closed = queued;
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

// Calls of one kind meet the same limits, so one closed answer speaks for all of them.
function sameKind(a: Queued, b: Queued): boolean {
  return (
    a.family === b.family &&
    a.live === b.live &&
    a.gate === b.gate &&
    a.cost === b.cost &&
    a.user === b.user
  );
}
