// The journal in memory: the specification of the port, in the plainest code, and the store under
// the simulated world. Every command is one synchronous step, so it is atomic by construction; the
// hooks let a world crash before the step (nothing happened) or after it (it happened and nobody
// was told). It must stay quick for hours of traffic: nothing scans all deliveries but opening.

import { type NewDelivery, queuedOf } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { assert } from '../../system/assert.ts';
import type { AccountRename, StoredAccount } from '../ports/accounts.ts';
import type { AuditStore } from '../ports/audit.ts';
import { type BroadcastStore, broadcastsOver } from '../ports/broadcasts.ts';
import type { CallerStore } from '../ports/callers.ts';
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
import type { FleetStore, StoredOwner } from '../ports/fleet.ts';
import { type IngestStore, ingestOver } from '../ports/ingest.ts';
import { type KeyStore, keysOver } from '../ports/keys.ts';
import type { StoredLimit } from '../ports/limits.ts';
import type { PruneCommand, TimeShift } from '../ports/maintenance.ts';
import { type MinuteStore, minutesOver } from '../ports/minutes.ts';
import { assertOwn, EMBEDDED, type Kept, NOT_OWNER, type Owner } from '../ports/ownership.ts';
import type { Recovered, StoredCall } from '../ports/recovery.ts';
import type { SessionStore } from '../ports/sessions.ts';
import type { Store } from '../ports/store.ts';
import { type StreamStore, streamsOver } from '../ports/streams.ts';
import { incomingOver, type UpdateStore } from '../ports/updates.ts';
import { mayStillGo } from '../rules.ts';
import { runBroadcasts } from './broadcasts.ts';
import { MemoryCommands } from './commands.ts';
import { createMemoryDisk, freeKey, type MemoryDisk } from './disk.ts';
import { runIncoming } from './incoming.ts';
import { runIngest } from './ingest.ts';
import { runKeys } from './keys.ts';
import { memoryLedger } from './ledger.ts';
import { pastOf } from './live.ts';
import { runMinutes } from './minutes.ts';
import {
  closeAccount,
  isOwner,
  knownAccounts,
  openAccount,
  ownerRowOf,
  ownersBut,
} from './owners.ts';
import { renameAccounts } from './renames.ts';
import { runStreams } from './streams.ts';
import { lastCallAt, shiftTimes } from './times.ts';

export { createMemoryDisk, type MemoryDisk } from './disk.ts';

export interface MemoryHooks {
  // Awaited before a command takes effect. Never resolving: the crash came first.
  readonly beforeApply?: () => Promise<void>;
  // Awaited after it took effect, before it is acknowledged.
  readonly afterApply?: () => Promise<void>;
}

export function createMemoryStore(
  disk: MemoryDisk = createMemoryDisk(),
  hooks: MemoryHooks = {},
): { journal: MemoryJournal; ledger: Ledger } {
  disk.opened += 1;
  const journal = new MemoryJournal(disk, hooks, new MemoryCommands(disk), EMBEDDED);
  return { journal, ledger: memoryLedger(disk) };
}

export class MemoryJournal implements Store, FleetStore {
  readonly tag: string;
  readonly callers: CallerStore;
  readonly incoming: UpdateStore;
  readonly broadcasts: BroadcastStore;
  readonly streams: StreamStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly sessions: SessionStore;
  readonly ingest: IngestStore;
  readonly minutes: MinuteStore;
  readonly #disk: MemoryDisk;
  readonly #hooks: MemoryHooks;
  readonly #opened: number;
  readonly #node: string;
  #commands: MemoryCommands;

  constructor(disk: MemoryDisk, hooks: MemoryHooks, commands: MemoryCommands, node: string) {
    this.tag = disk.tag;
    this.#disk = disk;
    this.#hooks = hooks;
    this.#opened = disk.opened;
    this.#commands = commands;
    this.#node = node;
    this.callers = {
      caller: (owner, seq, isThere) =>
        this.#command(() => this.#commands.caller(owner, seq, isThere)),
      unanswered: (bounds) => this.#command(() => this.#commands.callers.unanswered(bounds)),
    };
    this.incoming = incomingOver((command) => this.#command(() => runIncoming(disk, command)));
    this.broadcasts = broadcastsOver((command) =>
      this.#command(() => runBroadcasts(disk, command)),
    );
    this.streams = streamsOver((command) => this.#command(() => runStreams(disk, command)));
    const guarded = keysOver((command) => this.#command(() => runKeys(disk, command)));
    this.keys = guarded.keys;
    this.audit = guarded.audit;
    this.sessions = guarded.sessions;
    this.ingest = ingestOver((command) => this.#command(() => runIngest(disk, command)));
    this.minutes = minutesOver((command) => this.#command(() => runMinutes(disk, command)));
  }

  // Another handle on the same store, as another node would open it.
  beside(node: string): MemoryJournal {
    return new MemoryJournal(this.#disk, this.#hooks, this.#commands, node);
  }

  async *recover(owners: readonly Owner[]): AsyncIterable<readonly Recovered[]> {
    const found: Recovered[] = [];
    const own = new Set<string>();
    for (const owner of owners) {
      if (isOwner(this.#disk, owner)) own.add(owner.account);
      else found.push({ ...NOT_OWNER, account: owner.account });
    }
    for (const seq of [...this.#disk.live].sort((a, b) => a - b)) {
      const row = this.#disk.deliveries.get(seq)!;
      if (!own.has(row.account)) continue;
      const queued = queuedOf(row);
      if (row.state === 'queued') found.push({ kind: 'queued', queued });
      else found.push({ kind: 'sending', queued, n: row.attempts, past: pastOf(row) });
    }
    yield found;
  }

  append(owner: Owner, delivery: NewDelivery, bounds: AppendBounds): Appending {
    assert(
      delivery.account === owner.account,
      'a delivery is appended by the owner of its account',
    );
    const append = () => this.#commands.append(owner, delivery, bounds);
    if (bounds.beginAt === undefined) {
      const durable = this.#command(append);
      return { written: durable, durable };
    }
    const { promise: written, resolve, reject } = Promise.withResolvers<Appended>();
    const durable = this.#command(() => {
      const appended = append();
      resolve(appended);
      return appended;
    });
    durable.catch(reject);
    return { written, durable };
  }

  begin(owner: Owner, seq: number, startedAt: number, waitedFor?: string): Promise<Begun> {
    return this.#command(() => this.#commands.begin(owner, seq, startedAt, waitedFor));
  }

  settle(owner: Owner, settlement: Settlement): Promise<Settled> {
    assertOwn(owner, settlement.limits);
    return this.#command(() => this.#commands.settle(owner, settlement));
  }

  move(owner: Owner, command: MoveCommand): Promise<Moved> {
    return this.#command(() => this.#commands.move(owner, command));
  }

  receipt(owner: Owner, command: ReceiptCommand): Promise<ReceiptEffect> {
    return this.#command(() => this.#commands.receipt(owner, command));
  }

  saveLimits(owner: Owner, records: readonly StoredLimit[]): Promise<Kept> {
    assertOwn(owner, records);
    return this.#command(() => this.#commands.saveLimits(owner, records));
  }

  limits(accounts: readonly AccountId[]): Promise<StoredLimit[]> {
    const asked = new Set(accounts);
    return this.#command(() =>
      sortedValues(this.#disk.limits).filter(({ account }) => asked.has(account)),
    );
  }

  openAccount(account: AccountId): Promise<Owner> {
    return this.#command(() => openAccount(this.#disk, account, this.#node));
  }

  closeAccount(owner: Owner): Promise<void> {
    return this.#command(() => closeAccount(this.#disk, owner, this.#node));
  }

  ownersBut(nodes: readonly string[]): Promise<StoredOwner[]> {
    return this.#command(() => ownersBut(this.#disk, nodes));
  }

  ownerOf(account: AccountId): Promise<StoredOwner | null> {
    return this.#command(() => ownerRowOf(this.#disk, account));
  }

  knownAccounts(): Promise<AccountId[]> {
    return this.#command(() => knownAccounts(this.#disk));
  }

  callsSince(accounts: readonly AccountId[], since: number): Promise<StoredCall[]> {
    const asked = new Set(accounts);
    return this.#command(() => this.#callsSince(asked, since));
  }

  lastCallAt(): Promise<number> {
    return this.#command(() => lastCallAt(this.#disk));
  }

  shiftTimes(shift: TimeShift): Promise<void> {
    return this.#command(() => {
      shiftTimes(this.#disk, shift);
      this.#commands.writeLimits(shift.limits);
    });
  }

  saveAccount(account: StoredAccount): Promise<void> {
    return this.#command(() => {
      this.#disk.accounts.set(account.id, { ...account });
    });
  }

  removeAccount(id: AccountId): Promise<void> {
    return this.#command(() => {
      this.#disk.accounts.delete(id);
    });
  }

  accounts(): Promise<StoredAccount[]> {
    return this.#command(() => sortedValues(this.#disk.accounts));
  }

  renameAccounts(renames: readonly AccountRename[]): Promise<readonly AccountId[]> {
    return this.#command(() => {
      const taken = renameAccounts(this.#disk, renames);
      // It keeps counts by account.
      this.#commands = new MemoryCommands(this.#disk);
      return taken;
    });
  }

  filesInUse(): Promise<string[]> {
    return this.#command(() => this.#filesInUse());
  }

  prune(command: PruneCommand): Promise<number> {
    return this.#command(() => this.#prune(command));
  }

  async close(): Promise<void> {
    if (this.#disk.opened === this.#opened) this.#commands.callers.allAnswered();
  }

  async #command<T>(apply: () => T): Promise<T> {
    if (this.#hooks.beforeApply !== undefined) await this.#hooks.beforeApply();
    // Another journal opened this disk: the process this one belonged to is dead, and acts no more.
    if (this.#disk.opened !== this.#opened) return new Promise<never>(() => {});
    const result = apply();
    if (this.#hooks.afterApply !== undefined) await this.#hooks.afterApply();
    return result;
  }

  #callsSince(asked: ReadonlySet<string>, since: number): StoredCall[] {
    const calls: StoredCall[] = [];
    for (let i = this.#disk.attempts.length - 1; i >= 0; i -= 1) {
      const { seq, chat, startedAt, endedAt, outcome } = this.#disk.attempts[i]!;
      if (startedAt < since) break;
      const row = this.#disk.deliveries.get(seq);
      if (row === undefined || !asked.has(row.account)) continue;
      const { account, user, family, budget, live, cost, messageId } = row;
      const what = { account, chat, user, family, budget, live, cost, messageId };
      calls.push({ ...what, startedAt, endedAt, outcome });
    }
    return calls.reverse();
  }

  #filesInUse(): string[] {
    const { spooled, deliveries } = this.#disk;
    for (const seq of spooled.keys()) {
      const row = deliveries.get(seq);
      if (row === undefined || !mayStillGo(row.state)) spooled.delete(seq);
    }
    return [...new Set([...spooled.values()].flat())].sort();
  }

  #prune({ endedBefore, deadBefore, max }: PruneCommand): number {
    const settled: number[] = [];
    const stuck: number[] = [];
    for (const [seq, endedAt] of this.#disk.ended) {
      if (endedAt >= Math.max(endedBefore, deadBefore)) break;
      const { state } = this.#disk.deliveries.get(seq)!;
      const isStuck = state === 'dead' || state === 'uncertain';
      if (isStuck && endedAt < deadBefore) stuck.push(seq);
      if (!isStuck && endedAt < endedBefore) settled.push(seq);
    }
    const pruned = [...settled, ...stuck].slice(0, max);
    for (const seq of pruned) this.#forget(seq);
    const kept = this.#disk.attempts.findIndex(({ seq }) => this.#disk.deliveries.has(seq));
    this.#disk.attempts.splice(0, kept === -1 ? this.#disk.attempts.length : kept);
    return pruned.length;
  }

  #forget(seq: number): void {
    const disk = this.#disk;
    disk.deliveries.delete(seq);
    disk.checks.delete(seq);
    disk.ended.delete(seq);
    disk.attemptsOf.delete(seq);
    disk.historyOf.delete(seq);
    disk.held.delete(seq);
    disk.copies.delete(seq);
    freeKey(disk, seq);
  }
}

function sortedValues<T>(map: ReadonlyMap<string, T>): T[] {
  return [...map.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
