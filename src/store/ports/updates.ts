// The port of updates, each known by account and update id. One that repeats changes nothing. An update is `seen`
// (noted, so that answers are known as such after a restart), `waiting` (for the app to take it) or `done`. As
// everywhere in the store, a promise resolves when its effect is durable.

import type { AccountId } from '../../domain/ids.ts';

export interface UpdateStore {
  // Which of them were new. One that was only seen before and is to wait now counts as new.
  record(batch: readonly NewIncoming[]): Promise<boolean[]>;
  // What came to an account at or after `since`, oldest first; of more than `max`, the newest.
  since(query: { account: AccountId; since: number; max: number }): Promise<SeenIncoming[]>;
  // What waits, of all accounts, in order of accounts and of places in each, from just after that place.
  waiting(query: WaitingUpdatesQuery): Promise<WaitingIncoming[]>;
  // What waits of one account after a place, in order, with its content.
  read(query: ReadUpdatesQuery): Promise<ReadIncoming[]>;
  // The content of one that waits; null: it does not.
  body(one: UpdateKey): Promise<string | null>;
  // waiting → done.
  done(one: UpdateKey): Promise<void>;
  // waiting → done, for all whose order is less; how many.
  doneBefore(command: { account: AccountId; order: number }): Promise<number>;
  // A try to hand it over failed; the next one is due then.
  retry(command: RetryIncoming): Promise<void>;
  // Forgets what came before a time, at most `max`, whether the app took it or not.
  prune(command: { before: number; max: number }): Promise<PrunedIncoming>;
}

export type IncomingVoice = 'none' | 'wrote' | 'addressed';

export interface UpdateKey {
  readonly account: AccountId;
  readonly updateId: string;
}

// Among the updates of an account: by its order, and by its id among those of the same order. With the id '' it is
// before all of that order.
export interface UpdatePlace {
  readonly order: number;
  readonly updateId: string;
}

export interface NewIncoming extends UpdateKey, UpdatePlace {
  readonly at: number;
  readonly chat: string | null;
  readonly messageId: string | null;
  readonly voice: IncomingVoice;
  readonly state: 'seen' | 'waiting';
  // The update as the platform sent it; '' of one that was only seen.
  readonly body: string;
}

export interface SeenIncoming {
  readonly at: number;
  readonly chat: string | null;
  readonly messageId: string | null;
  readonly voice: IncomingVoice;
}

export interface WaitingUpdatesQuery {
  readonly afterAccount: string;
  readonly after: UpdatePlace;
  readonly max: number;
}

export interface ReadUpdatesQuery {
  readonly account: AccountId;
  readonly after: UpdatePlace;
  readonly max: number;
}

export interface WaitingIncoming extends UpdateKey, UpdatePlace {
  readonly chat: string | null;
  readonly at: number;
  readonly attempts: number;
  readonly dueAt: number;
}

export interface ReadIncoming extends UpdatePlace {
  readonly at: number;
  readonly body: string;
}

export interface RetryIncoming extends UpdateKey {
  readonly attempts: number;
  readonly dueAt: number;
}

export interface PrunedIncoming {
  readonly removed: number;
  // Of those, the ones that still waited: the account of each, oldest first.
  readonly untaken: readonly AccountId[];
}

export type IncomingCommand =
  | { kind: 'record'; batch: readonly NewIncoming[] }
  | { kind: 'since'; account: AccountId; since: number; max: number }
  | ({ kind: 'waiting' } & WaitingUpdatesQuery)
  | ({ kind: 'read' } & ReadUpdatesQuery)
  | ({ kind: 'body' } & UpdateKey)
  | ({ kind: 'done' } & UpdateKey)
  | { kind: 'doneBefore'; account: AccountId; order: number }
  | ({ kind: 'retry' } & RetryIncoming)
  | { kind: 'prune'; before: number; max: number };

// The port over one function that runs a command, however it gets to its store.
export function incomingOver(run: (command: IncomingCommand) => Promise<unknown>): UpdateStore {
  const ask = <T>(command: IncomingCommand) => run(command) as Promise<T>;
  return {
    record: (batch) => ask({ kind: 'record', batch }),
    since: (query) => ask({ kind: 'since', ...query }),
    waiting: (query) => ask({ kind: 'waiting', ...query }),
    read: (query) => ask({ kind: 'read', ...query }),
    body: (one) => ask({ kind: 'body', ...one }),
    done: async (one) => void (await ask({ kind: 'done', ...one })),
    doneBefore: (command) => ask({ kind: 'doneBefore', ...command }),
    retry: (command) => ask({ kind: 'retry', ...command }),
    prune: (command) => ask({ kind: 'prune', ...command }),
  };
}
