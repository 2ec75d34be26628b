// How fast an account may go as a whole, as its limits stand now: what was learned of them counts, a freeze has an end.
// The road keeps the limits; this only asks, so that a broadcast is fed evenly and its end can be told.

import type { AccountId } from '../domain/ids.ts';
import type { Charge, Rule } from '../limits/limits.ts';
import type { Road } from '../road/road.ts';
import type { Clock } from '../system/clock.ts';

export interface PaceParts {
  readonly clock: Clock;
  readonly road: Pick<Road, 'limits' | 'accounts'>;
  // The account-wide rules for such a call, before anything was learned.
  readonly rulesOf: (account: AccountId, charge: Charge) => readonly Rule[];
}

// What is known of the limits changes slowly.
const ASKED_AGAIN_MS = 2_000;

export class AccountPace {
  readonly #parts: PaceParts;
  readonly #known = new Map<string, { at: number; perSecond: number | null }>();

  constructor(parts: PaceParts) {
    this.#parts = parts;
  }

  // Of calls like this one; null: the account as a whole has no limit.
  perSecond(account: AccountId, charge: Charge): number | null {
    const now = this.#parts.clock.now();
    const key = `${account} ${charge.family} ${charge.budget} ${charge.cost}`;
    const known = this.#known.get(key);
    if (known !== undefined && now - known.at < ASKED_AGAIN_MS) return known.perSecond;
    const learned = this.#parts.road.limits(account, 1)[0]?.rules ?? [];
    let perSecond: number | null = null;
    for (const rule of this.#parts.rulesOf(account, charge)) {
      const { count, perMs } = learned.find(({ name }) => name === rule.name) ?? rule;
      const rate = (count * 1000) / perMs / Math.max(1, charge.cost);
      perSecond = Math.min(perSecond ?? rate, rate);
    }
    this.#known.set(key, { at: now, perSecond });
    return perSecond;
  }

  // When the account may go on: now, after its freeze, or nobody knows (null). While its breaker is not closed only the
  // next try is known, not that the platform takes it.
  opensAt(account: AccountId): number | null {
    const now = this.#parts.clock.now();
    const view = this.#parts.road.accounts().find(({ id }) => id === account);
    if (view === undefined) return now;
    if (view.paused || view.refused !== null || view.breaker.state !== 'closed') return null;
    const freezes = this.#parts.road.limits(account, 1)[0]?.freezes ?? [];
    const ends = freezes.map(({ until }) => until);
    const end = Math.max(now, ...ends);
    return Number.isFinite(end) ? end : null;
  }
}
