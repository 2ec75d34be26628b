// Failed logins, bounded per address and over all addresses. While a bound is reached nobody is let in by that way, not
// even with the right key: otherwise it would bound nothing. Keys in headers are not concerned; they cannot be guessed.

import { Rate } from './rate.ts';

export interface ThrottleBounds {
  readonly perAddress: number;
  readonly overAll: number;
}

export const LOGIN_BOUNDS: ThrottleBounds = { perAddress: 10, overAll: 100 };
const ADDRESSES_MAX = 10_000;

export class LoginThrottle {
  readonly #bounds: ThrottleBounds;
  readonly #all: Rate;
  // Insertion order is age order.
  readonly #byAddress = new Map<string, Rate>();

  constructor(bounds: ThrottleBounds = LOGIN_BOUNDS) {
    this.#bounds = bounds;
    this.#all = new Rate(bounds.overAll);
  }

  // At most 0: it may be tried.
  waitMs(address: string, now: number): number {
    return Math.max(this.#all.waitMs(now), this.#byAddress.get(address)?.waitMs(now) ?? 0);
  }

  failed(address: string, now: number): void {
    this.#all.count(now);
    const rate = this.#byAddress.get(address) ?? new Rate(this.#bounds.perAddress);
    this.#byAddress.delete(address);
    this.#byAddress.set(address, rate);
    rate.count(now);
    if (this.#byAddress.size <= ADDRESSES_MAX) return;
    for (const oldest of this.#byAddress.keys()) {
      this.#byAddress.delete(oldest);
      return;
    }
  }
}
