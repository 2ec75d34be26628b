// A rate with a burst, kept as one number per key: the time at which the key would be back at rest (GCRA). Keys that
// are at rest are forgotten, so the table is as large as what happened lately, and bounded.

export interface RateBounds {
  // So many at once.
  readonly burst: number;
  // Then one in each such time.
  readonly everyMs: number;
  // Keys that are remembered at once; the oldest gives way.
  readonly keysMax: number;
}

export class Rate {
  readonly #bounds: RateBounds;
  // Insertion order is age order.
  readonly #restAt = new Map<string, number>();

  constructor(bounds: RateBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#restAt.size;
  }

  // How long until one more fits; 0: it fits now.
  waitMs(key: string, now: number): number {
    const { burst, everyMs } = this.#bounds;
    const restAt = this.#restAt.get(key);
    if (restAt === undefined) return 0;
    if (restAt <= now) {
      this.#restAt.delete(key);
      return 0;
    }
    return Math.max(0, restAt - now - (burst - 1) * everyMs);
  }

  count(key: string, now: number): void {
    const { everyMs, keysMax } = this.#bounds;
    const restAt = Math.max(now, this.#restAt.get(key) ?? 0) + everyMs;
    this.#restAt.delete(key);
    this.#restAt.set(key, restAt);
    if (this.#restAt.size <= keysMax) return;
    for (const oldest of this.#restAt.keys()) {
      this.#restAt.delete(oldest);
      return;
    }
  }
}
