// What the memory journal keeps at hand of what is alive: how many per account, and who waits in
// each slot. Derived from the disk at opening; every change of a delivery's state goes through
// here. At most one delivery of a slot is queued at any time.

import { canMove, canMoveByReceipt, type State } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { HistoryEntry } from '../../ledger/ledger.ts';
import { assert } from '../../system/assert.ts';
import type { DeliveryPast } from '../ports/delivery.ts';
import { BY_SLUICE, SUPERSEDED } from '../rules.ts';
import { listOf, type MemoryDisk, type MemoryRow, pairKey } from './disk.ts';

export class SlotsAndCounts {
  readonly #disk: MemoryDisk;
  readonly #counts = new Map<string, number>();
  readonly #waiting = new Map<string, MemoryRow>();

  constructor(disk: MemoryDisk) {
    this.#disk = disk;
    for (const seq of disk.live) {
      const row = disk.deliveries.get(seq)!;
      this.#add(row.account, 1);
      if (row.state === 'queued') this.#take(row);
    }
  }

  count(account: AccountId): number {
    return this.#counts.get(account) ?? 0;
  }

  waitingIn(account: string, slot: string | null): MemoryRow | null {
    return slot === null ? null : (this.#waiting.get(pairKey(account, slot)) ?? null);
  }

  // A new one, a retry, or one brought back by hand.
  enter(row: MemoryRow): void {
    assert(row.state === 'queued' || canMove(row.state, 'queued'), `${row.state} → queued`);
    row.state = 'queued';
    row.settledAt = null;
    if (!this.#disk.live.has(row.seq)) {
      this.#disk.live.add(row.seq);
      this.#disk.ended.delete(row.seq);
      this.#add(row.account, 1);
    }
    this.#take(row);
  }

  begin(row: MemoryRow): void {
    assert(canMove(row.state, 'sending'), `${row.state} → sending`);
    row.state = 'sending';
    this.#release(row);
  }

  leave(row: MemoryRow, to: State, at: number): void {
    assert(canMove(row.state, to) || canMoveByReceipt(row.state, to), `${row.state} → ${to}`);
    this.#release(row);
    row.state = to;
    row.settledAt = at;
    if (this.#disk.live.delete(row.seq)) this.#add(row.account, -1);
    this.#disk.ended.delete(row.seq);
    this.#disk.ended.set(row.seq, at);
  }

  // Whatever it was before, it would have been queued now: the history tells that last move.
  supersede(row: MemoryRow, by: number, at: number): void {
    row.state = 'queued';
    this.leave(row, 'superseded', at);
    row.reason = SUPERSEDED;
    row.detail = null;
    row.supersededBy = by;
    const { seq } = row;
    this.note({ seq, at, from: 'queued', to: 'superseded', reason: SUPERSEDED, by: BY_SLUICE });
  }

  note(entry: HistoryEntry): void {
    const { seq, at, from, to, reason, by } = entry;
    listOf(this.#disk.historyOf, seq).push({ seq, at, from, to, reason, by });
  }

  #add(account: AccountId, change: number): void {
    this.#counts.set(account, this.count(account) + change);
  }

  #take(row: MemoryRow): void {
    if (row.slot !== null) this.#waiting.set(pairKey(row.account, row.slot), row);
  }

  #release(row: MemoryRow): void {
    if (row.slot === null) return;
    const key = pairKey(row.account, row.slot);
    if (this.#waiting.get(key) === row) this.#waiting.delete(key);
  }
}

export function pastOf(row: MemoryRow): DeliveryPast {
  const { acceptedAt, failures, doubts, cures } = row;
  return { acceptedAt, failures, doubts, cures };
}
