// At most so many in any minute: the moments of the last ones, in a ring. Exact, and without a timer.

const MINUTE_MS = 60_000;

// 0: it is counted. Else how long until the next one may be.
export interface RateCounter {
  take(now: number): number | Promise<number>;
}

export class KeyRate implements RateCounter {
  readonly #perMinute: number;
  // Made at the first use: most keys sleep.
  #moments: Float64Array | null = null;
  #oldest = 0;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  take(now: number): number {
    this.#moments ??= new Float64Array(this.#perMinute).fill(Number.NEGATIVE_INFINITY);
    const waitMs = this.#moments[this.#oldest]! + MINUTE_MS - now;
    if (waitMs > 0) return waitMs;
    this.#moments[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#perMinute;
    return 0;
  }
}
