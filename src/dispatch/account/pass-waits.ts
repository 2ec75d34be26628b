// How long the platform wants calls of one method to wait that are passed straight through. They have no delivery and
// no window; the wait is a record of the account like a freeze, so that the next process keeps it too.

import type { AccountId } from '../../domain/ids.ts';
import type { StoredLimit } from '../../store/ports/limits.ts';
import { jsonOrUndefined } from '../../system/json.ts';

const KEY = 'pass|';
// Of one account; of more the oldest are forgotten.
const METHODS_MAX = 100;
const METHOD_LENGTH_MAX = 64;

interface Wait {
  readonly since: number;
  readonly until: number;
}

export interface PassWait extends Wait {
  readonly scope: 'method';
  readonly name: string;
  readonly cause: string;
}

export class PassWaits {
  readonly #byAccount = new Map<AccountId, Map<string, Wait>>();

  // 0: it may go.
  until(account: AccountId, method: string): number {
    return this.#byAccount.get(account)?.get(nameOf(method))?.until ?? 0;
  }

  // Those that hold now, as freezes are told.
  active(account: AccountId, now: number): PassWait[] {
    const waits = [...(this.#byAccount.get(account) ?? [])].filter(([, { until }]) => until > now);
    return waits.map(([method, { since, until }]) => {
      const asked = `asked to wait ${Math.ceil((until - since) / 1000)} s`;
      const cause = `the platform refused ${method}, which is passed through, and ${asked}`;
      return { scope: 'method', name: method, since, until, cause };
    });
  }

  countActive(now: number): number {
    const accounts = [...this.#byAccount.keys()];
    return accounts.reduce((n, account) => n + this.active(account, now).length, 0);
  }

  // By hand: all of them are over. What to write down.
  thaw(account: AccountId, now: number): StoredLimit[] {
    const over = this.active(account, now);
    this.#byAccount.delete(account);
    return over.map(({ name }) => ({ account, key: KEY + name, value: '', updatedAt: now }));
  }

  // What to write down, with what deletes the records of waits that are over.
  note(account: AccountId, method: string, until: number, now: number, since = now): StoredLimit[] {
    if (until <= Math.max(now, this.until(account, method))) return [];
    const waits = this.#byAccount.get(account) ?? new Map<string, Wait>();
    this.#byAccount.set(account, waits);
    const over = [...waits].filter(([, each]) => each.until <= now).map(([name]) => name);
    const name = nameOf(method);
    waits.delete(name);
    const surplus = Math.max(0, waits.size + 1 - METHODS_MAX);
    over.push(...[...waits.keys()].slice(0, surplus));
    for (const each of over) waits.delete(each);
    waits.set(name, { since, until });
    const record = (of: string, value: string) => ({
      account,
      key: KEY + of,
      value,
      updatedAt: now,
    });
    const ended = over.filter((each) => each !== name).map((each) => record(each, ''));
    return [...ended, record(name, JSON.stringify({ since, until }))];
  }

  // However far the clock was set meanwhile: no longer from now than it was meant to be.
  restore({ account, key, value }: StoredLimit, now: number): void {
    if (!key.startsWith(KEY)) return;
    const stored = jsonOrUndefined(value);
    if (typeof stored !== 'object' || stored === null) return;
    const { since, until } = stored as Record<string, unknown>;
    if (typeof since !== 'number' || typeof until !== 'number') return;
    const end = Math.min(until, now + until - since);
    this.note(account, key.slice(KEY.length), end, now, Math.min(since, now));
  }

  // They stay on disk.
  forget(account: AccountId): void {
    this.#byAccount.delete(account);
  }
}

function nameOf(method: string): string {
  return method.toLowerCase().slice(0, METHOD_LENGTH_MAX);
}
