// What one try came to. The classifier of each platform is the only maker of these.
// "Said no" is not "no answer": `uncertain` is where duplicates come from, so it is a kind of its own.

export type Outcome = Answered & {
  readonly observed?: ObservedBucket;
  // It was decided here: the platform was not asked, so it counted nothing.
  readonly isUnasked?: true;
};

// What an answer says of the platform's own count, whatever else it says: so many are left until it is full again.
export interface ObservedBucket {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAfterMs: number;
}

type Answered =
  | { kind: 'sent'; messageId: string | null; result: string }
  // The platform said wait. `scope` is what the answer itself proves; the limits may widen it.
  // `cure`: a part went through before the rest was told to wait; only the rest goes again.
  | {
      kind: 'limited';
      retryAfterMs: number;
      scope: 'chat' | 'family' | 'account';
      result: string;
      cure?: Cure;
      // Of a platform that names no wait: each further try of the delivery waits so many times longer.
      growth?: number;
    }
  // The platform said no and will say no again. `cure` names a change of the call that may help, once.
  | { kind: 'refused'; reason: string; detail: string; result: string; cure: Cure | null }
  // Broken, and surely not delivered: safe to repeat. `hostDown`: it is no fault of the call. Where an answer said so
  // (`isAnswered`) it may still be one of the account: only when nothing connects is it surely the host.
  // `status`: of an answer that says the platform itself is broken (5xx).
  | {
      kind: 'failed';
      reason: string;
      detail: string;
      hostDown: boolean;
      isAnswered?: boolean;
      status?: number;
    }
  // The request was written and no answer came: it may or may not have been delivered.
  | { kind: 'uncertain'; reason: string; detail: string; status?: number };

type Limited = Extract<Outcome, { kind: 'limited' }>;

// Beyond this many times a wait is longer than that of any platform that names none.
const GROWN_MAX = 5;

// A wait that the platform did not name, as it is for the n-th try.
export function withGrownWait(outcome: Limited, n: number): Limited {
  if (outcome.growth === undefined) return outcome;
  const { growth, retryAfterMs } = outcome;
  return { ...outcome, retryAfterMs: retryAfterMs * growth ** Math.min(n - 1, GROWN_MAX) };
}

export type Cure =
  | { kind: 'move_chat'; chat: string }
  | { kind: 'drop_reply' }
  | { kind: 'plain_text' }
  | { kind: 'drop_thread' }
  // Of several messages in one call the first `count` are delivered.
  | { kind: 'drop_sent'; count: number };

// How the record names that a call of several messages went out in part: it can no longer be taken back.
export const NEXT_PART = 'next_part';
export const PARTLY_SENT: readonly string[] = [NEXT_PART, 'drop_sent' satisfies Cure['kind']];

// The account itself is refused (revoked token): opens the breaker until the token changes.
export const ACCOUNT_REFUSED = 'unauthorized';

export interface Attempt {
  readonly seq: number;
  // 1 for the first try.
  readonly n: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  // null: still in flight, or the process ended before the answer.
  readonly outcome: Outcome['kind'] | null;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly retryAfterMs: number | null;
  // What it waited for before it was begun; see waited.ts. null: nothing, or nothing that is known.
  readonly waitedFor: string | null;
}
