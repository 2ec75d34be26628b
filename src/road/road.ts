// The port of the road: what those who submit, watch and operate may ask of it. dispatch/ implements it.

import type { Family } from '../domain/call.ts';
import type { NewDelivery, State } from '../domain/delivery.ts';
import type { CosmeticEnd, Interest, RoadCounts, RoadListener } from '../domain/event.ts';
import type { AccountId } from '../domain/ids.ts';
import type { LimitChange, LimitSetting, WrongLimit } from '../domain/limit-setting.ts';
import type { Priority } from '../domain/priority.ts';
import type { Cause, Charge } from '../limits/limits.ts';
import type { Unanswered, UnansweredBounds } from '../store/ports/callers.ts';
import type { Appended, MoveCommand, Moved, QueueFull } from '../store/ports/delivery.ts';
import type { NotOwner } from '../store/ports/ownership.ts';

export interface Road {
  // Durable when it resolves; rejects with JournalUnavailable when the store cannot be written.
  submit(delivery: NewDelivery): Promise<Appended>;
  // Which bound keeps so many more bytes of the account from being queued; null: none.
  fullFor(account: AccountId, bytes: number): QueueFull | null;
  // Whether it is a preview of live output: a newer one may take its place, so nobody waits for it.
  isPreview(seq: number): boolean;
  // An edit that would change nothing needs no call: the end of the delivery that left the message so. null: a call is
  // needed.
  unchanged(delivery: NewDelivery): Ended | null;
  // Whether a limit of the account is per user: only then need it be known on whose behalf a call is.
  pacesUsers(account: AccountId): boolean;
  // In which thread a message stands that was sent from here not long ago; null: in none, or nobody knows.
  threadOf(account: AccountId, chat: string, message: string): string | null;
  // Of calls that are passed through without a delivery: until when the platform wants those of a method to wait (0:
  // they may go), and noting that it said so. Kept across a restart.
  passWait(account: AccountId, method: string): number;
  limitPassed(account: AccountId, method: string, until: number): void;
  // Asks the platform whether it refuses the account's token: after a 401 to such a call, which may be a proxy's. One
  // question at a time, whoever asks; nothing is held meanwhile. False also when the platform cannot be asked.
  isTokenRefused(account: AccountId): Promise<boolean>;
  // For typing signs and drafts: goes at once or not at all; never queued, never tried again.
  cosmetic(call: CosmeticCall): Promise<CosmeticAnswer>;
  // A call was passed through without a delivery: it counts for the account's limits.
  passed(account: AccountId, charge: Charge): void;
  // Resolves when the delivery comes to rest; if a newer one took its place, when that one does.
  // The signal only ends the waiting, never the delivery.
  ended(seq: number, signal: AbortSignal): Promise<Ended>;
  // Where it stands, if it waits: 1 is next in its lane. `eta` is an estimate, ms since the epoch.
  place(seq: number): QueuePosition | null;
  explain(seq: number): Explanation | null;
  move(order: MoveOrder): Promise<Moved>;
  // Of one account, in their order, in as few commits as the store needs. Each is answered by itself.
  moveTogether(orders: readonly MoveOrder[]): Promise<Moved[]>;
  // The caller that waits for the answer to a delivery has left, or one has come back for it.
  caller(account: AccountId, seq: number, isThere: boolean): void;
  // Whose callers had no answer when the process before this one ended.
  unanswered(bounds: UnansweredBounds): Promise<Unanswered[]>;

  accounts(): AccountView[];
  // At most so many views; an account's own is its first.
  limits(account: AccountId | null, viewsMax?: number): LimitsView[];
  // Those that hold now, the one that ends last first.
  freezes(): Frozen[];
  pause(account: AccountId): Promise<boolean>;
  resume(account: AccountId): Promise<boolean>;
  // By hand: asks the platform for the account now; if it takes the token the next call may go. null: no such account.
  probe(account: AccountId): Promise<Probed | null>;
  // By hand: freezes the chat (null: the account) until then, or ends the freezes there. `freeze` answers until when it
  // holds, as a longer freeze stays (null: no such account); `thaw` how many freezes have ended.
  freeze(what: HandOnLimits, until: number, cause: string): Promise<number | null>;
  thaw(what: HandOnLimits): Promise<number>;
  // By hand: the numbers of an account's limits. A change is durable and in force when it resolves; null in it restores
  // the default.
  limitSettings(account: AccountId): LimitSetting[] | null;
  setLimits(account: AccountId, change: LimitChange): Promise<LimitsSet>;
  depths(): Depths;
  // The first of each lane, those that wait longest first; of one chat all that wait in it. For people who look: it
  // walks all lanes.
  waiting(filter: WaitingFilter, max: number): WaitingHead[];
  // Without an interest: everything. Answers how to stop listening.
  listen(listener: RoadListener, interest?: Interest): () => void;
  counts(): RoadCounts;
}

export interface Probed {
  readonly found: 'taken' | 'refused' | 'unreachable';
  readonly detail: string;
}

export type LimitsSet =
  | { readonly kind: 'set'; readonly settings: readonly LimitSetting[] }
  | { readonly kind: 'wrong'; readonly problems: readonly WrongLimit[] }
  | { readonly kind: 'unknown' }
  | NotOwner;

export interface HandOnLimits {
  readonly account: AccountId;
  readonly chat: string | null;
}

// A move of a delivery of this account.
export type MoveOrder = MoveCommand & { readonly account: AccountId };

export interface CosmeticCall {
  readonly account: AccountId;
  readonly chat: string;
  readonly thread?: string | null;
  readonly method: string;
  readonly family: Family;
  readonly budget: string;
  readonly user: string | null;
  readonly body: string;
}

// The road as live output uses it, which asks when a call could go instead of queueing: its texts are worth nothing
// while they wait.
export interface AskedRoad extends Road {
  // It waits for its turn: its next attempt has not begun. What is submitted in the same turn of the event loop reaches
  // the store before that attempt.
  isWaiting(seq: number): boolean;
  // The messages of its chat that the call changes or deletes; none: there are none, or nobody can tell.
  touched(delivery: NewDelivery): readonly string[];
  // When the message that an edit changes was last made or changed by us; null: that is not known.
  changedAt(delivery: NewDelivery): number | null;
  // A text grows from this message: if we sent it as any other, its send was live output, and counts as such since it
  // went. Once per message.
  beganLive(message: SentMessage): void;
  // What waits for a time may go: now, or at that time as a final, which has right of way and the chat's whole budget.
  // False: it does not wait any more.
  release(seq: number, finalAt: number | null): boolean;
  // In its lane it goes before those of `others` that stand right before it.
  goBefore(seq: number, others: ReadonlySet<number>): void;
  // When a call could go that nobody has asked for yet. At or before now: at once. Infinity: nobody knows, some other
  // call has to come back first.
  earliest(call: Prospect): number;
  // What holds such a call back, as text; null: nothing does.
  hindrance(call: Prospect): string | null;
}

export interface SentMessage {
  readonly account: AccountId;
  readonly chat: string;
  // null: nobody can tell.
  readonly message: string | null;
}

// A call that may be made: what the limits need to know of it.
export type Prospect = Pick<
  NewDelivery,
  'account' | 'chat' | 'user' | 'family' | 'budget' | 'live' | 'cost'
>;

export interface CosmeticAnswer {
  readonly end: CosmeticEnd;
  // The platform's answer, where it has something to say to the caller: done, or refused for good.
  readonly result: string | null;
}

export interface Ended {
  readonly seq: number;
  readonly state: State;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly messageId: string | null;
  // The platform's answer (JSON text), also when it refused; null when there was none.
  readonly result: string | null;
}

export interface QueuePosition {
  readonly position: number;
  readonly eta: number | null;
}

export interface Explanation extends QueuePosition {
  readonly state: 'queued' | 'sending';
  // For a person: "this group takes 20 messages a minute; 20 were sent".
  readonly summary: string;
  // The same as a code: a limit, what holds its account, what is wrong with the store. null: there is only the text.
  readonly cause: string | null;
  // Where no time ends the wait: what does, as text.
  readonly waitsFor: string | null;
  readonly causes: readonly (
    | Cause
    | {
        kind: 'ahead' | 'due' | 'held' | 'in_flight';
        name: string;
        until: number | null;
        detail: string;
      }
  )[];
}

export interface AccountView {
  readonly id: AccountId;
  readonly platform: string;
  readonly paused: boolean;
  readonly refused: string | null;
  readonly breaker: {
    readonly state: 'closed' | 'open' | 'half_open';
    readonly until: number;
    readonly cause: string;
    // The error as the system or the platform worded it; '': nothing more is known.
    readonly detail: string;
  };
  // Since when the platform has answered no call of it, while some are in flight for clearly longer than usual.
  readonly silentSince: number | null;
  readonly waiting: number;
  readonly inFlight: number;
}

export interface LimitsView {
  readonly account: AccountId;
  // '' is the account itself.
  readonly chat: string;
  readonly rules: readonly {
    name: string;
    scope: string;
    used: number;
    count: number;
    perMs: number;
    learned: number;
    freeAt: number;
  }[];
  // `method`: of the calls of which it is, where they are passed through.
  readonly freezes: readonly {
    scope: string;
    method?: string;
    since: number;
    until: number;
    cause: string;
  }[];
}

export interface Frozen {
  readonly account: AccountId;
  // `chat`, `account`, `family`, `budget`, or `method` (of calls that are passed through),
  // and which; '' is the account itself.
  readonly scope: string;
  readonly name: string;
  readonly since: number;
  readonly until: number;
  readonly cause: string;
}

export interface WaitingFilter {
  readonly account?: string;
  readonly chat?: string;
  readonly priority?: Priority;
}

export interface WaitingHead {
  readonly seq: number;
  readonly account: AccountId;
  readonly chat: string;
  // Since when it waits, ms since the epoch.
  readonly since: number;
  // Those of its lane and class that wait behind it, about.
  readonly behind: number;
}

export interface Depths {
  // Waiting now, by class; `retry` of them wait for a retry's time.
  readonly critical: number;
  readonly high: number;
  readonly normal: number;
  readonly low: number;
  readonly retry: number;
  readonly inFlight: number;
  readonly oldestDueAt: number | null;
}
