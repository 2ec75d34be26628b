// The accounts of this node, and where to find the others. Membership says what to open and what to hand over; a
// request for an account that nobody has opened yet opens it, if hashing names this node. The store's row is the truth;
// what is here is where to ask first, and who is asked knows better.

import type { AccountId } from '../domain/ids.ts';
import type { FleetStore } from '../store/ports/fleet.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import type { FleetNode } from './coordination.ts';
import type { OwnedAccounts } from './membership.ts';
import type { HandOver, OwnerRow } from './plan.ts';
import { ownerFor, rendezvous } from './rendezvous.ts';

export interface FleetAccountsParts {
  readonly store: FleetStore;
  // The incarnation of this node.
  readonly self: string;
  readonly members: () => readonly FleetNode[];
  // Reads them anew; a node that has just joined is known to others a moment later.
  readonly lookAgain?: () => Promise<void>;
  readonly isStoreAway: () => boolean;
  readonly road: AccountRoad;
  // What else is kept per account, after the road when it is taken and before it when it is handed over.
  readonly services: () => readonly AccountPart[];
  readonly handOverMsMax: number;
  readonly count: (event: OwnershipEvent) => void;
  // Planned again by itself.
  readonly onFailure: (error: unknown, account: AccountId) => void;
}

export interface AccountRoad {
  // False: another took it meanwhile.
  take(account: AccountId): Promise<boolean>;
  handOver(account: AccountId, deadlineMs: number): Promise<void>;
}

export interface AccountPart {
  // Also of one that it has: what came to the store since is taken up.
  take(account: AccountId): Promise<void>;
  // Another has it by now, or soon: nothing more of it is done here.
  leave(account: AccountId): Promise<void>;
}

export type OwnershipEvent = 'taken' | 'handed_over' | 'lost';

export type Where =
  | { readonly kind: 'here' }
  | { readonly kind: 'there'; readonly node: FleetNode }
  // No node is known that could have it.
  | { readonly kind: 'nobody' };

// Of one round: who has it though hashing names another is nearly always the next in rank, and in a large fleet every
// message would be asked for everywhere while its owner and the store are both away.
const ASKED_MAX = 4;

const HERE: Where = Object.freeze({ kind: 'here' });
const NOBODY: Where = Object.freeze({ kind: 'nobody' });
// Recoveries at once: each reads the account's queue; the store reads those of one time together.
const TAKEN_TOGETHER_MAX = 32;

export class FleetAccounts implements OwnedAccounts {
  readonly #parts: FleetAccountsParts;
  readonly #held = new Set<AccountId>();
  // Of those, the ones that not all services have taken up yet.
  readonly #unfinished = new Set<AccountId>();
  // One of the two at a time: what is asked for meanwhile comes after it, or shares it.
  readonly #taking = new Map<AccountId, Promise<boolean>>();
  readonly #giving = new Map<AccountId, Promise<void>>();
  readonly #listeners = new Set<() => void>();

  constructor(parts: FleetAccountsParts) {
    this.#parts = parts;
  }

  isHere(account: AccountId): boolean {
    return this.#held.has(account);
  }

  // Without those that are to be taken up again.
  *open(): Iterable<AccountId> {
    for (const account of this.#held) if (!this.#unfinished.has(account)) yield account;
  }

  get count(): number {
    return this.#held.size;
  }

  rows(others: readonly string[]): Promise<readonly OwnerRow[]> {
    return this.#parts.store.ownersBut(others);
  }

  // Where to ask first.
  async whereIs(account: AccountId): Promise<Where> {
    if (this.#held.has(account)) return HERE;
    const owner = this.#planned(account);
    if (owner === null) return NOBODY;
    return owner.incarnation === this.#parts.self
      ? this.claim(account)
      : { kind: 'there', node: owner };
  }

  // What this node answers when it is asked for it: it has it or takes it, or knows who has it.
  async claim(account: AccountId): Promise<Where> {
    if (this.#held.has(account)) return HERE;
    const taking = this.#taking.get(account);
    if (taking !== undefined) return (await taking) ? HERE : NOBODY;
    const row = await this.#rowOf(account);
    if (row === 'away') return NOBODY;
    const living = await this.#livingOwnerOf(row?.node ?? null);
    if (living !== null) return { kind: 'there', node: living };
    const owner = this.#planned(account);
    if (owner === null) return NOBODY;
    if (owner.incarnation !== this.#parts.self) return { kind: 'there', node: owner };
    return (await this.#take(account)) ? HERE : NOBODY;
  }

  // One that is not known may have joined just now: to take over from it would leave what it has in flight in doubt.
  async #livingOwnerOf(incarnation: string | null): Promise<FleetNode | null> {
    const known = this.#nodeOf(incarnation);
    if (known !== null || incarnation === null || incarnation === this.#parts.self) return known;
    await this.#parts.lookAgain?.();
    return this.#nodeOf(incarnation);
  }

  async #rowOf(account: AccountId) {
    if (this.#parts.isStoreAway()) return 'away';
    try {
      return await this.#parts.store.ownerOf(account);
    } catch (error) {
      if (error instanceof JournalUnavailable) return 'away';
      throw error;
    }
  }

  // Whom to ask after one that does not have it: who that one names. While the store can name nobody, any other, for
  // one of them has it still: what comes for an account in that time must not lie at two nodes, or its order is lost.
  next(account: AccountId, named: string | null, asked: ReadonlySet<string>): FleetNode | null {
    const isNew = ({ incarnation }: FleetNode) =>
      incarnation !== this.#parts.self && !asked.has(incarnation);
    const node = this.#nodeOf(named);
    if (node !== null && isNew(node)) return node;
    if (!this.#parts.isStoreAway() || asked.size >= ASKED_MAX) return null;
    return rendezvous(this.#parts.members()).ranked(account).find(isNew) ?? null;
  }

  // Another than those that were asked, who lives: this node itself, too.
  hasTaken(incarnation: string | null, asked: ReadonlySet<string>): boolean {
    if (incarnation === this.#parts.self) return true;
    const node = this.#nodeOf(incarnation);
    return node !== null && !asked.has(node.incarnation);
  }

  // Notified when accounts are no longer this node's.
  onLeft(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async take(accounts: readonly AccountId[]): Promise<void> {
    await together(accounts, (account) => this.#take(account));
  }

  async handOver(handOvers: readonly HandOver[]): Promise<void> {
    await together(
      handOvers.map(({ account }) => account),
      (account) => this.#give(account),
    );
  }

  async lose(accounts: readonly AccountId[]): Promise<void> {
    for (const account of accounts) this.lost(account);
  }

  // Another has it by now.
  lost(account: AccountId): void {
    this.#unfinished.delete(account);
    if (!this.#held.delete(account)) return;
    this.#parts.count('lost');
    void this.#leaveServices(account);
    this.#notifyLeft();
  }

  // Taken anew, with what others have written for it meanwhile; unless another has it by now.
  async refresh(account: AccountId): Promise<void> {
    if (!this.#held.has(account)) return;
    await this.#give(account);
    await this.claim(account);
  }

  #take(account: AccountId): Promise<boolean> {
    if (this.#held.has(account) && !this.#unfinished.has(account)) return Promise.resolve(true);
    const known = this.#taking.get(account);
    if (known !== undefined) return known;
    const taking = this.#open(account).finally(() => this.#taking.delete(account));
    this.#taking.set(account, taking);
    return taking;
  }

  async #open(account: AccountId): Promise<boolean> {
    const { road, services, count, onFailure } = this.#parts;
    await this.#giving.get(account);
    try {
      if (!this.#held.has(account)) {
        if (!(await road.take(account))) return false;
        this.#held.add(account);
        count('taken');
      }
      this.#unfinished.add(account);
      for (const service of services()) await service.take(account);
      this.#unfinished.delete(account);
      return true;
    } catch (error) {
      onFailure(error, account);
      return this.#held.has(account);
    }
  }

  #give(account: AccountId): Promise<void> {
    const known = this.#giving.get(account);
    if (known !== undefined) return known;
    const giving = this.#close(account).finally(() => this.#giving.delete(account));
    this.#giving.set(account, giving);
    return giving;
  }

  async #close(account: AccountId): Promise<void> {
    const { road, handOverMsMax, count, onFailure } = this.#parts;
    await this.#taking.get(account);
    try {
      await this.#leaveServices(account);
      await road.handOver(account, handOverMsMax);
      count('handed_over');
    } catch (error) {
      onFailure(error, account);
    }
    this.#held.delete(account);
    this.#unfinished.delete(account);
    this.#notifyLeft();
  }

  async #leaveServices(account: AccountId): Promise<void> {
    for (const service of this.#parts.services()) {
      try {
        await service.leave(account);
      } catch (error) {
        this.#parts.onFailure(error, account);
      }
    }
  }

  #notifyLeft(): void {
    for (const listener of this.#listeners) listener();
  }

  #planned(account: AccountId): FleetNode | null {
    return ownerFor(
      account,
      this.#parts.members().filter(({ state }) => state === 'ready'),
    );
  }

  #nodeOf(incarnation: string | null): FleetNode | null {
    if (incarnation === this.#parts.self) return null;
    const isIt = (node: FleetNode) => node.incarnation === incarnation && node.state !== 'cut_off';
    return this.#parts.members().find(isIt) ?? null;
  }
}

async function together(
  accounts: readonly AccountId[],
  work: (account: AccountId) => Promise<unknown>,
): Promise<void> {
  const rest = accounts.values();
  const worker = async () => {
    for (const account of rest) await work(account);
  };
  await Promise.all(Array.from({ length: TAKEN_TOGETHER_MAX }, worker));
}
