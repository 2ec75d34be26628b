// At most `count` in any `perMs`: the times of the last `count` messages, newest first when read.
// Not a bucket: a bucket of capacity C admits C more than the window does, and some platforms count a window.

export interface SimRate {
  // At most `count` in any `perMs`.
  readonly count: number;
  readonly perMs: number;
}

export class SimWindow {
  readonly #rate: SimRate;
  // null: none was let in yet. There may be many bots that never send.
  #times: Float64Array | null = null;
  #newest = 0;

  constructor(rate: SimRate) {
    this.#rate = rate;
  }

  // When `cost` messages fit, never before one that was already let in. A cost above the whole window
  // is taken for the whole window.
  earliest(now: number, cost: number): number {
    const { count, perMs } = this.#rate;
    const times = this.#times;
    if (times === null) return now;
    const mustBeOut = this.#nth(times, count - Math.min(cost, count));
    return Math.max(now, times[this.#newest]!, mustBeOut + perMs);
  }

  add(at: number, cost: number): void {
    this.#times ??= new Float64Array(this.#rate.count).fill(Number.NEGATIVE_INFINITY);
    const times = this.#times;
    for (let i = Math.min(cost, times.length); i > 0; i--) {
      this.#newest = (this.#newest + 1) % times.length;
      times[this.#newest] = at;
    }
  }

  #nth(times: Float64Array, newestFirst: number): number {
    return times[(this.#newest - newestFirst + times.length) % times.length]!;
  }
}

// Whole calls only: what rounding takes from the count it gives back in time.
export function scaled(rate: SimRate, truth: number): SimRate {
  if (truth === Number.POSITIVE_INFINITY) return rate;
  const exact = rate.count * truth;
  const count = Math.max(1, Math.floor(exact));
  return { count, perMs: (rate.perMs * count) / exact };
}
