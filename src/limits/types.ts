// The types of the limits: what a platform says about its limits, what a call asks for, what an answer
// teaches and what is kept on disk. Types only, so that every file of the folder may import them.

import type { Family } from '../domain/call.ts';
import type { AccountId } from '../domain/ids.ts';

// At most `count` in any `perMs`. A spacing of one second is { count: 1, perMs: 1000 }.
// Rules of one name share one window within their scope, whichever plan mentions them: such rules
// may differ in `count` (live output gets less than answers), never in `perMs`.
// A `debt` is no window: `count` at once, and what was used comes back evenly, all of it in `perMs`.
export interface Rule {
  readonly name: string;
  readonly scope: 'account' | 'chat' | 'thread' | 'user';
  readonly count: number;
  readonly perMs: number;
  // Left out: a window. `debt`: `count` at once, each of which is paid back in `perMs / count`; see slot.ts.
  // `chats`: counts the chats that were called, however often; see distinct.ts.
  readonly kind?: 'window' | 'debt' | 'chats';
  // In words: "this group takes 20 messages a minute".
  readonly says?: string;
  // An operator's, not the platform's: no answer teaches anything about it.
  readonly isOperators?: boolean;
}

// All rules a kind of call must satisfy together. Platforms keep one frozen plan per kind of call.
export interface Plan {
  readonly account: readonly Rule[];
  // Scope chat, thread and user.
  readonly chat: readonly Rule[];
  // The platform's own bucket, of which its answers tell; left out: they tell nothing.
  readonly route?: string;
}

export interface Charge {
  readonly chat: string;
  // Left out or null: rules of threads are the chat's.
  readonly thread?: string | null;
  readonly user: string | null;
  readonly family: Family;
  readonly budget: string;
  readonly live: boolean;
  readonly cost: number;
  // As `describe` names it; left out: any of its family.
  readonly method?: string;
}

// What the platform knows about its limits: the priors.
export interface Priors {
  planOf(charge: Charge): Plan;
  // Whether any rule is per user: only then need a call's user be found out.
  readonly pacesUsers?: boolean;
  // The longest window, as far as a start must look back for it; left out: as far as it does anyway.
  readonly longestMs?: number;
}

// What an attempt taught. `unjudged`: it never reached the platform (gives its capacity back).
// `judged`: it did, whatever it said; a slow success is the early warning of a flood wait.
export type Signal =
  | { kind: 'ok' }
  | { kind: 'judged' }
  | { kind: 'unjudged' }
  | { kind: 'limited'; retryAfterMs: number; scope: 'chat' | 'family' | 'account' };

// The capacity a call has taken; to be handed back with `departed` and, exactly once, `settled`.
export interface Ticket {
  readonly charge: Charge;
}

export type FreezeScope = 'chat' | 'family' | 'budget' | 'account';

// What a settle changed: records for the settle's own transaction, freezes for the event stream.
export interface Learned {
  readonly records: LimitRecord[];
  readonly freezes: { scope: FreezeScope; name: string; until: number; cause: string }[];
}

// One persisted fact: a freeze or a learned rate. `value` is JSON text; '' deletes the record.
export interface LimitRecord {
  readonly account: AccountId;
  readonly key: string;
  readonly value: string;
  readonly updatedAt: number;
}

// An attempt of the recent past, from which windows are rebuilt after a restart.
export interface PastCall extends Charge {
  readonly account: AccountId;
  readonly startedAt: number;
  // null: in flight when the process ended.
  readonly endedAt: number | null;
  // False when it is known not to have been judged or to have been refused capacity (limited, unsent).
  readonly counted: boolean;
}

// One reason why a call must wait, for `explain`.
export interface Cause {
  readonly kind: 'window' | 'freeze' | 'probe';
  // The rule's name, or what is frozen.
  readonly name: string;
  readonly scope: 'account' | 'chat' | 'thread' | 'user' | 'family' | 'budget' | 'route';
  readonly until: number;
  readonly detail: string;
  // Of a window that may be open now and is used up by so many that go before.
  readonly ahead?: number;
}

// How many calls like it go before one.
export interface Ahead {
  readonly inChat: number;
  readonly inAccount: number;
}

// What is known of one chat, or of the account itself (chat '').
export interface ChatView {
  readonly chat: string;
  readonly rules: {
    name: string;
    scope: Rule['scope'];
    // The rule in words.
    says: string;
    used: number;
    count: number;
    perMs: number;
    // The share of the prior that is believed in now, 1 when nothing was learned.
    learned: number;
    freeAt: number;
  }[];
  readonly freezes: { scope: FreezeScope; since: number; until: number; cause: string }[];
}
