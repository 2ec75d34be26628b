// The commands of the memory journal, each one synchronous step on the disk: conditional on the
// state it expects, and complete when it returns. This is where the port's promises are spelled
// out.

import {
  inheritedPlace,
  isPlain,
  isWithdrawal,
  laneOf,
  type NewDelivery,
  ownPlace,
  queuedOf,
  type SlotEntry,
} from '../../domain/delivery.ts';
import { sharedKey } from '../../domain/idempotency.ts';
import { formatId } from '../../domain/ids.ts';
import { assert } from '../../system/assert.ts';
import { rowCheck } from '../../system/databases/row-check.ts';
import type {
  AppendBounds,
  Appended,
  Begun,
  MoveCommand,
  Moved,
  ReceiptCommand,
  ReceiptEffect,
  Settled,
  Settlement,
} from '../ports/delivery.ts';
import type { StoredLimit } from '../ports/limits.ts';
import { type Kept, NOT_OWNER, type Owner } from '../ports/ownership.ts';
import { Ranks } from '../ranks.ts';
import {
  BY_PLATFORM,
  digestOf,
  IDEMPOTENCY_MS,
  mayBeOut,
  movableFrom,
  receiptMove,
  STATE_OF_PRUNED,
  yieldsTo,
} from '../rules.ts';
import { MemoryCallers } from './callers.ts';
import {
  type AttemptRow,
  freeKey,
  isRowIntact,
  listOf,
  type MemoryDisk,
  type MemoryRow,
  pairKey,
} from './disk.ts';
import { pastOf, SlotsAndCounts } from './live.ts';
import { isOwner } from './owners.ts';

export class MemoryCommands {
  readonly #disk: MemoryDisk;
  readonly #live: SlotsAndCounts;
  readonly #ranks: Ranks;
  readonly callers: MemoryCallers;

  constructor(disk: MemoryDisk) {
    this.#disk = disk;
    this.#live = new SlotsAndCounts(disk);
    this.#ranks = new Ranks(disk.seqLast);
    this.callers = new MemoryCallers(disk);
  }

  append(owner: Owner, delivery: NewDelivery, { queueMax, beginAt }: AppendBounds): Appended {
    if (!isOwner(this.#disk, owner)) return NOT_OWNER;
    const repeated = this.#repeated(delivery);
    if (repeated !== null) return repeated;

    const seq = this.#disk.seqLast + 1;
    const rival = this.#live.waitingIn(delivery.account, delivery.slot);
    if (rival !== null && yieldsTo({ seq, final: delivery.final }, rival)) {
      const late = this.#insert(delivery, seq, this.#ownPlace(delivery));
      this.#live.supersede(late, rival.seq, delivery.acceptedAt);
      return { kind: 'superseded', seq, by: rival.seq };
    }

    const waiting = this.#live.count(delivery.account);
    if (waiting - (rival === null ? 0 : 1) >= queueMax) return { kind: 'full', waiting, queueMax };

    if (rival !== null) this.#live.supersede(rival, seq, delivery.acceptedAt);
    const place = rival === null ? this.#ownPlace(delivery) : inheritedPlace(rival, delivery);
    const row = this.#insert(delivery, seq, place);
    this.#live.enter(row);
    const accepted = {
      kind: 'accepted',
      queued: queuedOf(row),
      replaced: rival?.seq ?? null,
    } as const;
    if (beginAt === undefined || !isPlain(delivery)) return accepted;
    this.begin(owner, seq, beginAt);
    return { ...accepted, begun: true };
  }

  #ownPlace(delivery: NewDelivery): SlotEntry {
    return ownPlace(delivery, this.#ranks.next(delivery.account));
  }

  #repeated(delivery: NewDelivery): Appended | null {
    const { account, idempotencyKey: key, acceptedAt } = delivery;
    if (key === null) return null;
    const shared = sharedKey(key);
    const earlier = [key, ...(shared === null ? [] : [shared])]
      .map((each) => this.#disk.idempotency.get(pairKey(account, each)))
      .find((found) => found !== undefined && found.expiresAt > acceptedAt);
    if (earlier === undefined) return null;
    if (earlier.digest !== digestOf(delivery)) return { kind: 'conflict', seq: earlier.seq };
    const { state } = this.#disk.deliveries.get(earlier.seq)!;
    return { kind: 'repeated', seq: earlier.seq, state };
  }

  #insert(delivery: NewDelivery, seq: number, place: SlotEntry): MemoryRow {
    const {
      notBefore,
      idempotencyKey,
      files = [],
      held,
      holder,
      repeats = null,
      copyOf,
      isBounded: _isBounded,
      ...given
    } = delivery;
    const row: MemoryRow = {
      ...given,
      seq,
      id: formatId(this.#disk.tag, seq),
      lane: laneOf(delivery),
      enterAt: place.enterAt,
      rank: place.rank,
      dueAt: notBefore,
      state: 'queued',
      reason: null,
      detail: null,
      settledAt: null,
      attempts: 0,
      failures: 0,
      doubts: 0,
      cures: [],
      messageId: null,
      result: null,
      supersededBy: null,
      repeats,
    };
    this.#disk.seqLast = seq;
    this.#disk.deliveries.set(seq, row);
    this.#saveCheck(row);
    if (held === true) this.callers.hold(seq, delivery);
    if (files.length > 0) this.#disk.spooled.set(seq, files);
    if (copyOf !== undefined) this.#disk.copies.set(seq, copyOf);
    if (idempotencyKey !== null) this.#rememberKey(delivery, idempotencyKey, seq);
    return row;
  }

  #rememberKey(delivery: NewDelivery, idempotencyKey: string, seq: number): void {
    const key = pairKey(delivery.account, idempotencyKey);
    const expiresAt = delivery.acceptedAt + IDEMPOTENCY_MS;
    this.#disk.idempotency.set(key, { seq, digest: digestOf(delivery), expiresAt });
    this.#disk.idempotencyOf.set(seq, key);
  }

  begin(owner: Owner, seq: number, startedAt: number, waitedFor?: string): Begun {
    const row = this.#disk.deliveries.get(seq);
    if (!this.#owns(owner, row)) return NOT_OWNER;
    if (row?.state !== 'queued') return { kind: 'gone', state: row?.state ?? STATE_OF_PRUNED };
    this.#live.begin(row);
    row.attempts += 1;
    const attempt: AttemptRow = {
      seq,
      n: row.attempts,
      chat: row.chat,
      startedAt,
      endedAt: null,
      outcome: null,
      reason: null,
      detail: null,
      retryAfterMs: null,
      waitedFor: waitedFor ?? null,
    };
    this.#disk.attempts.push(attempt);
    listOf(this.#disk.attemptsOf, seq).push(attempt);
    assert(row.body !== null, 'retention keeps the payload of what still waits');
    const begun = { n: row.attempts, past: pastOf(row) };
    if (!isRowIntact(this.#disk, row)) return { kind: 'damaged', ...begun };
    return { kind: 'begun', body: row.body, ...begun };
  }

  settle(owner: Owner, settlement: Settlement): Settled {
    const row = this.#disk.deliveries.get(settlement.seq);
    if (!this.#owns(owner, row)) return NOT_OWNER;
    if (row === undefined) return { kind: 'stale', state: STATE_OF_PRUNED };
    if (row.state !== 'sending' || row.attempts !== settlement.n) {
      return { kind: 'stale', state: row.state };
    }
    endAttempt(this.#disk.attemptsOf.get(row.seq)!.at(-1)!, settlement);
    const wasIntact = isRowIntact(this.#disk, row);
    applySettlement(row, settlement);
    if (settlement.cure !== null && wasIntact) this.#saveCheck(row);
    this.writeLimits(settlement.limits);
    if (settlement.to !== 'queued') {
      this.callers.ended(row.seq);
      this.#live.leave(row, settlement.to, settlement.endedAt);
      return { kind: 'settled', state: row.state, queued: null, supersededBy: null };
    }
    row.dueAt = settlement.dueAt;
    const queued = this.#requeue(row, settlement.endedAt) ? queuedOf(row) : null;
    return { kind: 'settled', state: row.state, queued, supersededBy: row.supersededBy };
  }

  // Back into the queue, or superseded at once by the one that waits in its slot.
  #requeue(row: MemoryRow, at: number): boolean {
    const rival = this.#live.waitingIn(row.account, row.slot);
    if (rival !== null && yieldsTo(row, rival)) {
      this.#live.supersede(row, rival.seq, at);
      return false;
    }
    if (rival !== null) this.#live.supersede(rival, row.seq, at);
    this.#live.enter(row);
    return true;
  }

  move(owner: Owner, command: MoveCommand): Moved {
    const row = this.#disk.deliveries.get(command.seq);
    if (!this.#owns(owner, row)) return NOT_OWNER;
    if (row === undefined) return { kind: 'unknown' };
    const from = row.state;
    if (!movableFrom(command.to).includes(from)) return { kind: 'illegal', state: from };
    if (command.to === 'queued') return this.#retry(row, command);
    if (isWithdrawal(command.reason) && mayBeOut(row)) return { kind: 'illegal', state: from };
    this.#live.leave(row, command.to, command.at);
    row.reason = command.reason;
    row.detail = null;
    this.#live.note({ ...command, from });
    if (isWithdrawal(command.reason)) freeKey(this.#disk, row.seq);
    return { kind: 'moved', from, queued: null };
  }

  receipt(owner: Owner, command: ReceiptCommand): ReceiptEffect {
    const { seq, at, status, messageId, detail } = command;
    const row = this.#disk.deliveries.get(seq);
    if (!this.#owns(owner, row)) return NOT_OWNER;
    if (row === undefined) return { kind: 'unknown' };
    const from = row.state;
    if (from === 'sending') return { kind: 'in_flight' };
    const history = this.#disk.historyOf.get(seq) ?? [];
    const told = history.filter(({ by }) => by === BY_PLATFORM).map(({ reason }) => reason);
    const to = receiptMove({ ...row, told }, command);
    if (to === null) return { kind: 'ignored', state: from };
    this.#live.note({ seq, at, from, to, reason: status, by: BY_PLATFORM });
    if (to === from) return { kind: 'noted' };
    if (from === 'queued') this.callers.ended(seq);
    this.#live.leave(row, to, at);
    row.reason = to === 'dead' ? command.reason : null;
    row.detail = to === 'dead' ? detail : null;
    row.messageId = messageId;
    if (to === 'sent') row.result = command.result ?? row.result;
    return { kind: 'moved', from, to, queued: queuedOf(row) };
  }

  #retry(row: MemoryRow, command: MoveCommand): Moved {
    const { queueMax } = command;
    const from = row.state;
    if (row.body === null && command.body === null) return { kind: 'no_body' };
    if (!isRowIntact(this.#disk, row)) return { kind: 'damaged' };
    const waiting = this.#live.count(row.account);
    if (waiting >= queueMax) return { kind: 'full', waiting, queueMax };
    row.body = command.body ?? row.body;
    this.#saveCheck(row);
    row.failures = 0;
    row.dueAt = 0;
    row.reason = command.reason;
    row.detail = null;
    row.messageId = null;
    row.result = null;
    this.#live.note({ ...command, from });
    return { kind: 'moved', from, queued: this.#requeue(row, command.at) ? queuedOf(row) : null };
  }

  #saveCheck({ seq, chat, thread, method, body }: MemoryRow): void {
    if (body !== null) this.#disk.checks.set(seq, rowCheck(seq, chat, thread, method, body));
  }

  caller(owner: Owner, seq: number, isThere: boolean): Kept {
    if (!this.#owns(owner, this.#disk.deliveries.get(seq))) return NOT_OWNER;
    this.callers.caller(seq, isThere);
    return { kind: 'kept' };
  }

  saveLimits(owner: Owner, records: readonly StoredLimit[]): Kept {
    if (!isOwner(this.#disk, owner)) return NOT_OWNER;
    this.writeLimits(records);
    return { kind: 'kept' };
  }

  // What is not there is nobody's.
  #owns(owner: Owner, row: MemoryRow | undefined): boolean {
    return isOwner(this.#disk, owner) && (row === undefined || row.account === owner.account);
  }

  writeLimits(records: readonly StoredLimit[]): void {
    for (const record of records) {
      const key = pairKey(record.account, record.key);
      if (record.value === '') this.#disk.limits.delete(key);
      else this.#disk.limits.set(key, { ...record });
    }
  }
}

function endAttempt(attempt: AttemptRow, settlement: Settlement): void {
  attempt.endedAt = settlement.endedAt;
  attempt.outcome = settlement.outcome;
  attempt.reason = settlement.reason;
  attempt.detail = settlement.detail;
  attempt.retryAfterMs = settlement.retryAfterMs;
}

function applySettlement(row: MemoryRow, settlement: Settlement): void {
  row.reason = settlement.reason;
  row.detail = settlement.detail;
  row.messageId = settlement.messageId;
  row.result = settlement.result;
  if (settlement.failed) row.failures += 1;
  if (settlement.doubted) row.doubts += 1;
  if (settlement.cure === null) return;
  row.cures = [...row.cures, settlement.cure.name];
  row.chat = settlement.cure.chat ?? row.chat;
  row.body = settlement.cure.body ?? row.body;
}
