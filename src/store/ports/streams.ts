// The port of live output: each stream with its newest text, so that it goes on after a crash.
// What a stream's record says is the streams' business; here it is text. A stream that has ended stays ended.
// Streams are written by the owner of their account alone. Pruning needs none: what has ended nobody writes any more.
// As everywhere in the store, a promise resolves when its effect is durable.

import type { AccountId } from '../../domain/ids.ts';
import { assertOwn, type Kept, type Owner } from './ownership.ts';

export interface StreamStore {
  // A stream of the owner's account. Under one name there is one, whose account does not change.
  save(owner: Owner, stream: StoredStream): Promise<Kept>;
  get(id: string): Promise<StoredStream | null>;
  // Those that have not ended, in order of id, from just after that one.
  open(page: { after: string; max: number }): Promise<StoredStream[]>;
  // Forgets those that ended before a time, at most `max`, oldest first; how many.
  prune(command: { endedBefore: number; max: number }): Promise<number>;
}

export interface StoredStream {
  readonly id: string;
  // Does not change; '': nobody's, as its record cannot be read.
  readonly account: AccountId;
  // null: it has not ended.
  readonly endedAt: number | null;
  readonly text: string;
  // Everything else, as JSON text.
  readonly record: string;
}

// Under that epoch of its account.
export type SaveStream = { kind: 'save'; epoch: number } & StoredStream;

export type StreamCommand =
  | SaveStream
  | { kind: 'get'; id: string }
  | { kind: 'open'; after: string; max: number }
  | { kind: 'prune'; endedBefore: number; max: number };

// The port over one function that runs a command, however it gets to its store.
export function streamsOver(run: (command: StreamCommand) => Promise<unknown>): StreamStore {
  const ask = <T>(command: StreamCommand) => run(command) as Promise<T>;
  return {
    save: (owner, stream) => {
      assertOwn(owner, [stream]);
      return ask({ kind: 'save', epoch: owner.epoch, ...stream });
    },
    get: (id) => ask({ kind: 'get', id }),
    open: (page) => ask({ kind: 'open', ...page }),
    prune: (command) => ask({ kind: 'prune', ...command }),
  };
}
