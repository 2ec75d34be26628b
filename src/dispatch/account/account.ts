// What the road knows of an account: how its calls are made and retried, what limits them when its platform cannot
// tell, as whose owner it is written, and under which other ids its chats go.

import type { Queued } from '../../domain/delivery.ts';
import type { Plan, Priors, Rule } from '../../limits/limits.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { Order } from '../../scheduler/scheduler.ts';
import type { StoredLimit } from '../../store/ports/limits.ts';
import type { Owner, OwnershipStore } from '../../store/ports/ownership.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import { assert } from '../../system/assert.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import type { BreakerSettings } from './availability.ts';

export interface Profile {
  readonly platform: Platform;
  // The platform's limits, with the account's own settings.
  readonly priors: Priors;
  // Accounts of one host share a breaker.
  readonly host: string;
  readonly retry: RetryPolicy;
  readonly breaker: BreakerSettings;
  readonly deadlineMs: number;
  readonly queueMax: number;
  readonly queueBytesMax: number;
  // Nobody has configured the account.
  readonly isStranger: boolean;
  readonly inFlightMax: number;
  readonly order: Order;
  // Whether a text too long for one message goes out as several.
  readonly splits: boolean;
}

export interface RetryPolicy {
  readonly baseMs: number;
  readonly maxMs: number;
  // Given up only after so many failures and at this age, so that a short outage kills nothing.
  readonly attemptsMax: number;
  readonly deadAgeMinMs: number;
  // What to do when an answer was lost and the platform cannot deduplicate.
  readonly uncertain: 'resend' | 'hold';
}

// A platform's limits, asked for every decision of the loop. When the platform throws instead of answering, its calls
// go on at a careful pace of their own, rather than stopping everyone or going without any limit.

const EACH_CHAT: Rule = { name: 'careful_chat', scope: 'chat', count: 1, perMs: 1000 };
const EACH_ACCOUNT: Rule = { name: 'careful_account', scope: 'account', count: 1, perMs: 1000 };
const CAREFUL: Plan = Object.freeze({ account: [EACH_ACCOUNT], chat: [EACH_CHAT] });

export function safePriors(priors: Priors, report: (error: unknown) => void): Priors {
  return {
    ...(priors.lookBackMs === undefined ? null : { lookBackMs: priors.lookBackMs }),
    planOf(charge) {
      try {
        return priors.planOf(charge);
      } catch (error) {
        report(error);
        return CAREFUL;
      }
    },
  };
}

// As whose owner the road writes. An account is opened in the store when something of it first appears, and closed when
// it is forgotten; in between its epoch is at hand, so that no message waits for it.

export class AccountOwners {
  readonly #store: Pick<OwnershipStore, 'openAccount' | 'closeAccount'>;
  readonly #owners = new Map<string, Owner>();
  readonly #opening = new Map<string, Promise<Owner>>();

  constructor(store: Pick<OwnershipStore, 'openAccount' | 'closeAccount'>) {
    this.#store = store;
  }

  // Of an account that is open: whatever waits or is being sent is of one.
  of(account: string): Owner {
    const owner = this.#owners.get(account);
    assert(owner !== undefined, `${account} is open`);
    return owner;
  }

  // null: it is to be opened first.
  known(account: string): Owner | null {
    return this.#owners.get(account) ?? null;
  }

  async open(account: string): Promise<Owner> {
    const known = this.#owners.get(account) ?? this.#opening.get(account);
    if (known !== undefined) return known;
    const opening = this.#open(account).finally(() => this.#opening.delete(account));
    this.#opening.set(account, opening);
    return opening;
  }

  async #open(account: string): Promise<Owner> {
    const owner = await this.#store.openAccount(account);
    this.#owners.set(account, owner);
    return owner;
  }

  async close(account: string): Promise<void> {
    const owner = this.#owners.get(account);
    if (owner === undefined) return;
    this.#owners.delete(account);
    try {
      await this.#store.closeAccount(owner);
    } catch (error) {
      // It stays this process's, which harms nobody.
      if (!(error instanceof JournalUnavailable)) throw error;
    }
  }
}

// One chat under several ids: a group that became a supergroup, a channel's @name and its number. Learned from
// answers, kept with the limits; whatever names such a chat shares its lanes and its budget.

// Of one account; beyond it the oldest is forgotten, and learned again when it is met.
const ALIASES_MAX = 10_000;
// A group moves once; more steps than this are a circle.
const STEPS_MAX = 8;
const KEY = 'alias|';

export interface Alias {
  readonly from: string;
  readonly to: string;
  // The old id no longer works: calls that name it are sent to the new one.
  readonly moved: boolean;
}

export class Aliases {
  readonly #byAccount = new Map<string, Map<string, Alias>>();
  // Chats that others moved to, by account, and how many did.
  readonly #homes = new Map<string, Map<string, number>>();
  // Those that gave way to newer ones, until their records are taken.
  #forgotten: { readonly account: string; readonly from: string }[] = [];

  canonical(account: string, chat: string): string {
    const aliases = this.#byAccount.get(account);
    if (aliases === undefined) return chat;
    let known = chat;
    for (let i = 0; i < STEPS_MAX; i++) known = aliases.get(known)?.to ?? known;
    return known;
  }

  resolved(queued: Queued): Queued {
    const chat = this.canonical(queued.account, queued.chat);
    return chat === queued.chat ? queued : { ...queued, chat };
  }

  // Calls of other ids were redirected to this chat.
  isNewHome(account: string, chat: string): boolean {
    return this.#homes.get(account)?.has(chat) === true;
  }

  of(account: string): Iterable<Alias> {
    return this.#byAccount.get(account)?.values() ?? [];
  }

  // False: nothing new.
  learn(account: string, alias: Alias): boolean {
    const { from, to } = alias;
    if (this.canonical(account, from) === this.canonical(account, to)) return false;
    let aliases = this.#byAccount.get(account);
    if (aliases === undefined) {
      aliases = new Map();
      this.#byAccount.set(account, aliases);
    }
    this.#countHome(account, aliases.get(from), -1);
    aliases.set(from, alias);
    this.#countHome(account, alias, 1);
    for (const oldest of aliases.values()) {
      if (aliases.size <= ALIASES_MAX) break;
      aliases.delete(oldest.from);
      this.#forgotten.push({ account, from: oldest.from });
      this.#countHome(account, oldest, -1);
    }
    return true;
  }

  // What deletes the records of those that were forgotten since this was last asked.
  forgotten(now: number): StoredLimit[] {
    const forgotten = this.#forgotten;
    if (forgotten.length > 0) this.#forgotten = [];
    return forgotten.map(({ account, from }) => {
      return { account, key: `${KEY}${from}`, value: '', updatedAt: now };
    });
  }

  // They stay on disk.
  forget(account: string): void {
    this.#byAccount.delete(account);
    this.#homes.delete(account);
  }

  #countHome(account: string, alias: Alias | undefined, change: number): void {
    if (alias?.moved !== true) return;
    let homes = this.#homes.get(account);
    if (homes === undefined) {
      homes = new Map();
      this.#homes.set(account, homes);
    }
    const count = (homes.get(alias.to) ?? 0) + change;
    if (count > 0) homes.set(alias.to, count);
    else homes.delete(alias.to);
  }

  restore({ account, key, value }: StoredLimit): void {
    if (!key.startsWith(KEY)) return;
    const stored = jsonOrUndefined(value);
    if (typeof stored !== 'object' || stored === null) return;
    const { to, moved } = stored as Record<string, unknown>;
    if (typeof to !== 'string') return;
    this.learn(account, { from: key.slice(KEY.length), to, moved: moved === true });
  }
}

export function recordOf(account: string, alias: Alias, now: number): StoredLimit {
  const { from, to, moved } = alias;
  return { account, key: `${KEY}${from}`, value: JSON.stringify({ to, moved }), updatedAt: now };
}
