// Limits that an operator has set for an account: checked, kept with what else is known of its limits, in force at once
// and again after a restart or a take-over. Changes of one account are made one after the other, so that what is kept
// is what was checked.

import type { AccountId } from '../../domain/ids.ts';
import type {
  CheckedLimits,
  LimitChange,
  LimitNumber,
  LimitSetting,
  LimitsByHand,
  WrongLimit,
} from '../../domain/limit-setting.ts';
import type { LimitsSet } from '../../road/road.ts';
import type { StoredLimit } from '../../store/ports/limits.ts';
import { NOT_OWNER } from '../../store/ports/ownership.ts';
import type { Clock } from '../../system/clock.ts';
import { jsonOrUndefined } from '../../system/json.ts';

// Whoever knows which settings there are.
export interface LimitSettings {
  check(account: AccountId, change: LimitChange): CheckedLimits;
  set(account: AccountId, byHand: LimitsByHand): readonly WrongLimit[];
  view(account: AccountId): LimitSetting[];
}

interface Parts {
  readonly clock: Clock;
  readonly limitSettings?: LimitSettings;
  report(stage: 'recovery', error: unknown, about: { account: AccountId }): void;
}

interface LimitedRoad {
  // False: it is another's by now.
  writeLimits(records: readonly StoredLimit[]): Promise<boolean>;
  retune(account: AccountId, now: number): void;
}

const KEY = 'settings|by_hand';

export class LimitsSetByHand {
  readonly #road: LimitedRoad;
  readonly #p: Parts;
  #last: Promise<unknown> = Promise.resolve();

  constructor(road: LimitedRoad, parts: Parts) {
    this.#road = road;
    this.#p = parts;
  }

  view(account: AccountId): LimitSetting[] {
    return this.#p.limitSettings?.view(account) ?? [];
  }

  change(account: AccountId, change: LimitChange): Promise<LimitsSet> {
    const made = this.#last.then(() => this.#change(account, change));
    this.#last = made.catch(() => {});
    return made;
  }

  async #change(account: AccountId, change: LimitChange): Promise<LimitsSet> {
    const { limitSettings, clock } = this.#p;
    if (limitSettings === undefined) return { kind: 'unknown' };
    const checked = limitSettings.check(account, change);
    if (checked.kind === 'wrong') return checked;
    const { byHand } = checked;
    const value = Object.keys(byHand).length === 0 ? '' : JSON.stringify(byHand);
    const record = { account, key: KEY, value, updatedAt: clock.now() };
    if (!(await this.#road.writeLimits([record]))) return NOT_OWNER;
    limitSettings.set(account, byHand);
    this.#road.retune(account, clock.now());
    return { kind: 'set', settings: limitSettings.view(account) };
  }

  // As they are kept of these accounts, and of no other. What cannot be read any more counts for nothing.
  restore(accounts: readonly AccountId[], kept: readonly StoredLimit[]): void {
    const byHand = new Map<AccountId, LimitsByHand>();
    for (const { account, key, value } of kept) {
      if (key === KEY) byHand.set(account, read(value));
    }
    for (const account of accounts) {
      const wrong = this.#p.limitSettings?.set(account, byHand.get(account) ?? {}) ?? [];
      for (const { name, expected } of wrong) {
        this.#p.report('recovery', new Error(`limit ${name} by hand: ${expected}`), { account });
      }
    }
  }
}

function read(value: string): LimitsByHand {
  const stored = jsonOrUndefined(value);
  if (typeof stored !== 'object' || stored === null) return {};
  const isNumber = (each: unknown): each is LimitNumber =>
    each === null || typeof each === 'number';
  return Object.fromEntries(
    Object.entries(stored).flatMap(([name, each]) => (isNumber(each) ? [[name, each]] : [])),
  );
}
