// The journal on SQLite, as the main thread sees it: it writes commands down as flat words, reads
// the answers back, and never touches the disk itself. The store is written by one worker thread.

import { Worker } from 'node:worker_threads';
import type { NewDelivery } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import { assert } from '../../system/assert.ts';
import type { CommitWatch } from '../commit-watch.ts';
import type { AccountRename, StoredAccount } from '../ports/accounts.ts';
import type { AuditStore } from '../ports/audit.ts';
import { type BroadcastStore, broadcastsOver } from '../ports/broadcasts.ts';
import type { CallerStore, Unanswered } from '../ports/callers.ts';
import type {
  AppendBounds,
  Appended,
  Appending,
  Begun,
  MoveCommand,
  Moved,
  ReceiptCommand,
  ReceiptEffect,
  Settled,
  Settlement,
} from '../ports/delivery.ts';
import { type IngestStore, ingestOver } from '../ports/ingest.ts';
import { type KeyStore, keysOver } from '../ports/keys.ts';
import type { StoredLimit } from '../ports/limits.ts';
import type { PruneCommand, TimeShift } from '../ports/maintenance.ts';
import { type MinuteStore, minutesOver } from '../ports/minutes.ts';
import {
  assertOwn,
  EMBEDDED,
  FIRST_EPOCH,
  type Kept,
  NOT_OWNER,
  type Owner,
} from '../ports/ownership.ts';
import type { Recovered, StoredCall } from '../ports/recovery.ts';
import type { SessionStore } from '../ports/sessions.ts';
import type { Store } from '../ports/store.ts';
import { type StreamStore, streamsOver } from '../ports/streams.ts';
import { incomingOver, type UpdateStore } from '../ports/updates.ts';
import { JournalOpenError } from '../store-error.ts';
import type { StoreNote } from '../store-note.ts';
import type { AcceptedLoss } from './files/loss.ts';
import type { OpenOptions } from './files/open.ts';
import { GroupCommit } from './group-commit.ts';
import { PageReader, recoverPages } from './recovery.ts';
import {
  AppendCommand,
  OP,
  readAppended,
  readBegun,
  readSettled,
  type WireReader,
  writeAppend,
  writeLimits,
  writeMove,
  writeReceipt,
  writeSettlement,
} from './wire.ts';
import type { OpenedStore } from './worker.ts';

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
  const journal = new SqliteJournal(new GroupCommit(worker, watch), opened.tag);
  journal.losses = opened.losses;
  return journal;
}

function firstMessageOf(worker: Worker): Promise<OpenedStore> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', (error) => reject(new JournalOpenError('failed', error.message)));
  });
}

// What people look at, and look at above all when nothing can be written.
const BROADCAST_READS: ReadonlySet<string> = new Set<keyof BroadcastStore>([
  'get',
  'list',
  'recipients',
  'audiences',
  'named',
]);

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
  readonly sessions: SessionStore;
  readonly ingest: IngestStore;
  readonly minutes: MinuteStore;
  readonly #commits: GroupCommit;
  readonly #node: string;
  #closed: Promise<void> | null = null;

  constructor(commits: GroupCommit, tag: string, node: string = EMBEDDED) {
    this.tag = tag;
    this.#commits = commits;
    this.#node = node;
    this.callers = this.#callersOver();
    this.incoming = incomingOver((command) => this.#runText(OP.incoming, command));
    this.streams = streamsOver((command) => this.#runText(OP.streams, command));
    this.broadcasts = broadcastsOver((command) => {
      const isReading = BROADCAST_READS.has(command.kind);
      return this.#runText(isReading ? OP.broadcastReads : OP.broadcasts, command, isReading);
    });
    const guarded = keysOver((command) => this.#runText(OP.keys, command));
    this.keys = guarded.keys;
    this.audit = guarded.audit;
    this.sessions = guarded.sessions;
    this.ingest = ingestOver((command) => this.#runText(OP.ingest, command));
    this.minutes = minutesOver((command) => this.#runText(OP.minutes, command));
  }

  #callersOver(): CallerStore {
    return {
      caller: ({ account, epoch }, seq, isThere) =>
        this.#commits.submit(
          null,
          (words) => words.push(OP.caller, account, epoch, seq, isThere ? 1 : 0),
          readValue<Kept>,
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
  #runText(op: number, command: object, isReading = false): Promise<unknown> {
    const text = JSON.stringify(command);
    const write = (words: unknown[]) => words.push(op, text);
    return this.#commits.submit(null, write, readValue<unknown>, text.length, null, isReading);
  }

  // Another handle on the same store, as another node would open it.
  beside(node: string): SqliteJournal {
    return new SqliteJournal(this.#commits, this.tag, node);
  }

  async *recover(owners: readonly Owner[]): AsyncGenerator<readonly Recovered[]> {
    const raised = new Map(await this.#ask<[string, number][]>(OP.epochs));
    const own = new Set<string>();
    for (const { account, epoch } of owners) {
      if (epoch >= (raised.get(account) ?? FIRST_EPOCH)) own.add(account);
      else yield [{ ...NOT_OWNER, account }];
    }
    const reader = new PageReader();
    const recovery = this.#commits.nextRecovery();
    for await (const page of recoverPages((isFirst) => this.#page(recovery, isFirst))) {
      reader.add(page);
      const found: Recovered[] = [];
      for (let i = 0; i < page.rows; i += 1) {
        if (own.has(reader.accountOf(page, i))) found.push(reader.recovered(page, i));
      }
      yield found;
    }
  }

  async #page(recovery: number, isFirst: boolean) {
    const answer = await this.#commits.ask({ kind: 'recover', recovery, isFirst });
    assert(!Array.isArray(answer) && answer.kind === 'page', 'a page was asked for');
    return answer.page;
  }

  append(owner: Owner, delivery: NewDelivery, bounds: AppendBounds): Appending {
    assert(
      delivery.account === owner.account,
      'a delivery is appended by the owner of its account',
    );
    const chars = delivery.body.length;
    const command = new AppendCommand(owner, delivery, bounds);
    if (bounds.beginAt === undefined) {
      const durable = this.#commits.submit(command, writeAppend, readAppended, chars);
      return { written: durable, durable };
    }
    return this.#commits.submitAhead(command, writeAppend, readAppended, chars, hasBegun);
  }

  begin(owner: Owner, seq: number, startedAt: number, waitedFor?: string): Promise<Begun> {
    const { account, epoch } = owner;
    const write = (words: unknown[]) =>
      words.push(OP.begin, account, epoch, seq, startedAt, waitedFor ?? null);
    return this.#commits.submit(null, write, readBegun);
  }

  settle(owner: Owner, settlement: Settlement): Promise<Settled> {
    // Hardly an attempt teaches the limits anything.
    if (settlement.limits.length > 0) assertOwn(owner, settlement.limits);
    const chars = settlement.result?.length ?? 0;
    const command = { owner, command: settlement };
    return this.#commits.submit(command, writeSettlement, readSettled, chars);
  }

  move(owner: Owner, command: MoveCommand): Promise<Moved> {
    return this.#commits.submit({ owner, command }, writeMove, readValue<Moved>);
  }

  receipt(owner: Owner, command: ReceiptCommand): Promise<ReceiptEffect> {
    return this.#commits.submit({ owner, command }, writeReceipt, readValue<ReceiptEffect>);
  }

  saveLimits(owner: Owner, records: readonly StoredLimit[]): Promise<Kept> {
    assertOwn(owner, records);
    const write = (words: (string | number | null)[]) => {
      words.push(OP.saveLimits, owner.account, owner.epoch);
      writeLimits(words, records);
    };
    return this.#commits.submit(records, write, readValue<Kept>);
  }

  limits(accounts: readonly AccountId[]): Promise<StoredLimit[]> {
    const text = JSON.stringify(accounts);
    return this.#ask<StoredLimit[]>(OP.limits, text);
  }

  async openAccount(account: AccountId): Promise<Owner> {
    return { account, epoch: await this.#ask<number>(OP.openAccount, account, this.#node) };
  }

  closeAccount({ account, epoch }: Owner): Promise<void> {
    return this.#ask<void>(OP.closeAccount, account, epoch, this.#node);
  }

  knownAccounts(): Promise<AccountId[]> {
    return this.#ask<AccountId[]>(OP.knownAccounts);
  }

  #ask<T>(op: number, ...rest: (string | number)[]): Promise<T> {
    return this.#commits.submit(null, (words) => words.push(op, ...rest), readValue<T>);
  }

  callsSince(accounts: readonly AccountId[], since: number): Promise<StoredCall[]> {
    return this.#ask<StoredCall[]>(OP.callsSince, JSON.stringify(accounts), since);
  }

  lastCallAt(): Promise<number> {
    return this.#ask<number>(OP.lastCallAt);
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

  removeAccount(id: AccountId): Promise<void> {
    return this.#ask<void>(OP.removeAccount, id);
  }

  accounts(): Promise<StoredAccount[]> {
    return this.#ask<StoredAccount[]>(OP.accounts);
  }

  async renameAccounts(renames: readonly AccountRename[]): Promise<readonly AccountId[]> {
    return (await this.#runText(OP.renameAccounts, renames)) as readonly AccountId[];
  }

  filesInUse(): Promise<string[]> {
    return this.#ask<string[]>(OP.filesInUse);
  }

  prune({ endedBefore, deadBefore, max }: PruneCommand): Promise<number> {
    return this.#ask<number>(OP.prune, endedBefore, deadBefore, max);
  }

  close(): Promise<void> {
    this.#closed ??= this.#commits.close();
    return this.#closed;
  }
}

// What has begun is answered when it is written, and all else when it is on the disk.
function hasBegun(appended: Appended): boolean {
  return appended.kind === 'accepted' && appended.begun === true;
}

function readValue<T>(reader: WireReader): T {
  return reader.words[reader.at++] as T;
}

function readNothing(reader: WireReader): void {
  reader.at += 1;
}
