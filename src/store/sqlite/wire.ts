// What crosses between the journal's face and its worker: one flat array of primitives per batch,
// and one back. Structured cloning of nested objects would cost more than the insert itself. Both
// sides read and write the same order; this file is where that order is written down.

import {
  isPlain,
  type NewDelivery,
  ownPlace,
  queuedOfNew,
  type State,
} from '../../domain/delivery.ts';
import { PRIORITY_RANK } from '../../domain/priority.ts';
import { namesIn } from '../../system/json.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { type CallerHold, HELD } from '../ports/callers.ts';
import type {
  AppendBounds,
  Appended,
  Begun,
  DeliveryPast,
  MoveCommand,
  ReceiptCommand,
  Settled,
  Settlement,
} from '../ports/delivery.ts';
import type { StoredLimit } from '../ports/limits.ts';
import { NOT_OWNER, type Owner } from '../ports/ownership.ts';

export const OP = {
  // Nothing but a message: most of them. Fewer words, and one statement without a choice.
  appendPlain: 20,
  // The same, of which only the words are told that it does not share with the last one in its batch.
  appendAlike: 29,
  append: 0,
  begin: 1,
  settle: 2,
  move: 3,
  receipt: 26,
  saveLimits: 4,
  limits: 5,
  callsSince: 6,
  saveAccount: 7,
  accounts: 8,
  prune: 9,
  // Its one word is the command as JSON text.
  incoming: 10,
  filesInUse: 11,
  // As of incoming.
  streams: 12,
  broadcasts: 13,
  broadcastReads: 30,
  keys: 14,
  caller: 15,
  unanswered: 16,
  renameAccounts: 17,
  removeAccount: 18,
  lastCallAt: 19,
  // As of incoming.
  shiftTimes: 21,
  openAccount: 22,
  closeAccount: 23,
  knownAccounts: 24,
  // Of the accounts that have ever changed hands.
  epochs: 25,
  // As of incoming.
  ingest: 27,
  minutes: 28,
} as const;

export class WireReader {
  readonly words: readonly unknown[];
  at: number;
  constructor(words: readonly unknown[], at: number) {
    this.words = words;
    this.at = at;
  }
  number(): number {
    return this.words[this.at++] as number;
  }
  string(): string {
    return this.words[this.at++] as string;
  }
  stringOrNull(): string | null {
    return this.words[this.at++] as string | null;
  }
  numberOrNull(): number | null {
    return this.words[this.at++] as number | null;
  }
  boolean(): boolean {
    return this.words[this.at++] === 1;
  }
}

export class AppendCommand {
  readonly owner: Owner;
  readonly delivery: NewDelivery;
  readonly bounds: AppendBounds;
  readonly isPlain: boolean;

  constructor(owner: Owner, delivery: NewDelivery, bounds: AppendBounds) {
    this.owner = owner;
    this.delivery = delivery;
    this.bounds = bounds;
    this.isPlain = isPlain(delivery);
  }

  // Whether the words of both say the same up to the chat.
  isLike({ owner, delivery, bounds, isPlain: isOtherPlain }: AppendCommand): boolean {
    const own = this.delivery;
    return (
      this.isPlain &&
      isOtherPlain &&
      own.account === delivery.account &&
      own.platform === delivery.platform &&
      own.method === delivery.method &&
      own.family === delivery.family &&
      own.budget === delivery.budget &&
      own.priority === delivery.priority &&
      this.bounds.queueMax === bounds.queueMax &&
      this.owner.epoch === owner.epoch
    );
  }
}

// Of a plain one: first what it may share with the one before it, then its own.
export const SHARED = {
  account: 0,
  platform: 1,
  method: 2,
  family: 3,
  budget: 4,
  priority: 5,
  queueMax: 6,
  epoch: 7,
} as const;
export const SHARED_WORDS = 8;
export const OWN = { chat: 0, acceptedAt: 1, body: 2, beginAt: 3, held: 4 } as const;
export const OWN_WORDS = 5;

// `before`: what was written to the same batch just before. Order of an append that is not plain: that of its INSERT
// up to `acceptedAt`.
export function writeAppend(out: unknown[], command: AppendCommand, before: unknown): void {
  const { owner, delivery: d, bounds } = command;
  const { queueMax, beginAt = 0 } = bounds;
  const rank = PRIORITY_RANK[d.priority];
  if (command.isPlain) {
    if (before instanceof AppendCommand && command.isLike(before)) out.push(OP.appendAlike);
    else {
      const { account, platform, method, family, budget } = d;
      out.push(
        OP.appendPlain,
        account,
        platform,
        method,
        family,
        budget,
        rank,
        queueMax,
        owner.epoch,
      );
    }
    out.push(d.chat, d.acceptedAt, d.body, beginAt, heldOf(d));
    return;
  }
  out.push(
    OP.append,
    d.account,
    d.platform,
    d.chat,
    d.thread,
    d.session,
    d.user,
    d.correlation,
    d.method,
    d.family,
    d.budget,
    rank,
    d.cost,
    d.live ? 1 : 0,
    d.final ? 1 : 0,
    d.slot,
    d.notBefore,
    d.expiresAt,
    d.acceptedAt,
    d.idempotencyKey,
    d.body,
    queueMax,
    d.files === undefined || d.files.length === 0 ? null : JSON.stringify(d.files),
    heldOf(d),
    d.repeats ?? null,
    // The row does not know the holder.
    d.holder === undefined ? null : fingerprintOf(d),
    owner.epoch,
    d.copyOf ?? null,
  );
}

function heldOf({ held }: NewDelivery): CallerHold {
  return held === true ? HELD.waiting : HELD.nobody;
}

export const APPENDED = {
  accepted: 0,
  replacing: 1,
  superseded: 2,
  repeated: 3,
  conflict: 4,
  full: 5,
  begun: 6,
  notOwner: 7,
} as const;

export function readAppended(reader: WireReader, { delivery, bounds }: AppendCommand): Appended {
  const { bytes } = bounds;
  const kind = reader.number();
  const seq = reader.number();
  switch (kind) {
    case APPENDED.accepted: {
      const queued = queuedOfNew(delivery, seq, ownPlace(delivery, reader.number()), bytes);
      return { kind: 'accepted', queued, replaced: null };
    }
    case APPENDED.begun: {
      const queued = queuedOfNew(delivery, seq, ownPlace(delivery, reader.number()), bytes);
      return { kind: 'accepted', queued, replaced: null, begun: true };
    }
    case APPENDED.replacing: {
      const replaced = reader.number();
      const place = { enterAt: reader.number(), rank: reader.number() };
      return { kind: 'accepted', queued: queuedOfNew(delivery, seq, place, bytes), replaced };
    }
    case APPENDED.superseded:
      return { kind: 'superseded', seq, by: reader.number() };
    case APPENDED.repeated:
      return { kind: 'repeated', seq, state: reader.string() as State };
    case APPENDED.conflict:
      return { kind: 'conflict', seq };
    case APPENDED.notOwner:
      return NOT_OWNER;
    default:
      return { kind: 'full', waiting: seq, queueMax: reader.number() };
  }
}

const BEGUN_NOT_OWNER = -1;

export function writeBegun(out: unknown[], begun: Begun): void {
  if (begun.kind === 'not_owner') {
    out.push(BEGUN_NOT_OWNER);
    return;
  }
  if (begun.kind === 'gone') {
    out.push(0, begun.state);
    return;
  }
  out.push(begun.n, begun.kind === 'begun' ? begun.body : null);
  writePast(out, begun.past);
}

export function readBegun(reader: WireReader): Begun {
  const n = reader.number();
  if (n === BEGUN_NOT_OWNER) return NOT_OWNER;
  if (n === 0) return { kind: 'gone', state: reader.string() as State };
  const body = reader.stringOrNull();
  const past = readPast(reader);
  return body === null ? { kind: 'damaged', n, past } : { kind: 'begun', n, body, past };
}

export function writePast(out: unknown[], past: DeliveryPast): void {
  const cures = past.cures.length === 0 ? null : JSON.stringify(past.cures);
  out.push(past.acceptedAt, past.failures, past.doubts, cures);
}

export function readPast(reader: WireReader): DeliveryPast {
  return {
    acceptedAt: reader.number(),
    failures: reader.number(),
    doubts: reader.number(),
    cures: curesOf(reader.stringOrNull()),
  };
}

const NO_CURES: readonly string[] = [];

export function curesOf(text: string | null): readonly string[] {
  return text === null ? NO_CURES : namesIn(text);
}

export function readOwner(reader: WireReader): Owner {
  return { account: reader.string() as Owner['account'], epoch: reader.number() };
}

export interface OwnedCommand<T> {
  readonly owner: Owner;
  readonly command: T;
}

export function writeSettlement(
  out: unknown[],
  { owner, command: s }: OwnedCommand<Settlement>,
): void {
  out.push(
    OP.settle,
    owner.account,
    owner.epoch,
    s.seq,
    s.n,
    s.endedAt,
    s.outcome,
    s.reason,
    s.detail,
    s.retryAfterMs,
    s.to,
    s.dueAt,
    s.failed ? 1 : 0,
    s.doubted ? 1 : 0,
    s.messageId,
    s.result,
  );
  if (s.cure === null) out.push(0);
  else out.push(1, s.cure.name, s.cure.chat, s.cure.body);
  writeLimits(out, s.limits);
}

export function readSettlement(reader: WireReader): Settlement {
  const settlement = {
    seq: reader.number(),
    n: reader.number(),
    endedAt: reader.number(),
    outcome: reader.string() as Settlement['outcome'],
    reason: reader.stringOrNull(),
    detail: reader.stringOrNull(),
    retryAfterMs: reader.numberOrNull(),
    to: reader.string() as Settlement['to'],
    dueAt: reader.number(),
    failed: reader.boolean(),
    doubted: reader.boolean(),
    messageId: reader.stringOrNull(),
    result: reader.stringOrNull(),
  };
  const cure = reader.boolean()
    ? { name: reader.string(), chat: reader.stringOrNull(), body: reader.stringOrNull() }
    : null;
  return { ...settlement, cure, limits: readLimits(reader) };
}

export function writeLimits(out: unknown[], records: readonly StoredLimit[]): void {
  out.push(records.length);
  for (const { account, key, value, updatedAt } of records) {
    out.push(account, key, value, updatedAt);
  }
}

export function readLimits(reader: WireReader): StoredLimit[] {
  return Array.from({ length: reader.number() }, () => ({
    account: reader.string() as StoredLimit['account'],
    key: reader.string(),
    value: reader.string(),
    updatedAt: reader.number(),
  }));
}

export function writeMove(out: unknown[], { owner, command: m }: OwnedCommand<MoveCommand>): void {
  out.push(OP.move, owner.account, owner.epoch);
  out.push(m.seq, m.to, m.at, m.reason, m.by, m.body, m.queueMax);
}

export function readMove(reader: WireReader): MoveCommand {
  return {
    seq: reader.number(),
    to: reader.string() as MoveCommand['to'],
    at: reader.number(),
    reason: reader.string(),
    by: reader.string(),
    body: reader.stringOrNull(),
    queueMax: reader.number(),
  };
}

// As JSON text: there are few of them beside messages.
export function writeReceipt(
  out: unknown[],
  { owner, command }: OwnedCommand<ReceiptCommand>,
): void {
  out.push(OP.receipt, owner.account, owner.epoch, JSON.stringify(command));
}

export function readReceipt(reader: WireReader): ReceiptCommand {
  return JSON.parse(reader.string()) as ReceiptCommand;
}

export function writeSettled(out: unknown[], settled: Settled): void {
  const plain = settled.kind === 'settled' && settled.queued === null;
  if (plain && settled.supersededBy === null) out.push(0, settled.state);
  else out.push(1, settled);
}

export function readSettled(reader: WireReader): Settled {
  if (reader.number() === 1) return reader.words[reader.at++] as Settled;
  return { kind: 'settled', state: reader.string() as State, queued: null, supersededBy: null };
}
