// The store on Postgres. Commands of the road go in batches over one connection (group-commit.ts), and so does what
// must keep its place among them; the ports beside the road go over a second one, in the order asked, each command as
// one transaction. Who owns what is asked over a third, so that no long command holds the answer up. All of them are
// made again after they were lost.

import type { NewDelivery } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import { assert } from '../../system/assert.ts';
import { systemClock } from '../../system/clock.ts';
import { PostgresConnection, type PostgresSql } from '../../system/databases/postgres.ts';
import type { CommitWatch } from '../commit-watch.ts';
import type { AccountRename, StoredAccount } from '../ports/accounts.ts';
import type { AuditStore } from '../ports/audit.ts';
import { type BroadcastStore, broadcastsOver } from '../ports/broadcasts.ts';
import { type CallerStore, Presence } from '../ports/callers.ts';
import type {
  AppendBounds,
  Appending,
  Begun,
  MoveCommand,
  Moved,
  ReceiptCommand,
  ReceiptEffect,
  Settled,
  Settlement,
} from '../ports/delivery.ts';
import type {
  ChangeTopic,
  FleetStore,
  SecretAgreement,
  SecretPrint,
  SharedAccounts,
  StoredOwner,
} from '../ports/fleet.ts';
import type { HandOverStore } from '../ports/hand-over.ts';
import { type IngestStore, ingestOver } from '../ports/ingest.ts';
import { type KeyStore, keysOver } from '../ports/keys.ts';
import type { StoredLimit } from '../ports/limits.ts';
import type { PruneCommand, TimeShift } from '../ports/maintenance.ts';
import { type MinuteStore, minutesOver } from '../ports/minutes.ts';
import { assertOwn, EMBEDDED, type Kept, type Owner } from '../ports/ownership.ts';
import type { Recovered, StoredCall } from '../ports/recovery.ts';
import type { SessionStore } from '../ports/sessions.ts';
import type { Store } from '../ports/store.ts';
import type { StreamStore } from '../ports/streams.ts';
import { incomingOver, type UpdateStore } from '../ports/updates.ts';
import type { FilledChats } from './audiences.ts';
import { runBroadcasts } from './broadcasts.ts';
import { allAnswered, type Inherited, inheritedOf, unanswered } from './callers.ts';
import {
  appendCommand,
  as,
  beginCommand,
  begunOf,
  moveCommand,
  queuedOfRow,
  readAppended,
  readSettled,
  receiptCommand,
  settleCommand,
  smallCommand,
} from './commands.ts';
import { readsOfTakeOver, recoverTogether } from './gathered.ts';
import { BatchCommit, openError, unavailable } from './group-commit.ts';
import { handOverTo } from './hand-over.ts';
import { runIncoming } from './incoming.ts';
import { runIngest } from './ingest/ingest.ts';
import { runKeys } from './keys.ts';
import { dropDay, filesInUse, lastCallAt, prune, shiftTimes } from './maintenance.ts';
import { type DatabaseLoss, DatabaseMark, type MarkOptions } from './mark.ts';
import { runMinutes } from './minutes.ts';
import {
  accountsOf,
  agreeOn,
  changesOf,
  knownAccounts,
  ownerOf,
  ownersBut,
  READS_SQL,
  recover,
  saveAccount,
} from './reads.ts';
import { renameAccounts } from './renames.ts';
import { MAKE_DAYS, migrate, SCHEMA } from './schema/schema.ts';
import { sharedAccountsOver } from './shared-accounts.ts';
import { streamsTo } from './streams.ts';

export interface PostgresJournalOptions {
  readonly url: string;
  // As whom accounts are opened; see ports/ownership.ts.
  readonly node?: string;
  readonly watch?: CommitWatch;
  // Left out: it is not asked whether the database is the one it was.
  readonly mark?: MarkOptions;
}

// Of one small statement: who gets no answer for so long is cut off, whatever the network says.
const SMALL_MS_MAX = 4_000;
// A node that stands still in the middle of a transaction holds its locks, and every other node with them.
const STANDSTILL_MS_MAX = 10_000;
const OPENING = `SET idle_in_transaction_session_timeout = ${STANDSTILL_MS_MAX}`;
// Between two looks at days that are to be made or dropped.
const DAYS_LOOK_MS = 600_000;
// Taken for the length of a transaction, so that of all nodes one at a time runs a command of the port.
const PORT_LOCKS = { broadcasts: 0x534c5501, ingest: 0x534c5502 } as const;

// Rejects with JournalOpenError.
export async function openPostgresJournal(
  options: PostgresJournalOptions,
): Promise<PostgresJournal> {
  const { url, node = EMBEDDED, watch = null } = options;
  const connect = (name: string, callMsMax?: number) =>
    new PostgresConnection({
      url,
      name,
      schema: SCHEMA,
      opening: OPENING,
      ...(callMsMax && { callMsMax }),
    });
  const [writer, side] = [connect('sluice'), connect('sluice side')];
  const owners = connect('sluice owners', SMALL_MS_MAX);
  let mark: DatabaseMark | null = null;
  try {
    const tag = await migrate(side);
    const inherited = await inheritedOf(side);
    if (options.mark !== undefined) mark = await DatabaseMark.open(side, tag, options.mark);
    const commits = new BatchCommit(writer, watch);
    const shared = {
      ...{ mark, losses: (await mark?.losses()) ?? [] },
      ...{ tag, writer, side, owners, inherited, commits, ...readsOfTakeOver(commits, side) },
      ...{ presence: new Presence(inherited.seqLast), chats: new Map() },
    };
    return new PostgresJournal(shared, node);
  } catch (error) {
    await mark?.close();
    await Promise.all([writer.close(), side.close()]);
    throw openError(error);
  }
}

// What all handles of this process work on.
interface Shared extends ReturnType<typeof readsOfTakeOver> {
  readonly tag: string;
  readonly writer: PostgresConnection;
  readonly side: PostgresConnection;
  readonly owners: PostgresConnection;
  readonly commits: BatchCommit;
  readonly inherited: Inherited;
  readonly presence: Presence;
  readonly chats: FilledChats;
  readonly mark: DatabaseMark | null;
  // Those that were accepted, the latest last.
  readonly losses: readonly DatabaseLoss[];
}

export class PostgresJournal implements Store, FleetStore, SecretAgreement {
  readonly tag: string;
  readonly losses: readonly DatabaseLoss[];
  readonly callers: CallerStore;
  readonly incoming: UpdateStore;
  readonly streams: StreamStore;
  readonly broadcasts: BroadcastStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly sessions: SessionStore;
  readonly ingest: IngestStore;
  readonly minutes: MinuteStore;
  readonly handOver: HandOverStore;
  readonly sharedAccounts: SharedAccounts;
  readonly #shared: Shared;
  readonly #node: string;
  #closed: Promise<void> | null = null;
  // When days are looked at next.
  #daysAt = 0;

  constructor(shared: Shared, node: string) {
    this.tag = shared.tag;
    this.losses = shared.losses;
    this.#shared = shared;
    this.#node = node;
    const { chats, inherited } = shared;
    this.callers = {
      caller: (owner, seq, isThere) => this.#caller(owner, seq, isThere),
      unanswered: (bounds) => this.#ask((sql) => unanswered(sql, inherited, bounds)),
    };
    this.incoming = incomingOver((command) =>
      this.#together('', (sql) => runIncoming(sql, command)),
    );
    this.streams = streamsTo(shared.commits, (work) => this.#ask(work));
    this.broadcasts = broadcastsOver((command) =>
      this.#alone('broadcasts', (sql) => runBroadcasts(sql, chats, command)),
    );
    const guarded = keysOver((command) => this.#ask((sql) => runKeys(sql, command)));
    this.keys = guarded.keys;
    this.audit = guarded.audit;
    this.sessions = guarded.sessions;
    this.handOver = handOverTo(shared.commits, node);
    this.sharedAccounts = sharedAccountsOver(shared.side, node);
    this.ingest = ingestOver((command) => this.#alone('ingest', (sql) => runIngest(sql, command)));
    this.minutes = minutesOver((command) => this.#ask((sql) => runMinutes(sql, command)));
  }

  // Another handle on the same store, as another node would open it.
  beside(node: string): PostgresJournal {
    return new PostgresJournal(this.#shared, node);
  }

  recover(owners: readonly Owner[]): AsyncIterable<readonly Recovered[]> {
    // All at a start, page by page; those that are taken over one by one together.
    return owners.length === 1
      ? recoverTogether(this.#shared.recoveries, owners)
      : recover(this.#shared.side, owners);
  }

  append(owner: Owner, delivery: NewDelivery, bounds: AppendBounds): Appending {
    assert(
      delivery.account === owner.account,
      'a delivery is appended by the owner of its account',
    );
    const command = appendCommand(owner, delivery, bounds);
    // The server answers when it has forced the commit to its disk: what is written is durable.
    const { commits, mark } = this.#shared;
    const durable = commits.submit(command, (told) => {
      const appended = readAppended(delivery, told);
      if (appended.kind === 'accepted') mark?.note(appended.queued.seq);
      return appended;
    });
    return { written: durable, durable };
  }

  begin(owner: Owner, seq: number, startedAt: number, waited?: string): Promise<Begun> {
    return this.#shared.commits.submit(beginCommand(owner, seq, startedAt, waited), begunOf);
  }

  settle(owner: Owner, settlement: Settlement): Promise<Settled> {
    assertOwn(owner, settlement.limits);
    const { commits, presence } = this.#shared;
    return commits.submit(settleCommand(owner, settlement, presence), (answer) =>
      readSettled(settlement, answer),
    );
  }

  move(owner: Owner, command: MoveCommand): Promise<Moved> {
    return this.#shared.commits.submit(moveCommand(owner, command), (answer) => {
      const moved = answer as Moved;
      if (moved.kind !== 'moved' || moved.queued === null) return moved;
      return { ...moved, queued: queuedOfRow(moved.queued as never) };
    });
  }

  receipt(owner: Owner, command: ReceiptCommand): Promise<ReceiptEffect> {
    const { commits, presence } = this.#shared;
    return commits.submit(receiptCommand(owner, command, presence), (answer) => {
      const effect = answer as ReceiptEffect;
      if (effect.kind !== 'moved') return effect;
      return { ...effect, queued: queuedOfRow(effect.queued as never) };
    });
  }

  async #caller({ account, epoch }: Owner, seq: number, isThere: boolean): Promise<Kept> {
    const { commits, presence } = this.#shared;
    const command = smallCommand('caller', account, { epoch, seq, isThere });
    return commits.submit(command, (answer) => {
      const { kind, isAlive } = answer as Kept & { isAlive?: true };
      if (isAlive === true) presence.note(seq, isThere);
      return { kind };
    });
  }

  saveLimits(owner: Owner, limits: readonly StoredLimit[]): Promise<Kept> {
    assertOwn(owner, limits);
    const { account, epoch } = owner;
    const command = smallCommand('save_limits', account, { epoch, limits });
    return this.#shared.commits.submit(command, as<Kept>);
  }

  limits(accounts: readonly AccountId[]): Promise<StoredLimit[]> {
    return this.#shared.limits.rows(accounts);
  }

  async openAccount(account: AccountId): Promise<Owner> {
    const command = smallCommand('open_account', account, { node: this.#node });
    return { account, epoch: await this.#shared.commits.submit(command, as<number>) };
  }

  async closeAccount({ account, epoch }: Owner): Promise<void> {
    const command = smallCommand('close_account', account, { epoch, node: this.#node });
    await this.#shared.commits.submit(command, as<null>);
  }

  ownersBut(nodes: readonly string[]): Promise<StoredOwner[]> {
    return this.#ask((sql) => ownersBut(sql, nodes), this.#shared.owners);
  }

  ownerOf(account: AccountId): Promise<StoredOwner | null> {
    return this.#ask((sql) => ownerOf(sql, account), this.#shared.owners);
  }

  changes(topic: ChangeTopic): Promise<number> {
    return this.#ask((sql) => changesOf(sql, topic));
  }

  agreeOn(print: SecretPrint): Promise<void> {
    return agreeOn(this.#shared.side.bounded(SMALL_MS_MAX), print);
  }

  knownAccounts(): Promise<AccountId[]> {
    return this.#shared.commits.run(knownAccounts);
  }

  callsSince(accounts: readonly AccountId[], since: number): Promise<StoredCall[]> {
    const calls = this.#shared.calls.rows({ accounts, since });
    return calls.then((rows) => rows.filter(({ startedAt }) => startedAt >= since));
  }

  lastCallAt(): Promise<number> {
    return this.#shared.commits.run(lastCallAt);
  }

  shiftTimes(shift: TimeShift): Promise<void> {
    return this.#inTurn((sql) => shiftTimes(sql, shift));
  }

  saveAccount(account: StoredAccount): Promise<void> {
    return this.#ask((sql) => saveAccount(sql, account));
  }

  async removeAccount(id: AccountId): Promise<void> {
    await this.#ask((sql) => sql.run(READS_SQL.dropAccount, id));
  }

  accounts(): Promise<StoredAccount[]> {
    return this.#ask(accountsOf);
  }

  renameAccounts(renames: readonly AccountRename[]): Promise<readonly AccountId[]> {
    return this.#inTurn((sql) => renameAccounts(sql, renames));
  }

  filesInUse(): Promise<string[]> {
    return this.#inTurn(filesInUse);
  }

  async prune(command: PruneCommand): Promise<number> {
    const pruned = await this.#inTurn((sql) => prune(sql, command));
    if (pruned < command.max) await this.#turnDays(command.endedBefore);
    return pruned;
  }

  // Days to come are made, those that are forgotten go.
  async #turnDays(endedBefore: number): Promise<void> {
    const now = systemClock().now();
    if (now < this.#daysAt) return;
    await this.#ask((sql) => sql.get(MAKE_DAYS));
    while (await this.#together('', (sql) => dropDay(sql, endedBefore)));
    this.#daysAt = now + DAYS_LOOK_MS;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { commits, writer, side, owners, mark } = this.#shared;
    await mark?.close();
    await commits.close();
    // A database that is away is told nothing more; the next process takes every answer as in doubt.
    await allAnswered(side.bounded(SMALL_MS_MAX)).catch(() => {});
    await Promise.all([writer.close(), side.close(), owners.close()]);
  }

  #inTurn<T>(work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    return this.#shared.commits.run((connection) => connection.transaction('', work));
  }

  // One statement, or several that only read.
  async #ask<T>(work: (sql: PostgresSql) => Promise<T>, over = this.#shared.side): Promise<T> {
    try {
      return await work(over.bounded(SMALL_MS_MAX));
    } catch (error) {
      throw unavailable(error);
    }
  }

  #alone<T>(port: keyof typeof PORT_LOCKS, work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    return this.#together(`SELECT pg_advisory_xact_lock(${PORT_LOCKS[port]})`, work);
  }

  async #together<T>(opening: string, work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    try {
      return await this.#shared.side.transaction(opening, work);
    } catch (error) {
      throw unavailable(error);
    }
  }
}
