// The port of broadcasts: audiences (who), broadcasts (what, and how far), the outcome of each
// recipient, and the chats that refuse an account. As everywhere in the store, a promise resolves when its effect
// is durable. Every command is bounded by what the caller asks for: none ever walks through a whole audience, because
// the road's commits wait behind it.

import type { AccountId } from '../../domain/ids.ts';
import type { Priority } from '../../domain/priority.ts';

// `pending`: not handed to the road, or withdrawn from it by a pause. `queued`: on the road, waiting or in flight.
export const RECIPIENT_STATES = [
  'pending',
  'queued',
  'sent',
  'dead',
  'skipped',
  'cancelled',
  'uncertain',
] as const;
export type RecipientState = (typeof RECIPIENT_STATES)[number];
// Those that are counted; who is in none of them is pending.
export type CountedState = Exclude<RecipientState, 'pending'>;

export const BROADCAST_STATES = ['running', 'paused', 'cancelled', 'done'] as const;
export type BroadcastState = (typeof BROADCAST_STATES)[number];

export interface BroadcastStore {
  // An audience is filled while it is open, and never changes after it is sealed. null: as many as may be are kept.
  open(command: { name: string | null; at: number; audiencesMax: number }): Promise<number | null>;
  // By the process that opened it. Who is in it already is left out and counted.
  fill(command: FillCommand): Promise<{ added: number; repeated: number }>;
  // From now on its name means it; who had the name loses it. null: it is not open.
  seal(command: { audience: number; fields: readonly string[] }): Promise<StoredAudience | null>;
  // It is not wanted after all; `sweep` removes it.
  drop(command: { audience: number }): Promise<void>;
  // Those that were opened before: the process that filled them is gone, and they can never be sealed.
  dropOpen(command: { before: number }): Promise<void>;
  named(query: { name: string }): Promise<StoredAudience | null>;
  // Those with a name, by it, from just after that one.
  audiences(query: { after: string; max: number }): Promise<StoredAudience[]>;
  // The name is free again; broadcasts that use the audience keep it. False: there was none.
  forget(command: { name: string }): Promise<boolean>;

  create(command: NewBroadcast): Promise<CreatedBroadcast>;
  get(query: { id: number }): Promise<StoredBroadcast | null>;
  // Newest first, from just before that one.
  list(query: { before: number | null; max: number }): Promise<StoredBroadcast[]>;
  // Those that run, are paused, or have someone on the road; oldest first.
  unfinished(query: { after: number; max: number }): Promise<StoredBroadcast[]>;
  change(command: ChangeCommand): Promise<Changed>;

  // The next to be fed: the withdrawn first, then the rest from the cursor on.
  next(query: { id: number; max: number }): Promise<Member[]>;
  // What became of them when they were fed; the cursor moves behind the last of them.
  fed(command: FedCommand): Promise<Progressed>;
  // By the number of their delivery. Those that belong to no broadcast change nothing.
  settle(command: SettleCommand): Promise<Progressed>;
  // Which of these deliveries belong to a broadcast.
  known(query: { seqs: readonly number[] }): Promise<boolean[]>;
  // Who is on the road, in order.
  onRoad(query: { id: number; after: number; max: number }): Promise<{ n: number; seq: number }[]>;
  // In order; `state` null: all of them.
  recipients(query: RecipientsQuery): Promise<Recipient[]>;

  // These chats refuse the account; or they do not, after all.
  block(command: { chats: readonly BlockedChat[]; at: number }): Promise<void>;
  unblock(command: { chats: readonly { account: AccountId; chat: string }[] }): Promise<number>;
  // Whether the account is refused by anyone; null: whether any account is.
  isBlocked(query: { account: AccountId | null }): Promise<boolean>;

  // Forgets broadcasts that ended long ago and audiences nobody needs, at most `max` rows; how many.
  sweep(command: { endedBefore: number; max: number }): Promise<number>;
}

export interface FillCommand {
  readonly audience: number;
  // The fields as JSON text; '' without any.
  readonly members: readonly { readonly chat: string; readonly fields: string }[];
}

export interface StoredAudience {
  readonly id: number;
  // Whose broadcast it was made for; null: any account's may use it.
  readonly account: AccountId | null;
  readonly name: string | null;
  readonly count: number;
  // Every field that one of its members has.
  readonly fields: readonly string[];
  readonly createdAt: number;
}

export interface NewBroadcast {
  readonly account: AccountId;
  readonly platform: string;
  readonly audience: number;
  // Of an audience without a name, made for this broadcast alone and sealed with it; null: it is sealed.
  readonly fields: readonly string[] | null;
  readonly name: string | null;
  readonly correlation: string | null;
  readonly method: string;
  // The call's parameters as JSON text, with their fields still open.
  readonly body: string;
  readonly priority: Priority;
  readonly notBefore: number;
  // The same key again, with the same digest, is the same broadcast; null: none was given.
  readonly key: string | null;
  readonly digest: string;
  readonly at: number;
  // Bound on those that run or are paused.
  readonly liveMax: number;
}

export type CreatedBroadcast =
  | { kind: 'created'; broadcast: StoredBroadcast }
  | { kind: 'repeated'; broadcast: StoredBroadcast }
  | { kind: 'conflict'; id: number }
  | { kind: 'full'; liveMax: number }
  // There is no such audience, or it was neither sealed nor to be.
  | { kind: 'no_audience' };

export interface StoredBroadcast
  extends Omit<NewBroadcast, 'fields' | 'digest' | 'at' | 'liveMax'> {
  readonly id: number;
  readonly state: BroadcastState;
  readonly total: number;
  // The first who was never fed; they count from 1.
  readonly cursor: number;
  readonly counts: Readonly<Record<CountedState, number>>;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

export interface ChangeCommand {
  readonly id: number;
  readonly to: 'running' | 'paused' | 'cancelled';
  readonly at: number;
}

export type Changed =
  // What is so already is left so.
  | { kind: 'changed'; broadcast: StoredBroadcast }
  | { kind: 'illegal'; state: BroadcastState }
  | { kind: 'unknown' };

export interface Member {
  readonly n: number;
  readonly chat: string;
  readonly fields: string;
  // When the chat last refused the account; null: it does not.
  readonly blockedAt: number | null;
}

export interface FedCommand {
  readonly id: number;
  readonly rows: readonly {
    readonly n: number;
    // null: it was not handed to the road.
    readonly seq: number | null;
    readonly state: RecipientState;
    readonly reason: string | null;
  }[];
  readonly at: number;
}

export interface SettleCommand {
  readonly rows: readonly {
    readonly seq: number;
    readonly state: RecipientState;
    readonly reason: string | null;
  }[];
  readonly at: number;
}

export interface Progressed {
  // Broadcasts that came to their end by it.
  readonly done: readonly number[];
}

export interface RecipientsQuery {
  readonly id: number;
  readonly state: RecipientState | null;
  readonly after: number;
  readonly max: number;
}

export interface Recipient {
  readonly n: number;
  readonly chat: string;
  readonly state: RecipientState;
  readonly reason: string | null;
  readonly seq: number | null;
  // When it came to that; null: nothing has happened yet.
  readonly at: number | null;
}

export interface BlockedChat {
  readonly account: AccountId;
  readonly chat: string;
  readonly reason: string;
}

type Commands = {
  [K in keyof BroadcastStore]: { kind: K } & Parameters<BroadcastStore[K]>[0];
};
export type BroadcastCommand = Commands[keyof BroadcastStore];

const KINDS: Readonly<Record<keyof BroadcastStore, true>> = {
  open: true,
  fill: true,
  seal: true,
  drop: true,
  dropOpen: true,
  named: true,
  audiences: true,
  forget: true,
  create: true,
  get: true,
  list: true,
  unfinished: true,
  change: true,
  next: true,
  fed: true,
  settle: true,
  known: true,
  onRoad: true,
  recipients: true,
  block: true,
  unblock: true,
  isBlocked: true,
  sweep: true,
};

// The port over one function that runs a command, however it gets to its store.
export function broadcastsOver(
  run: (command: BroadcastCommand) => Promise<unknown>,
): BroadcastStore {
  const entries = Object.keys(KINDS).map((kind) => [
    kind,
    (command: object = {}) => run({ kind, ...command } as BroadcastCommand),
  ]);
  return Object.fromEntries(entries) as BroadcastStore;
}

// Who was never fed is pending as long as someone may still be.
export function unfedState(state: BroadcastState): RecipientState {
  return state === 'cancelled' ? 'cancelled' : 'pending';
}

// Where a broadcast may go from here, by hand.
export function mayChange(from: BroadcastState, to: ChangeCommand['to']): boolean {
  return from === to || from === 'running' || from === 'paused';
}
