// What Meta's documents say of rates: a number's throughput is of any second; a user costs a debt that time pays back;
// a portfolio reaches so many users in any 24 hours. Kept for each number; the oldest users are forgotten when their
// debts are paid.

import { ERRORS, type SimGraphError } from './errors.ts';
import type { SimWhatsappOptions } from './options.ts';

export const DAY_MS = 86_400_000;
const SECOND_MS = 1000;
const USERS_SWEPT_MIN = 10_000;

export class NumberPace {
  readonly #options: SimWhatsappOptions;
  #second: number[] = [];
  // Until when each user's debt is paid back.
  readonly #paidAt = new Map<string, number>();
  // Users reached outside their window, and when last.
  readonly #reached = new Map<string, number>();

  constructor(options: SimWhatsappOptions) {
    this.#options = options;
  }

  // Takes the message into account, or says why not.
  take(user: string, isUnsolicited: boolean, now: number): SimGraphError | null {
    const { truth, throughputPerS, pairBurst, pairEachMs, tier } = this.#options;
    this.#second = this.#second.filter((at) => at > now - SECOND_MS);
    if (this.#second.length >= throughputPerS * truth) return ERRORS.throughput;
    const eachMs = pairEachMs / truth;
    const paidAt = Math.max(now, this.#paidAt.get(user) ?? 0) + eachMs;
    if (paidAt - now > pairBurst * eachMs) return ERRORS.pair;
    if (isUnsolicited && !this.#isReached(user, now) && this.#reachedNow(now) >= tier * truth) {
      return ERRORS.spam;
    }
    this.#second.push(now);
    this.#paidAt.set(user, paidAt);
    if (isUnsolicited) this.#reached.set(user, now);
    if (this.#paidAt.size > USERS_SWEPT_MIN) this.#sweep(now);
    return null;
  }

  // What people write counts against the throughput too.
  received(now: number): void {
    this.#second.push(now);
  }

  #isReached(user: string, now: number): boolean {
    return (this.#reached.get(user) ?? 0) > now - DAY_MS;
  }

  #reachedNow(now: number): number {
    let count = 0;
    for (const at of this.#reached.values()) if (at > now - DAY_MS) count += 1;
    return count;
  }

  #sweep(now: number): void {
    for (const [user, at] of this.#paidAt) if (at <= now) this.#paidAt.delete(user);
    for (const [user, at] of this.#reached) if (at <= now - DAY_MS) this.#reached.delete(user);
  }
}
