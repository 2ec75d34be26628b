// What is in the spill, in memory: in order, and found by account, number, slot and idempotency key, so that a repeat
// and a newer text are told as the store itself would tell them. What the store knows of its own is found out when the
// spill is handed over.

import {
  bytesOf,
  inheritedPlace,
  isWithdrawal,
  type NewDelivery,
  ownPlace,
  queuedOfNew,
  type SlotEntry,
} from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import { assert } from '../../system/assert.ts';
import type { Appended, MoveCommand } from '../ports/delivery.ts';
import type { SpilledAppend, SpilledRecord } from '../ports/hand-over.ts';
import { digestOf } from '../rules.ts';

interface Waiting extends SlotEntry {
  readonly seq: number;
  readonly final: boolean;
  readonly dueAt: number;
}

interface Keyed {
  readonly seq: number;
  readonly digest: string;
}

type Incoming = Omit<SpilledAppend, 'kind' | 'n'>;
type Accepted = Extract<Appended, { kind: 'accepted' }>;
type Repeat = Extract<Appended, { kind: 'repeated' | 'conflict' }>;
type Late = Extract<Appended, { kind: 'superseded' }>;

export class PendingSpill {
  readonly #records: SpilledRecord[] = [];
  readonly #byAccount = new Map<AccountId, number>();
  // null: it was withdrawn.
  readonly #seqs = new Map<number, NewDelivery | null>();
  readonly #slots = new Map<string, Waiting>();
  readonly #keys = new Map<string, Keyed>();
  #bytes = 0;
  #n = 0;

  get size(): number {
    return this.#records.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(seq: number): boolean {
    return this.#seqs.has(seq);
  }

  isWithdrawn(seq: number): boolean {
    return this.#seqs.get(seq) === null;
  }

  countOf(account: AccountId): number {
    return this.#byAccount.get(account) ?? 0;
  }

  files(): string[] {
    return filesOf(this.#records);
  }

  // The same call under its key, which is in here already; null: there is none.
  repeatOf(delivery: NewDelivery): Repeat | null {
    const { account, idempotencyKey: key } = delivery;
    const known = key === null ? undefined : this.#keys.get(placeOf(account, key));
    if (known === undefined) return null;
    return known.digest === digestOf(delivery)
      ? { kind: 'repeated', seq: known.seq, state: 'queued' }
      : { kind: 'conflict', seq: known.seq };
  }

  // Takes it in under a number; `rank`: its place in the order of its account, unless it takes another's.
  accept({ seq, delivery, doubt }: Incoming, rank: number): [SpilledRecord, Accepted | Late] {
    const { account, slot, idempotencyKey: key, final } = delivery;
    const asked = doubt === undefined ? null : { doubt };
    const record = this.#enter({ kind: 'append', n: this.#n + 1, seq, delivery, ...asked });
    this.#seqs.set(seq, delivery);
    if (key !== null) this.#keys.set(placeOf(account, key), { seq, digest: digestOf(delivery) });
    const rival = slot === null ? undefined : this.#slots.get(placeOf(account, slot));
    if (rival?.final === true && !final)
      return [record, { kind: 'superseded', seq, by: rival.seq }];
    const place = rival === undefined ? ownPlace(delivery, rank) : inheritedPlace(rival, delivery);
    const queued = queuedOfNew(delivery, seq, place);
    if (slot !== null) this.#slots.set(placeOf(account, slot), { ...queued, final });
    return [record, { kind: 'accepted', queued, replaced: rival?.seq ?? null, spilled: true }];
  }

  // One that is in here, by its own record.
  withdraw(account: AccountId, command: MoveCommand): SpilledRecord {
    const delivery = this.#seqs.get(command.seq);
    const record = this.#enter({ kind: 'move', n: this.#n + 1, account, command });
    this.#seqs.set(command.seq, null);
    if (delivery == null) return record;
    const { slot, idempotencyKey: key } = delivery;
    if (slot !== null) this.#slots.delete(placeOf(account, slot));
    if (key !== null && isWithdrawal(command.reason)) this.#keys.delete(placeOf(account, key));
    return record;
  }

  // What a process before this one left.
  restore(records: readonly SpilledRecord[]): void {
    for (const record of records) {
      this.#n = record.n - 1;
      if (record.kind === 'append') this.accept(record, 0);
      else this.withdraw(record.account, record.command);
    }
  }

  // Those that were not written after all.
  drop(record: SpilledRecord): void {
    const at = this.#records.lastIndexOf(record);
    if (at >= 0) this.#leave(this.#records.splice(at, 1));
  }

  // The first ones up to the record `to`, which stay until they are removed.
  first(to: number, countMax: number, bytesMax: number): readonly SpilledRecord[] {
    let bytes = 0;
    const some: SpilledRecord[] = [];
    for (const record of this.#records.slice(0, countMax)) {
      if (record.n > to || bytes > bytesMax) break;
      some.push(record);
      bytes += sizeOf(record);
    }
    return some;
  }

  removeFirst(count: number): void {
    this.#leave(this.#records.splice(0, count));
    if (this.#records.length > 0) return;
    this.#slots.clear();
    this.#keys.clear();
  }

  // Together with the log: the store knows by its number what it has taken of one spill.
  numberAnew(): void {
    assert(this.size === 0, 'records are numbered anew when there are none');
    this.#n = 0;
  }

  #enter(record: SpilledRecord): SpilledRecord {
    this.#n = record.n;
    this.#records.push(record);
    this.#bytes += sizeOf(record);
    this.#count(record, 1);
    return record;
  }

  #leave(records: readonly SpilledRecord[]): void {
    for (const record of records) {
      this.#bytes -= sizeOf(record);
      this.#count(record, -1);
      if (record.kind === 'append') this.#forget(record.seq, record.delivery);
    }
  }

  #forget(seq: number, { account, slot, idempotencyKey: key }: NewDelivery): void {
    this.#seqs.delete(seq);
    if (slot !== null && this.#slots.get(placeOf(account, slot))?.seq === seq) {
      this.#slots.delete(placeOf(account, slot));
    }
    if (key !== null && this.#keys.get(placeOf(account, key))?.seq === seq) {
      this.#keys.delete(placeOf(account, key));
    }
  }

  #count(record: SpilledRecord, change: number): void {
    const account = accountOf(record);
    const count = this.countOf(account) + change;
    if (count === 0) this.#byAccount.delete(account);
    else this.#byAccount.set(account, count);
  }
}

export function accountOf(record: SpilledRecord): AccountId {
  return record.kind === 'append' ? record.delivery.account : record.account;
}

export function filesOf(records: readonly SpilledRecord[]): string[] {
  return records.flatMap((one) => (one.kind === 'append' ? (one.delivery.files ?? []) : []));
}

function sizeOf(record: SpilledRecord): number {
  return record.kind === 'append' ? bytesOf(record.delivery.body) : 0;
}

function placeOf(account: AccountId, name: string): string {
  return `${account}\n${name}`;
}

export function countsOf(records: readonly SpilledRecord[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const record of records) {
    const account = accountOf(record);
    counts.set(account, (counts.get(account) ?? 0) + 1);
  }
  return counts;
}

// Those that were accepted while their account was between two owners are marked: when the store was read for the next
// owner they were still here.
export function placed(
  records: readonly SpilledRecord[],
  road: { isOnRoad?(seq: number): boolean },
): SpilledRecord[] {
  return records.map((one) =>
    one.kind === 'append' && road.isOnRoad?.(one.seq) === false ? { ...one, isOffRoad: true } : one,
  );
}
