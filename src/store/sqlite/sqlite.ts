// The journal on SQLite, as the main thread sees it: it writes commands down as flat words, reads
// the answers back, and never touches the disk itself. The store is written by one worker thread.

import { Worker } from 'node:worker_threads';
import type { NewDelivery } from '../../domain/delivery.ts';
import { assert } from '../../system/assert.ts';
import type { AccountRename, StoredAccount } from '../ports/accounts.ts';
import type { AuditStore } from '../ports/audit.ts';
import { type BroadcastStore, broadcastsOver } from '../ports/broadcasts.ts';
import type { CallerStore, Unanswered } from '../ports/callers.ts';
import type {
  AppendBounds,
  Appended,
  Begun,
  MoveCommand,
  Moved,
  Settled,
  Settlement,
} from '../ports/delivery.ts';
import { type KeyStore, keysOver } from '../ports/keys.ts';
import type { StoredLimit } from '../ports/limits.ts';
import type { PruneCommand, TimeShift } from '../ports/maintenance.ts';
import type { Recovered, StoredCall } from '../ports/recovery.ts';
import type { Store } from '../ports/store.ts';
import { type StreamStore, streamsOver } from '../ports/streams.ts';
import { incomingOver, type UpdateStore } from '../ports/updates.ts';
import { JournalOpenError } from '../store-error.ts';
import type { StoreNote } from '../store-note.ts';
import type { AcceptedLoss } from './files/loss.ts';
import type { OpenOptions } from './files/open.ts';
import { type CommitWatch, GroupCommit, type StoreThread } from './group-commit.ts';
import { PageReader, recoverPages } from './recovery.ts';
import {
  OP,
  type Reader,
  readAppended,
  readBegun,
  readSettled,
  writeAppend,
  writeLimits,
  writeMove,
  writeSettlement,
} from './wire.ts';
import type { Opened } from './worker.ts';

export { JournalOpenError, SnapshotError } from '../store-error.ts';
export { restoreSnapshot } from './files/restore.ts';

export interface SqliteJournalOptions {
  // Made when it does not exist.
  readonly dir: string;
  // A bound on the store's size, in pages of 4 KiB; without it the disk is the bound.
  readonly pageCountMax?: number;
  // Open a store that holds less than it must, and record the loss.
  readonly acceptLoss?: boolean;
  readonly watch?: CommitWatch;
  // Told what the start found that the operator should know.
  readonly onNote?: (note: StoreNote) => void;
  // Another process has taken the store over: this one can do nothing more, and must end.
  readonly onOwnerLost?: (error: Error) => void;
}

// Rejects with JournalOpenError.
export async function openSqliteJournal(options: SqliteJournalOptions): Promise<SqliteJournal> {
  const { dir, pageCountMax = null, acceptLoss = false, watch = null } = options;
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: { dir, pageCountMax, acceptLoss } satisfies OpenOptions,
  });
  const opened = await firstMessageOf(worker);
  if (opened.kind === 'refused') {
    await worker.terminate();
    throw new JournalOpenError(opened.code, opened.message);
  }
  for (const note of opened.notes) options.onNote?.(note);
  worker.on('error', (error) => {
    if (error.name === 'OwnerLost') options.onOwnerLost?.(error);
  });
  const journal = new SqliteJournal(worker, opened.tag, watch);
  journal.losses = opened.losses;
  return journal;
}

function firstMessageOf(worker: Worker): Promise<Opened> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', (error) => reject(new JournalOpenError('failed', error.message)));
  });
}

export class SqliteJournal implements Store {
  readonly tag: string;
  readonly callers: CallerStore;
  // Losses that were accepted, the latest last.
  losses: readonly AcceptedLoss[] = [];
  readonly incoming: UpdateStore;
  readonly streams: StreamStore;
  readonly broadcasts: BroadcastStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly #commits: GroupCommit;
  #closed: Promise<void> | null = null;

  constructor(thread: StoreThread, tag: string, watch: CommitWatch | null = null) {
    this.tag = tag;
    this.#commits = new GroupCommit(thread, watch);
    this.callers = this.#callersOver();
    this.incoming = incomingOver((command) => this.#runText(OP.incoming, command));
    this.streams = streamsOver((command) => this.#runText(OP.streams, command));
    this.broadcasts = broadcastsOver((command) => this.#runText(OP.broadcasts, command));
    const guarded = keysOver((command) => this.#runText(OP.keys, command));
    this.keys = guarded.keys;
    this.audit = guarded.audit;
  }

  #callersOver(): CallerStore {
    return {
      caller: (seq, isThere) =>
        this.#commits.submit(
          null,
          (words) => words.push(OP.caller, seq, isThere ? 1 : 0),
          readNothing,
        ),
      unanswered: ({ endedMsMax, max }) =>
        this.#commits.submit(
          null,
          (words) => words.push(OP.unanswered, endedMsMax, max),
          readValue<Unanswered[]>,
        ),
    };
  }

  // For parts of the port whose commands cross as one JSON text.
  #runText(op: number, command: object): Promise<unknown> {
    const text = JSON.stringify(command);
    const write = (words: unknown[]) => words.push(op, text);
    return this.#commits.submit(null, write, readValue<unknown>, text.length);
  }

  async *recover(): AsyncGenerator<Recovered> {
    const reader = new PageReader();
    for await (const page of recoverPages((afterSeq) => this.#page(afterSeq))) {
      reader.add(page);
      for (let i = 0; i < page.rows; i += 1) yield reader.recovered(page, i);
    }
  }

  async #page(afterSeq: number) {
    const answer = await this.#commits.ask({ kind: 'recover', afterSeq });
    assert(!Array.isArray(answer) && answer.kind === 'page', 'a page was asked for');
    return answer.page;
  }

  append(delivery: NewDelivery, bounds: AppendBounds): Promise<Appended> {
    const { begin } = bounds;
    const written = begin === undefined ? null : tellsBegun(begin);
    const chars = delivery.body.length;
    return this.#commits.submit({ delivery, bounds }, writeAppend, readAppended, chars, written);
  }

  begin(seq: number, startedAt: number): Promise<Begun> {
    return this.#commits.submit(seq, (words) => words.push(OP.begin, seq, startedAt), readBegun);
  }

  settle(settlement: Settlement): Promise<Settled> {
    const chars = settlement.result?.length ?? 0;
    return this.#commits.submit(settlement, writeSettlement, readSettled, chars);
  }

  move(command: MoveCommand): Promise<Moved> {
    return this.#commits.submit(command, writeMove, readValue<Moved>);
  }

  saveLimits(records: readonly StoredLimit[]): Promise<void> {
    const write = (words: (string | number | null)[]) => {
      words.push(OP.saveLimits);
      writeLimits(words, records);
    };
    return this.#commits.submit(records, write, readNothing);
  }

  limits(): Promise<StoredLimit[]> {
    return this.#commits.submit(null, (words) => words.push(OP.limits), readValue<StoredLimit[]>);
  }

  callsSince(since: number): Promise<StoredCall[]> {
    const write = (words: unknown[]) => words.push(OP.callsSince, since);
    return this.#commits.submit(null, write, readValue<StoredCall[]>);
  }

  lastCallAt(): Promise<number> {
    return this.#commits.submit(null, (words) => words.push(OP.lastCallAt), readValue<number>);
  }

  shiftTimes(shift: TimeShift): Promise<void> {
    const text = JSON.stringify(shift);
    const write = (words: unknown[]) => words.push(OP.shiftTimes, text);
    return this.#commits.submit(null, write, readNothing, text.length);
  }

  saveAccount(account: StoredAccount): Promise<void> {
    const { id, platform, sealed, paused, refused, createdAt } = account;
    return this.#commits.submit(
      account,
      (words) =>
        words.push(OP.saveAccount, id, platform, sealed, paused ? 1 : 0, refused, createdAt),
      readNothing,
    );
  }

  removeAccount(id: string): Promise<void> {
    return this.#commits.submit(null, (words) => words.push(OP.removeAccount, id), readNothing);
  }

  accounts(): Promise<StoredAccount[]> {
    return this.#commits.submit(
      null,
      (words) => words.push(OP.accounts),
      readValue<StoredAccount[]>,
    );
  }

  async renameAccounts(renames: readonly AccountRename[]): Promise<readonly string[]> {
    return (await this.#runText(OP.renameAccounts, renames)) as readonly string[];
  }

  filesInUse(): Promise<string[]> {
    return this.#commits.submit(null, (words) => words.push(OP.filesInUse), readValue<string[]>);
  }

  prune({ endedBefore, deadBefore, max }: PruneCommand): Promise<number> {
    return this.#commits.submit(
      null,
      (words) => words.push(OP.prune, endedBefore, deadBefore, max),
      readValue<number>,
    );
  }

  close(): Promise<void> {
    this.#closed ??= this.#commits.close();
    return this.#closed;
  }
}

// Tells it that the message may leave; its caller waits for the disk still.
function tellsBegun(begin: NonNullable<AppendBounds['begin']>): (appended: Appended) => boolean {
  return (appended) => {
    if (appended.kind !== 'accepted' || appended.begun !== true) return false;
    begin.written(appended.queued);
    return true;
  };
}

function readValue<T>(reader: Reader): T {
  return reader.words[reader.at++] as T;
}

function readNothing(reader: Reader): void {
  reader.at += 1;
}
