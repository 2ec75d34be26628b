// The store of a simulated fleet, as far as ownership goes: rows with epochs by the rules of the memory store, reached
// over a line that takes its time and loses answers. It is also where promises are checked, because every send begins
// here: one sender per account.

import type { AccountId } from '../domain/ids.ts';
import type { MemoryDisk } from '../store/memory/disk.ts';
import { closeAccount, isOwner, openAccount } from '../store/memory/owners.ts';
import type { Owner } from '../store/ports/ownership.ts';
import type { Clock } from '../system/clock.ts';
import { sleep } from '../system/clock.ts';
import { intBelow, type Random } from '../system/random.ts';
import type { OwnerRow } from './plan.ts';

// How long after its begin was asked for a call may still leave.
export const BEGIN_GUARD_MS = 2_000;
// Clocks of nodes run a little faster or slower than time.
export const DRIFT_MAX = 0.001;
const CALL_MS_MAX = 20;
const TIME_OUT_MS = 1_000;

export type Mistake =
  | 'begin_without_epoch'
  | 'take_over_keeps_epoch'
  | 'hand_over_keeps_sending'
  | 'members_never_expire'
  | 'no_begin_guard';

export interface Begin {
  readonly owner: Owner;
  readonly node: string;
  readonly at: number;
}

export interface WorldStoreParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly accounts: readonly AccountId[];
  readonly mistake: Mistake | null;
  // How many of them, 0 to 1: what was asked for is done, and nobody knows.
  readonly answersLost: number;
}

export class StoreAway extends Error {}

export class WorldStore {
  readonly accounts: readonly AccountId[];
  // What was promised and not kept, in words.
  readonly violations: string[] = [];
  // Nodes that do not reach it, by incarnation.
  readonly unreachable = new Set<string>();
  readonly sentAt = new Map<string, number>();
  opened = 0;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #mistake: Mistake | null;
  readonly #answersLost: number;
  readonly #owners: MemoryDisk['owners'] = new Map();
  // Who was given which epoch of which account.
  readonly #holders = new Map<string, string>();

  constructor({ clock, random, accounts, mistake, answersLost }: WorldStoreParts) {
    this.#clock = clock;
    this.#random = random;
    this.#mistake = mistake;
    this.#answersLost = answersLost;
    this.accounts = accounts;
  }

  rowOf(account: AccountId): { readonly node: string | null; readonly epoch: number } {
    return this.#owners.get(account) ?? { node: null, epoch: 0 };
  }

  rows(node: string, others: readonly string[]): Promise<OwnerRow[]> {
    return this.#call(node, () =>
      this.accounts
        .map((account) => ({ account, node: this.rowOf(account).node }))
        .filter((row) => row.node === null || !others.includes(row.node)),
    );
  }

  open(node: string, account: AccountId): Promise<Owner> {
    return this.#call(node, () => {
      const before = this.rowOf(account);
      const owner = this.#opened(node, account);
      if (before.node !== node) this.opened += 1;
      const key = `${account} epoch ${owner.epoch}`;
      const holder = this.#holders.get(key) ?? node;
      if (holder !== node) this.#violated(`${key} was given to ${holder} and to ${node}`);
      this.#holders.set(key, node);
      return owner;
    });
  }

  close(node: string, owner: Owner): Promise<void> {
    return this.#call(node, () => closeAccount(this.#disk, owner, node));
  }

  // null: not the owner.
  begin(node: string, owner: Owner): Promise<Begin | null> {
    return this.#call(node, () => {
      const isAllowed = this.#mistake === 'begin_without_epoch' || isOwner(this.#disk, owner);
      return isAllowed ? { owner, node, at: this.#clock.now() } : null;
    });
  }

  // A call leaves for the platform.
  send({ owner: { account, epoch }, node, at }: Begin): void {
    const row = this.#heldAt.get(account)?.findLast((held) => held.since <= at);
    const now = this.#clock.now();
    if (row?.node !== node || row.epoch !== epoch) {
      this.#violated(`${node} began ${account} at ${at}, which was ${row?.node}'s`);
    }
    if (now - at > BEGIN_GUARD_MS * (1 + 2 * DRIFT_MAX)) {
      this.#violated(`${node} sent for ${account} ${now - at} ms after its begin`);
    }
    this.sentAt.set(account, now);
  }

  // Whose each account was, since when: what the checks go by, kept apart from what the rules decide.
  readonly #heldAt = new Map<string, { since: number; node: string | null; epoch: number }[]>();

  #opened(node: string, account: AccountId): Owner {
    const { epoch } = this.rowOf(account);
    if (this.#mistake !== 'take_over_keeps_epoch' || epoch === 0) {
      return openAccount(this.#disk, account, node);
    }
    this.#owners.set(account, { node, epoch });
    return { account, epoch };
  }

  get #disk(): MemoryDisk {
    return { owners: this.#owners } as MemoryDisk;
  }

  #violated(what: string): void {
    this.violations.push(what);
  }

  async #call<T>(node: string, work: () => T): Promise<T> {
    await sleep(this.#clock, 1 + intBelow(this.#random, CALL_MS_MAX));
    if (this.unreachable.has(node)) {
      await sleep(this.#clock, TIME_OUT_MS);
      throw new StoreAway();
    }
    const answer = work();
    this.#remember();
    await sleep(this.#clock, 1 + intBelow(this.#random, CALL_MS_MAX));
    if (this.#random.next() < this.#answersLost) throw new StoreAway();
    return answer;
  }

  #remember(): void {
    for (const [account, { node, epoch }] of this.#owners) {
      const held = this.#heldAt.get(account) ?? [];
      const last = held.at(-1);
      if (last?.node === node && last.epoch === epoch) continue;
      held.push({ since: this.#clock.now(), node, epoch });
      this.#heldAt.set(account, held);
    }
  }
}
