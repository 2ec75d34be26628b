// The store of a node of a fleet: the one behind it, and in front of it the spill for the time it is away. The road
// writes to it as to any other.

import type { NewDelivery, Queued } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import { coalesced } from '../../system/coalesced.ts';
import type { Periodic, PeriodicJob } from '../../system/periodic.ts';
import type { AccountRename, StoredAccount } from '../ports/accounts.ts';
import type { AuditStore } from '../ports/audit.ts';
import type { BroadcastStore } from '../ports/broadcasts.ts';
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
import type { HandedOver, HandOverStore, SpillPart, Stray } from '../ports/hand-over.ts';
import type { IngestStore } from '../ports/ingest.ts';
import type { KeyStore } from '../ports/keys.ts';
import type { StoredLimit } from '../ports/limits.ts';
import type { PruneCommand, TimeShift } from '../ports/maintenance.ts';
import type { MinuteStore } from '../ports/minutes.ts';
import { type Kept, NO_EPOCH, type Owner } from '../ports/ownership.ts';
import type { Recovered, StoredCall } from '../ports/recovery.ts';
import type { SessionStore } from '../ports/sessions.ts';
import type { Store } from '../ports/store.ts';
import type { StoredStream, StreamStore } from '../ports/streams.ts';
import {
  CommandInDoubt,
  CommandRefused,
  type Doubt,
  JournalUnavailable,
} from '../ports/unavailable.ts';
import type { UpdateStore } from '../ports/updates.ts';
import { LeftBehind } from './left-behind.ts';
import type { PassOn } from './passing.ts';
import { away, Spill, type SpillListener, type SpillOptions, type SpillStanding } from './spill.ts';

const STRAYS_EVERY_MS = 2_000;

export type StoreBehind = Store & { readonly handOver: HandOverStore };

type OpenOptions = Omit<SpillOptions, 'store' | 'clock'> & { readonly periodic: Periodic };

export async function openSpilling(
  store: StoreBehind,
  options: OpenOptions,
): Promise<SpillingStore> {
  const { periodic } = options;
  const { clock } = periodic;
  const spill = await Spill.open({ ...options, clock, store: store.handOver });
  return new SpillingStore(store, spill, periodic);
}

export class SpillingStore implements Store {
  readonly tag: string;
  readonly callers: CallerStore;
  readonly incoming: UpdateStore;
  readonly streams: StreamStore;
  readonly broadcasts: BroadcastStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly ingest: IngestStore;
  readonly sessions: SessionStore;
  readonly minutes: MinuteStore;
  readonly #store: StoreBehind;
  readonly #spill: Spill;
  readonly #left: LeftBehind;
  readonly #strays: PeriodicJob;
  #listener: SpillListener | null = null;
  // The last place that was given in the order of each account.
  readonly #ranks = new Map<string, number>();
  // Those that were opened while the store was away, under no epoch, as what they are known since; null: not yet.
  readonly #unknown = new Map<string, Owner | null>();
  #isClosed = false;
  // One at a time: what two have read would arrive twice, the second time when it may have ended.
  readonly takeStrays = coalesced(() => this.#takeStrays());

  constructor(store: StoreBehind, spill: Spill, periodic: Periodic) {
    this.#store = store;
    this.#spill = spill;
    this.#left = new LeftBehind(store.handOver, periodic.clock);
    this.#strays = periodic.job({
      name: 'take_strays',
      everyMs: STRAYS_EVERY_MS,
      run: () => this.takeStrays(),
    });
    this.tag = store.tag;
    ({
      incoming: this.incoming,
      broadcasts: this.broadcasts,
      keys: this.keys,
      audit: this.audit,
      ingest: this.ingest,
      sessions: this.sessions,
      minutes: this.minutes,
    } = store);
    this.streams = {
      ...store.streams,
      save: (owner, stream) => this.#saveStream(owner, stream),
    };
    this.callers = {
      caller: (owner, seq, isThere) => this.#caller(owner, seq, isThere),
      unanswered: (bounds) => store.callers.unanswered(bounds),
    };
  }

  get standing(): SpillStanding {
    return this.#spill.standing();
  }

  // From now on it is told, also of what other nodes handed over.
  listen(listener: SpillListener): void {
    this.#spill.listen(listener);
    this.#listener = listener;
    void this.#strays.start();
  }

  // Another node says that it has left some. They are on the road here before the store forgets them.
  async #takeStrays(): Promise<void> {
    const listener = this.#listener;
    if (this.#isClosed || this.#spill.isAway || listener === null) return;
    try {
      const taken: Stray[] = [];
      for (const stray of await this.#store.handOver.strays()) {
        const { queued } = stray;
        // Else it would go past what is read just now.
        if (queued !== null && listener.isOpen?.(queued.account) === false) continue;
        if (queued !== null) listener.arrived(queued);
        taken.push(stray);
      }
      if (taken.length > 0) await this.#store.handOver.forgetStrays(taken);
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
    }
  }

  // Another node that can write for this one while it is cut from the store.
  passBy(passOn: PassOn): void {
    this.#spill.passBy(passOn);
  }

  // For a node that is cut from the store: written down, and taken up by the owners of its accounts. null: not now.
  async handOverFor(
    { spill, records, node }: SpillPart,
    notify: () => Promise<void>,
    msMax: number,
  ): Promise<HandedOver[] | null> {
    if (this.#spill.isAway) return null;
    try {
      const answers = await this.#store.handOver.handOver(spill, records, node);
      const strays = records.filter((_, i) => {
        const one = answers[i]!;
        return one.kind === 'accepted' && one.isStray;
      });
      const last = strays.findLast((one) => one.kind === 'append');
      if (last !== undefined) await this.takenUp(last.seq, notify, msMax);
      return answers;
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
      return null;
    }
  }

  // Of what was left for its owner; false: it has not taken it up, after so long.
  async takenUp(seq: number, notify: () => Promise<void>, msMax: number): Promise<boolean> {
    try {
      await notify();
      return await this.#left.takenUp(seq, msMax);
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
    }
    return false;
  }

  // Files that deliveries of the spill name are brought into the database before they are.
  bringFilesBy(ensure: (files: readonly string[]) => Promise<void>): void {
    this.#spill.bringFilesBy(ensure);
  }

  append(owner: Owner, delivery: NewDelivery, bounds: AppendBounds): Appending {
    const isDirect = owner.epoch !== NO_EPOCH && !this.#spill.isTaken(owner.account);
    const durable = isDirect
      ? this.#appendDirect(owner, delivery, bounds)
      : this.#appendInTurn(owner, delivery, bounds);
    return { written: durable, durable };
  }

  async begin(owner: Owner, seq: number, startedAt: number, waited?: string): Promise<Begun> {
    await this.#spill.left(seq);
    return this.#watched(async () =>
      this.#store.begin(await this.#as(owner), seq, startedAt, waited),
    );
  }

  async settle(owner: Owner, settlement: Settlement): Promise<Settled> {
    this.#assertThere();
    return this.#watched(() => this.#store.settle(owner, settlement));
  }

  async move(owner: Owner, command: MoveCommand): Promise<Moved> {
    const withdrawn = await this.#spill.withdraw(owner, command);
    if (withdrawn !== null) return withdrawn;
    this.#assertThere();
    return this.#watched(async () => this.#store.move(await this.#as(owner), command));
  }

  async receipt(owner: Owner, command: ReceiptCommand): Promise<ReceiptEffect> {
    await this.#spill.left(command.seq);
    return this.#store.receipt(await this.#as(owner), command);
  }

  async saveLimits(owner: Owner, limits: readonly StoredLimit[]): Promise<Kept> {
    this.#assertThere();
    return this.#store.saveLimits(await this.#as(owner), limits);
  }

  limits(accounts: readonly AccountId[]): Promise<StoredLimit[]> {
    return this.#store.limits(accounts);
  }

  async openAccount(account: AccountId): Promise<Owner> {
    try {
      this.#assertThere();
      const owner = await this.#store.openAccount(account);
      this.#unknown.delete(account);
      return owner;
    } catch (error) {
      if (!isAway(error)) throw error;
      this.#spill.leave(error);
      this.#unknown.set(account, null);
      return { account, epoch: NO_EPOCH };
    }
  }

  async closeAccount(owner: Owner): Promise<void> {
    const known = await this.#as(owner);
    this.#ranks.delete(owner.account);
    this.#unknown.delete(owner.account);
    if (known.epoch !== NO_EPOCH) await this.#store.closeAccount(known);
  }

  knownAccounts(): Promise<AccountId[]> {
    return this.#store.knownAccounts();
  }

  async *recover(owners: readonly Owner[]): AsyncIterable<readonly Recovered[]> {
    for await (const page of this.#store.recover(owners)) {
      for (const one of page) if (one.kind !== 'not_owner') this.#noteRank(one.queued);
      yield page;
    }
  }

  callsSince(accounts: readonly AccountId[], since: number): Promise<StoredCall[]> {
    return this.#store.callsSince(accounts, since);
  }

  lastCallAt(): Promise<number> {
    return this.#store.lastCallAt();
  }

  shiftTimes(shift: TimeShift): Promise<void> {
    return this.#store.shiftTimes(shift);
  }

  saveAccount(account: StoredAccount): Promise<void> {
    return this.#store.saveAccount(account);
  }

  removeAccount(id: AccountId): Promise<void> {
    return this.#store.removeAccount(id);
  }

  accounts(): Promise<StoredAccount[]> {
    return this.#store.accounts();
  }

  renameAccounts(renames: readonly AccountRename[]): Promise<readonly AccountId[]> {
    return this.#store.renameAccounts(renames);
  }

  // What is in the spill may need its files too, and the store does not know of them yet.
  async filesInUse(): Promise<string[]> {
    const files = this.#spill.files();
    return [...new Set([...files, ...(await this.#store.filesInUse())])];
  }

  prune(command: PruneCommand): Promise<number> {
    return this.#store.prune(command);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#strays.stop(0);
    await this.#spill.close();
    await this.#store.close();
  }

  async #appendDirect(
    owner: Owner,
    delivery: NewDelivery,
    bounds: AppendBounds,
  ): Promise<Appended> {
    try {
      const appended = await this.#store.append(owner, delivery, bounds).durable;
      if (appended.kind === 'accepted') this.#noteRank(appended.queued);
      return appended;
    } catch (error) {
      if (!isAway(error)) throw error;
      this.#spill.leave(error);
      const doubt = error instanceof CommandInDoubt ? error.doubt : undefined;
      return this.#toSpill(delivery, bounds, doubt);
    }
  }

  async #appendInTurn(
    owner: Owner,
    delivery: NewDelivery,
    bounds: AppendBounds,
  ): Promise<Appended> {
    if (await this.#spill.takes(owner.account)) return this.#toSpill(delivery, bounds);
    return this.#appendDirect(await this.#as(owner), delivery, bounds);
  }

  async #toSpill(delivery: NewDelivery, bounds: AppendBounds, doubt?: Doubt): Promise<Appended> {
    const { account } = delivery;
    const rank = (this.#ranks.get(account) ?? 0) + 1;
    this.#ranks.set(account, rank);
    return this.#spill.accept(delivery, bounds, rank, doubt);
  }

  async #caller(owner: Owner, seq: number, isThere: boolean): Promise<Kept> {
    await this.#spill.left(seq);
    return this.#store.callers.caller(await this.#as(owner), seq, isThere);
  }

  async #saveStream(owner: Owner, stream: StoredStream): Promise<Kept> {
    const known = await this.#as(owner);
    // Whose it is nobody can tell yet.
    if (known.epoch === NO_EPOCH) this.#assertThere();
    return this.#store.streams.save(known, stream);
  }

  // One that was opened while the store was away is opened when it is back, unless another node has it by now.
  async #as(owner: Owner): Promise<Owner> {
    const { account, epoch } = owner;
    if (epoch !== NO_EPOCH || this.#spill.isAway) return owner;
    const known = this.#unknown.get(account);
    // Nobody opened it: it is not for this node to take.
    if (known === undefined) return owner;
    if (known !== null) return known;
    const [unowned] = await this.#store.handOver.unowned([account]);
    if (unowned === undefined) return owner;
    const opened = await this.#store.openAccount(account);
    this.#unknown.set(account, opened);
    return opened;
  }

  #noteRank({ account, rank }: Queued): void {
    this.#ranks.set(account, Math.max(rank, this.#ranks.get(account) ?? 0));
  }

  // Who finds out that the store is away tells everyone.
  async #watched<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isAway(error)) this.#spill.leave(error);
      throw error;
    }
  }

  #assertThere(): void {
    if (this.#spill.isAway) throw away();
  }
}

function isAway(error: unknown): error is JournalUnavailable {
  return error instanceof JournalUnavailable && !(error instanceof CommandRefused);
}
