// Accounts whose platform could not be asked whose token it is: their callers are turned away, so nothing waits that
// would show it. Kept for a while after the last try, and bounded, because anyone may bring a token.

export interface UnreachableAccount {
  // As its token names it; nobody has vouched for it.
  readonly id: string;
  // What was met, in the words of the system.
  readonly detail: string;
}

export const UNREACHABLE_MAX = 100;
// Whoever still wants it tries again within this time.
export const UNREACHABLE_KEPT_MS = 600_000;
// Told again while it lasts, at growing intervals.
const TOLD_AGAIN_MS = 60_000;
const TOLD_AGAIN_MS_MAX = 3_600_000;

interface Entry {
  readonly account: UnreachableAccount;
  readonly at: number;
  readonly tellAt: number;
  readonly againMs: number;
}

export class UnreachableAccounts {
  // Insertion order is age order: the first key is the oldest.
  readonly #entries = new Map<string, Entry>();

  // Whether it is to be told: for the first time, or again.
  failed(account: UnreachableAccount, now: number): boolean {
    const { id } = account;
    this.list(now);
    const before = this.#entries.get(id);
    this.#entries.delete(id);
    const isToTell = before === undefined || now >= before.tellAt;
    const againMs = before === undefined ? TOLD_AGAIN_MS : before.againMs * (isToTell ? 2 : 1);
    const tellAt = isToTell ? now + Math.min(againMs, TOLD_AGAIN_MS_MAX) : before!.tellAt;
    this.#entries.set(id, { account, at: now, tellAt, againMs });
    if (this.#entries.size > UNREACHABLE_MAX)
      this.#entries.delete(this.#entries.keys().next().value!);
    return isToTell;
  }

  answered(id: string): void {
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
