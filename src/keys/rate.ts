// At most so many in any minute: the moments of the last ones, in a ring. Exact, and without a timer.

const MINUTE_MS = 60_000;

export class KeyRate {
  readonly #perMinute: number;
  // Made at the first use: most keys sleep.
  #moments: Float64Array | null = null;
  #oldest = 0;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  // How long until the next one may be; at most 0: at once.
  waitMs(now: number): number {
    if (this.#moments === null) return 0;
    return this.#moments[this.#oldest]! + MINUTE_MS - now;
  }

  count(now: number): void {
    this.#moments ??= new Float64Array(this.#perMinute).fill(Number.NEGATIVE_INFINITY);
    this.#moments[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#perMinute;
  }
}
