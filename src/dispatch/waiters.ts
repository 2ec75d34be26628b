// Callers who wait for a delivery to come to rest. When a newer delivery takes its place, they wait for that one:
// the older caller gets the newer one's result.

import type { Ended } from '../road/road.ts';

interface Waiter {
  // The delivery it waits for now; changes when another takes its place.
  seq: number;
  resolve(ended: Ended): void;
}

export class Waiters {
  readonly #waiting = new Map<number, Set<Waiter>>();

  wait(seq: number, signal: AbortSignal): Promise<Ended> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = () => {
        this.#leave(waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        seq,
        resolve(ended) {
          signal.removeEventListener('abort', leave);
          resolve(ended);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#join(waiter);
    });
  }

  tell(ended: Ended): void {
    const waiters = this.#waiting.get(ended.seq);
    if (waiters === undefined) return;
    this.#waiting.delete(ended.seq);
    for (const waiter of waiters) waiter.resolve(ended);
  }

  redirect(from: number, to: number): void {
    const waiters = this.#waiting.get(from);
    if (waiters === undefined) return;
    this.#waiting.delete(from);
    for (const waiter of waiters) {
      waiter.seq = to;
      this.#join(waiter);
    }
  }

  #join(waiter: Waiter): void {
    const waiters = this.#waiting.get(waiter.seq);
    if (waiters === undefined) this.#waiting.set(waiter.seq, new Set([waiter]));
    else waiters.add(waiter);
  }

  #leave(waiter: Waiter): void {
    const waiters = this.#waiting.get(waiter.seq);
    if (waiters?.delete(waiter) && waiters.size === 0) this.#waiting.delete(waiter.seq);
  }
}
