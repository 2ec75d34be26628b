// The connections of readers: one for each account, opened when it is first needed, and only under the lease of its
// name, because a session that is used by two machines at once is lost for good. Which node may try is decided by
// rendezvous, and which account reads a source, too: so a source stays with its account, where its name is known.

import type { ChannelReader, ReaderAccount, ReaderKind } from '../platforms/history.ts';
import type { IngestStore, StoredWait } from '../store/ports/ingest.ts';
import type { Clock } from '../system/clock.ts';
import type { OpenReader, SendingSide } from './calls.ts';
import type { IngestCounters } from './counters.ts';
import { rendezvous } from './plan/plan.ts';
import { LEASE_MS } from './settings.ts';
import type { Waits } from './waits.ts';

export interface ReaderPool {
  readonly kind: ReaderKind;
  // null: it needs none. `named`: the one a source names, null: any will do.
  accounts(named: string | null): Promise<readonly ReaderAccount[] | null>;
  // Where it reads with accounts that the gateway sends with; left out: they only read.
  readonly sending?: SendingAccounts;
}

export interface SendingAccounts {
  // Those that sources name.
  named(): readonly ReaderAccount[];
  // What one account sends is one node's to say, and what it reads, too.
  isHere(account: string): boolean;
  sideOf(account: string): SendingSide;
}

export interface ReaderParts {
  readonly store: IngestStore;
  readonly clock: Clock;
  readonly counters: IngestCounters;
  readonly waits: Waits;
  readonly pools: readonly ReaderPool[];
  readonly node: string;
  // Random, and another one in each process: by it a lease is known as this process's own.
  readonly token: string;
  // All nodes that read, this one included.
  readonly nodes: () => readonly string[];
}

export type Picked =
  | { readonly kind: 'open'; readonly open: OpenReader }
  // Another node has it, as far as is known until then.
  | { readonly kind: 'busy'; readonly node: string; readonly until: number }
  | { readonly kind: 'none'; readonly reason: NoReader; readonly detail: string };

export type NoReader = 'no_reader' | 'no_account' | 'logged_out' | 'not_opened' | 'elsewhere';

// Of an account that can be read with: `waiting` where a method must not be called yet.
export interface AccountHealth {
  readonly readerKind: string;
  // null: the reader needs none.
  readonly account: string | null;
  readonly state: 'ok' | 'waiting' | 'logged_out';
  // Whether this node has its connection open.
  readonly isOpen: boolean;
  readonly waits: readonly StoredWait[];
}

// Less than a lease lasts.
const OPEN_MS_MAX = LEASE_MS / 2;

interface Connection {
  readonly epoch: number;
  // The lease is ours until then.
  until: number;
  readonly reader: ChannelReader;
  // Whether it is still this node's to read with.
  readonly isHere: () => boolean;
}

// How a connection is opened, and what goes with it.
interface Opening {
  readonly key: string;
  readonly sending: SendingSide | null;
  isHere(): boolean;
  open(): Promise<ChannelReader>;
}

export class ReaderConnections {
  // Who holds what this node was refused; for health.
  lockOwner: string | null = null;
  readonly #parts: ReaderParts;
  readonly #connections = new Map<string, Connection>();
  readonly #opening = new Map<string, Promise<Picked>>();

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  async pick(source: { id: number; readerKind: string; account: string | null }): Promise<Picked> {
    const { pools, waits, nodes, node } = this.#parts;
    const pool = pools.find(({ kind }) => kind.kind === source.readerKind);
    if (pool === undefined) return none('no_reader', `there is no reader ${source.readerKind}`);
    const accounts = await pool.accounts(source.account);
    const named = (accounts ?? [null])
      .filter((each) => source.account === null || each?.id === source.account)
      .map((account) => ({ account, key: readerKey(source.readerKind, account?.id ?? null) }));
    if (named.length === 0) return none('no_account', noAccountFor(pool, source.account));
    const healthy = named.filter(({ key }) => !waits.isLoggedOut(key));
    if (healthy.length === 0) return none('logged_out', 'its accounts are logged out: log in');
    const keys = healthy.map(({ key }) => key);
    const chosen = healthy[keys.indexOf(rendezvous(String(source.id), keys)!)]!;
    const { account, key } = chosen;
    const id = account?.id ?? '';
    const isHere = () => pool.sending?.isHere(id) ?? rendezvous(key, nodes()) === node;
    if (!isHere()) return none('elsewhere', 'another node reads it');
    const sending = pool.sending?.sideOf(id) ?? null;
    return this.#open({ key, sending, isHere, open: () => pool.kind.open(account) });
  }

  isHeld(key: string, epoch: number): boolean {
    const connection = this.#connections.get(key);
    if (connection === undefined || connection.epoch !== epoch) return false;
    return this.#parts.clock.now() < connection.until;
  }

  // Someone has logged in: what was opened with the old session is of no use.
  async loggedIn(kind: string, account: string): Promise<void> {
    await this.#parts.waits.loggedIn(readerKey(kind, account));
    await this.forget(kind, account);
  }

  // Its session is another now, or it has none.
  forget(kind: string, account: string): Promise<void> {
    return this.#drop(readerKey(kind, account));
  }

  async renew(): Promise<void> {
    for (const [key, connection] of [...this.#connections]) {
      // A node has come that is to read with it: kept here, nobody would.
      if (!connection.isHere()) {
        await this.#handOver(key);
        continue;
      }
      const at = this.#parts.clock.now();
      const answer = await this.#lease(key, at);
      if (answer.kind === 'held' && answer.epoch === connection.epoch) {
        connection.until = at + LEASE_MS;
        this.#parts.counters.lock.renewed += 1;
      } else {
        this.#parts.counters.lock.lost += 1;
        await this.#drop(key);
      }
    }
  }

  async health(): Promise<AccountHealth[]> {
    const { pools, waits } = this.#parts;
    const all: AccountHealth[] = [];
    for (const { kind, accounts, sending } of pools) {
      // Nothing is asked of it.
      if (kind.isPushed === true) continue;
      for (const account of sending?.named() ?? (await accounts(null)) ?? [null]) {
        const key = readerKey(kind.kind, account?.id ?? null);
        const own = waits.list().filter(({ reader }) => reader === key);
        const isWaiting = own.length > 0 ? 'waiting' : 'ok';
        all.push({
          readerKind: kind.kind,
          account: account?.id ?? null,
          state: waits.isLoggedOut(key) ? 'logged_out' : isWaiting,
          isOpen: this.#connections.has(key),
          waits: own,
        });
      }
    }
    return all;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#opening.values());
    for (const key of [...this.#connections.keys()]) await this.#handOver(key);
  }

  async #handOver(key: string): Promise<void> {
    await this.#drop(key);
    await this.#parts.store.releaseLease({ name: key, token: this.#parts.token });
  }

  #open(how: Opening): Promise<Picked> {
    const { key, sending } = how;
    const connection = this.#connections.get(key);
    if (connection !== undefined && this.isHeld(key, connection.epoch)) {
      const { reader, epoch } = connection;
      return Promise.resolve({ kind: 'open', open: { key, reader, epoch, sending } });
    }
    let opening = this.#opening.get(key);
    if (opening === undefined) {
      opening = this.#connect(how).finally(() => this.#opening.delete(key));
      this.#opening.set(key, opening);
    }
    return opening;
  }

  async #connect({ key, sending, isHere, open }: Opening): Promise<Picked> {
    const { counters, clock, waits } = this.#parts;
    // One whose lease was not renewed in time.
    await this.#drop(key);
    const at = clock.now();
    const lease = await this.#lease(key, at);
    if (lease.kind === 'busy') {
      counters.lock.busy += 1;
      this.lockOwner = lease.node;
      return lease;
    }
    counters.lock.acquired += 1;
    this.lockOwner = this.#parts.node;
    try {
      // Another node may have had it until now: what it was told to wait for holds here.
      if (lease.isTaken) await waits.load();
      const reader = await this.#inTime(open);
      this.#connections.set(key, { epoch: lease.epoch, until: at + LEASE_MS, reader, isHere });
      return { kind: 'open', open: { key, reader, epoch: lease.epoch, sending } };
    } catch (error) {
      return none('not_opened', error instanceof Error ? error.message : String(error));
    }
  }

  // One that comes later is of no use to anybody.
  async #inTime(open: () => Promise<ChannelReader>): Promise<ChannelReader> {
    const { clock } = this.#parts;
    const late = Promise.withResolvers<never>();
    const tooLate = () => late.reject(new Error(`not connected in ${OPEN_MS_MAX} ms`));
    const timer = clock.schedule(clock.now() + OPEN_MS_MAX, tooLate);
    const opening = open();
    try {
      return await Promise.race([opening, late.promise]);
    } catch (error) {
      opening.then(
        (reader) => reader.close(),
        () => {},
      );
      throw error;
    } finally {
      timer.cancel();
    }
  }

  #lease(name: string, now: number) {
    const { store, token, node } = this.#parts;
    return store.takeLease({ name, token, node, now, ttlMs: LEASE_MS });
  }

  async #drop(key: string): Promise<void> {
    const connection = this.#connections.get(key);
    this.#connections.delete(key);
    await connection?.reader.close().catch(() => {});
  }
}

export function readerKey(kind: string, account: string | null): string {
  return account === null ? kind : `${kind}:${account}`;
}

function noAccountFor({ sending }: ReaderPool, named: string | null): string {
  if (sending === undefined) return 'no account to read with: log in';
  return named === null
    ? 'no account to read with: name one'
    : `account ${named} is not here, or cannot read`;
}

function none(reason: NoReader, detail: string): Picked {
  return { kind: 'none', reason, detail };
}
