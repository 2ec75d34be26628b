// The port of updates, each known by account and update id. One that repeats changes nothing. An update is `seen`
// (noted, so that answers are known as such after a restart), `waiting` (for the app to take it) or `done`. As
// everywhere in the store, a promise resolves when its effect is durable.

import type { AccountId } from '../../domain/ids.ts';

export interface UpdateStore {
  // Which of them were new. One that was only seen before and is to wait now counts as new.
  record(batch: readonly NewIncoming[]): Promise<boolean[]>;
  // What came to an account at or after `since`, oldest first; of more than `max`, the newest.
  since(query: { account: AccountId; since: number; max: number }): Promise<SeenIncoming[]>;
  // What waits, of all accounts, in order of (account, update id), from just after that place.
  waiting(query: WaitingUpdatesQuery): Promise<WaitingIncoming[]>;
  // What waits of one account from update id `from` on, in order, with its content.
  read(query: { account: AccountId; from: number; max: number }): Promise<ReadIncoming[]>;
  // waiting → done, for every update id from `from` to before `before`; how many.
  done(command: { account: AccountId; from: number; before: number }): Promise<number>;
  // A try to hand it over failed; the next one is due then.
  retry(command: RetryIncoming): Promise<void>;
  // Forgets what came before a time, at most `max`, whether the app took it or not.
  prune(command: { before: number; max: number }): Promise<PrunedIncoming>;
}

export type IncomingVoice = 'none' | 'wrote' | 'addressed';

export interface NewIncoming {
  readonly account: AccountId;
  readonly updateId: number;
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
  readonly afterUpdateId: number;
  readonly max: number;
}

export interface WaitingIncoming {
  readonly account: AccountId;
  readonly updateId: number;
  readonly chat: string | null;
  readonly at: number;
  readonly attempts: number;
  readonly dueAt: number;
}

export interface ReadIncoming {
  readonly updateId: number;
  readonly at: number;
  readonly body: string;
}

export interface RetryIncoming {
  readonly account: AccountId;
  readonly updateId: number;
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
  | { kind: 'read'; account: AccountId; from: number; max: number }
  | { kind: 'done'; account: AccountId; from: number; before: number }
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
    done: (command) => ask({ kind: 'done', ...command }),
    retry: (command) => ask({ kind: 'retry', ...command }),
    prune: (command) => ask({ kind: 'prune', ...command }),
  };
}
