// One bucket as Discord keeps it: so many calls, and they come back one by one (leaky) or all together (fixed). Every
// answer tells what is left of it.

import type { SimRate } from '../window.ts';

export class SimBucket {
  readonly #rate: SimRate;
  readonly #shape: 'leaky' | 'fixed';
  readonly #id: string;
  // Leaky: how much of it is used, at #at. Fixed: how many, in the window that ends at #at.
  #used = 0;
  #at = 0;

  constructor(id: string, rate: SimRate, shape: 'leaky' | 'fixed') {
    this.#id = id;
    this.#rate = rate;
    this.#shape = shape;
  }

  // 0: it was let in; else how long until one is.
  take(now: number): number {
    const { count, perMs } = this.#rate;
    this.#settle(now);
    if (this.#used > count - 1 + 1e-9) {
      return this.#shape === 'leaky' ? ((this.#used - count + 1) * perMs) / count : this.#at - now;
    }
    if (this.#shape === 'fixed' && this.#used === 0) this.#at = now + perMs;
    this.#used += 1;
    return 0;
  }

  headers(now: number): Readonly<Record<string, string>> {
    const { count, perMs } = this.#rate;
    this.#settle(now);
    const fullMs = this.#shape === 'leaky' ? (this.#used * perMs) / count : this.#at - now;
    const resetAfterMs = Math.max(0, Math.ceil(this.#used === 0 ? 0 : fullMs));
    return {
      'x-ratelimit-limit': String(count),
      'x-ratelimit-remaining': String(Math.max(0, Math.floor(count - this.#used + 1e-9))),
      'x-ratelimit-reset': ((now + resetAfterMs) / 1000).toFixed(3),
      'x-ratelimit-reset-after': (resetAfterMs / 1000).toFixed(3),
      'x-ratelimit-bucket': this.#id,
    };
  }

  #settle(now: number): void {
    const { count, perMs } = this.#rate;
    if (this.#shape === 'fixed') {
      if (now >= this.#at) this.#used = 0;
      return;
    }
    this.#used = Math.max(0, this.#used - ((now - this.#at) * count) / perMs);
    this.#at = now;
  }
}
