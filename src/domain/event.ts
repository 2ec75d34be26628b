// What the road tells the outside. The log, the metrics and the event stream are folds over these;
// there is no second bookkeeping.

import type { State } from './delivery.ts';
import type { AccountId } from './ids.ts';
import type { Outcome } from './outcome.ts';
import type { Priority } from './priority.ts';

export interface About {
  readonly seq: number;
  readonly id: string;
  // Its caller's own id of it, else the same as `id`.
  readonly correlation: string;
  readonly account: AccountId;
  readonly chat: string;
  readonly lane: string;
  readonly method: string;
  readonly priority: Priority;
}

export type RoadEvent =
  | { kind: 'accepted'; at: number; about: About }
  // `waitedMs`: from becoming due to the start of this try.
  | {
      kind: 'attempted';
      at: number;
      about: About;
      n: number;
      outcome: Outcome['kind'];
      reason: string | null;
      tookMs: number;
      waitedMs: number;
      retryAfterMs: number | null;
      // Of an answer that says the platform itself is broken (5xx); null: it was none.
      brokenStatus: number | null;
      // Of one that failed: what its payload is like, never what it says. null: it was sent, or not tried.
      payload: string | null;
      // Of a call that failed or got no answer: what was met.
      detail?: string;
    }
  | {
      kind: 'moved';
      at: number;
      about: About;
      from: State;
      to: State;
      reason: string | null;
      dueAt: number;
      ageMs: number;
    }
  // A typing sign or a draft, which no delivery stands for: it went at once, or was left out.
  | {
      kind: 'cosmetic';
      at: number;
      account: AccountId;
      chat: string;
      method: string;
      end: CosmeticEnd;
    }
  | { kind: 'frozen'; at: number; account: AccountId; scope: string; until: number; cause: string }
  | {
      kind: 'breaker';
      at: number;
      account: AccountId;
      state: 'closed' | 'open' | 'half_open';
      until: number;
      cause: string;
      // What was really met, in the words of the system or the platform; '': nothing more is known.
      detail: string;
    }
  // The platform no longer takes the account's token, or takes it again.
  | { kind: 'token'; at: number; account: AccountId; state: 'refused' | 'taken'; detail: string }
  // The store takes nothing, or takes again what it is given (null).
  | { kind: 'store'; at: number; trouble: StoreTrouble | null };

export type StoreTrouble = 'disk_full' | 'journal_failed';

export const COSMETIC_ENDS = ['sent', 'dropped', 'refused', 'failed'] as const;
export type CosmeticEnd = (typeof COSMETIC_ENDS)[number];

export type RoadListener = (event: RoadEvent) => void;

// What a listener wants to be told. `routine`: that a message was accepted, and that its call was made and it is sent.
// `trouble`: all the rest. Most of what there is to tell is routine, so whoever needs only the rest should say so.
export type Interest = 'routine' | 'trouble';

// What the road has told since it began, counted whether or not anybody listens.
export interface RoadCounts {
  readonly accepted: number;
  readonly sent: number;
  readonly limited: number;
  readonly failed: number;
  readonly dead: number;
  // Events of all kinds: as long as it stays the same, nothing has changed.
  readonly events: number;
}
