// Waiting deliveries with a time to live, the soonest first.

import type { Queued } from '../domain/delivery.ts';
import { TimeHeap, type Waiter } from './heap.ts';

interface Expiry extends Waiter {
  readonly seq: number;
}

export class Expiries {
  readonly #heap = new TimeHeap<Expiry>();
  readonly #bySeq = new Map<number, Expiry>();

  get nextAt(): number {
    return this.#heap.first?.wakeAt ?? Number.POSITIVE_INFINITY;
  }

  watch({ seq, expiresAt }: Queued): void {
    if (expiresAt === 0) return;
    const expiry: Expiry = { seq, wakeAt: 0, heapIndex: -1 };
    this.#bySeq.set(seq, expiry);
    this.#heap.set(expiry, expiresAt);
  }

  unwatch(seq: number): void {
    const expiry = this.#bySeq.get(seq);
    if (expiry === undefined) return;
    this.#bySeq.delete(seq);
    this.#heap.remove(expiry);
  }

  // The next whose time is over; null: none.
  pop(now: number): number | null {
    return this.#heap.popDue(now)?.seq ?? null;
  }
}
