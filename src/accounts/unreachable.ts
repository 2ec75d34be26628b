// Accounts whose platform could not be asked whose token it is: their callers are turned away, so nothing waits that
// would show it. Kept for a while after the last try, and bounded, because anyone may bring a token.

import type { AccountId } from '../domain/ids.ts';

export interface UnreachableAccount {
  // As its token names it; nobody has vouched for it.
  readonly id: AccountId;
  // What was met, in the words of the system.
  readonly detail: string;
}

export const UNREACHABLE_MAX = 100;
// Whoever still wants it tries again within this time.
export const UNREACHABLE_KEPT_MS = 600_000;
// Logged again while it lasts, at growing intervals.
const LOGGED_AGAIN_MS = 60_000;
const LOGGED_AGAIN_MS_MAX = 3_600_000;

interface Entry {
  readonly account: UnreachableAccount;
  readonly at: number;
  readonly logAt: number;
  readonly againMs: number;
}

export class UnreachableAccounts {
  // Insertion order is age order: the first key is the oldest.
  readonly #entries = new Map<AccountId, Entry>();

  // Whether it is to be logged: for the first time, or again.
  failed(account: UnreachableAccount, now: number): boolean {
    const { id } = account;
    this.list(now);
    const before = this.#entries.get(id);
    this.#entries.delete(id);
    const isToLog = before === undefined || now >= before.logAt;
    const againMs = before === undefined ? LOGGED_AGAIN_MS : before.againMs * (isToLog ? 2 : 1);
    const logAt = isToLog ? now + Math.min(againMs, LOGGED_AGAIN_MS_MAX) : before!.logAt;
    this.#entries.set(id, { account, at: now, logAt, againMs });
    if (this.#entries.size > UNREACHABLE_MAX)
      this.#entries.delete(this.#entries.keys().next().value!);
    return isToLog;
  }

  answered(id: AccountId): void {
    this.#entries.delete(id);
  }

  list(now: number): UnreachableAccount[] {
    for (const [id, { at }] of this.#entries) {
      if (now - at < UNREACHABLE_KEPT_MS) break;
      this.#entries.delete(id);
    }
    return Array.from(this.#entries.values(), ({ account }) => account);
  }
}
