// Since when a platform has not answered an account's calls, while some are in flight: until their deadline, which is
// long, neither a retry nor a breaker says that anything is wrong. Any answer ends a silence, so one slow call among
// others is none. A call with files may take as long as its bytes do: its answer counts, its wait does not.

import type { AccountId } from '../../domain/ids.ts';

// Longer than platforms take when they hide a short wait as latency (1 to 8 s).
const ANSWER_DUE_MS = 10_000;
// So many times what answers of the account take is clearly longer than usual.
const USUAL_TIMES = 4;
const SMOOTHING = 1 / 8;
// The next call after one without an answer goes on with its silence, unless it comes later than this (ms).
const RESUMED_WITHIN_MS = 60_000;

interface Calls {
  inFlight: number;
  // null: the newest call that ended was answered, and none is in flight.
  since: number | null;
  endedAt: number;
  usualMs: number;
}

export class Silences {
  readonly #byAccount = new Map<AccountId, Calls>();

  left(account: AccountId, now: number): void {
    const known = this.#byAccount.get(account);
    const calls = known ?? { inFlight: 0, since: null, endedAt: now, usualMs: 0 };
    if (known === undefined) this.#byAccount.set(account, calls);
    const isLater = calls.inFlight === 0 && now - calls.endedAt > RESUMED_WITHIN_MS;
    if (calls.since === null || isLater) calls.since = now;
    calls.inFlight += 1;
  }

  // Without an answer: its deadline is over, or the connection broke.
  ended(account: AccountId, now: number): void {
    const calls = this.#byAccount.get(account);
    if (calls === undefined) return;
    calls.inFlight -= 1;
    calls.endedAt = now;
  }

  answered(account: AccountId, tookMs: number, now: number): void {
    const calls = this.#byAccount.get(account);
    if (calls !== undefined) calls.usualMs += (tookMs - calls.usualMs) * SMOOTHING;
    this.ended(account, now);
    this.heard(account, now);
  }

  // An answer to a call that never left() here.
  heard(account: AccountId, now: number): void {
    const calls = this.#byAccount.get(account);
    if (calls !== undefined) calls.since = calls.inFlight === 0 ? null : now;
  }

  // null: it answers, nothing is in flight, or an answer may still come.
  since(account: AccountId, now: number): number | null {
    const calls = this.#byAccount.get(account);
    if (calls === undefined || calls.inFlight === 0 || calls.since === null) return null;
    const dueMs = Math.max(ANSWER_DUE_MS, USUAL_TIMES * calls.usualMs);
    return now - calls.since >= dueMs ? calls.since : null;
  }

  forget(account: AccountId): void {
    this.#byAccount.delete(account);
  }
}
