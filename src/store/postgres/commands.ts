// Commands of the road as the server's functions read them; see functions/. What the server cannot know goes along:
// digests, fingerprints, and the moves that the domain allows.

import {
  bytesOf,
  isPlain,
  isWithdrawal,
  laneOf,
  type NewDelivery,
  ownPlace,
  type Queued,
  queuedOfNew,
} from '../../domain/delivery.ts';
import { sharedKey } from '../../domain/idempotency.ts';
import type { AccountId } from '../../domain/ids.ts';
import { PARTLY_SENT } from '../../domain/outcome.ts';
import { PRIORITIES, PRIORITY_RANK } from '../../domain/priority.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { HELD, type Presence } from '../ports/callers.ts';
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
import type { Owner } from '../ports/ownership.ts';
import { BY_PLATFORM, digestOf, IDEMPOTENCY_MS, movableFrom, outdoing } from '../rules.ts';
import type { WriteCommand } from './batch.ts';

// As the server tells it: without what is computed from the rest.
type QueuedRow = Omit<Queued, 'lane' | 'priority'> & {
  readonly session: string | null;
  readonly thread: string | null;
  readonly priority: number;
};

type AppendAnswer =
  | {
      kind: 'accepted';
      seq: number;
      rank: number;
      enterAt: number;
      replaced?: number;
      begun?: boolean;
    }
  | Exclude<Appended, { kind: 'accepted' }>;

export function queuedOfRow({ session, thread, priority, ...row }: QueuedRow): Queued {
  const lane = laneOf({ session, thread, family: row.family });
  return { ...row, lane, priority: PRIORITIES[priority]! };
}

export function appendCommand(
  { account, epoch }: Owner,
  delivery: NewDelivery,
  { queueMax, beginAt, isStray }: AppendBounds,
): WriteCommand {
  const bytes = bytesOf(delivery.body);
  if (!isPlain(delivery) || isStray) {
    const stray = isStray && { isStray };
    const command = { row: wholeRow(delivery), epoch, queueMax, ...restOf(delivery), ...stray };
    return { op: 'append', account, run: null, bytes, encode: () => command };
  }
  return {
    op: 'append_plain',
    account,
    // Of those that one statement writes, one epoch and one bound hold for an account.
    run: `${account} ${epoch} ${queueMax}`,
    bytes,
    row: {
      ...{ account, platform: delivery.platform, chat: delivery.chat, method: delivery.method },
      ...{ family: delivery.family, budget: delivery.budget },
      priority: PRIORITY_RANK[delivery.priority],
      acceptedAt: delivery.acceptedAt,
      ...heldBy(delivery),
      ...{ epoch, queueMax, beginAt: beginAt ?? null, body: delivery.body },
    },
  };
}

function heldBy(delivery: NewDelivery): { held: number; print: string | null } {
  if (delivery.held !== true) return { held: 0, print: null };
  return { held: HELD.waiting, print: fingerprintOf(delivery) };
}

function wholeRow(delivery: NewDelivery) {
  return {
    account: delivery.account,
    platform: delivery.platform,
    chat: delivery.chat,
    method: delivery.method,
    family: delivery.family,
    budget: delivery.budget,
    priority: PRIORITY_RANK[delivery.priority],
    accepted_at: delivery.acceptedAt,
    ...heldBy(delivery),
    body: delivery.body,
    thread: delivery.thread,
    session: delivery.session,
    user_id: delivery.user,
    correlation: delivery.correlation,
    cost: delivery.cost,
    live: delivery.live,
    final: delivery.final,
    slot: delivery.slot,
    enter_at: ownPlace(delivery, 0).enterAt,
    due_at: delivery.notBefore,
    expires_at: delivery.expiresAt,
    idempotency_key: delivery.idempotencyKey,
    repeats: delivery.repeats ?? null,
  };
}

function restOf(delivery: NewDelivery) {
  const { idempotencyKey: key, files, copyOf, acceptedAt } = delivery;
  const shared = key === null ? null : sharedKey(key);
  return {
    keys: [key, shared].filter((each) => each !== null),
    ...(key !== null && { digest: digestOf(delivery), keyExpiresAt: acceptedAt + IDEMPOTENCY_MS }),
    ...(files !== undefined && { files }),
    ...(copyOf !== undefined && { copyOf }),
  };
}

// As the server takes it out of a spill.
export function spilledRow(seq: number, delivery: NewDelivery): object {
  return { row: { ...wholeRow(delivery), seq }, ...restOf(delivery) };
}

export function readAppended(delivery: NewDelivery, answer: unknown): Appended {
  const told = answer as AppendAnswer;
  if (told.kind !== 'accepted') return told;
  const { seq, enterAt, rank, replaced, begun } = told;
  const queued = queuedOfNew(delivery, seq, { enterAt, rank });
  const accepted = { kind: 'accepted', queued, replaced: replaced ?? null } as const;
  return begun === true ? { ...accepted, begun } : accepted;
}

export function beginCommand(
  { account, epoch }: Owner,
  seq: number,
  at: number,
  waitedFor = '',
): WriteCommand {
  const begin = { account, epoch, seq, at };
  const command = waitedFor === '' ? begin : { ...begin, waitedFor };
  return { op: 'begin', account, run: String(seq), bytes: waitedFor.length, encode: () => command };
}

// The function in the database is that of all nodes, also of an older version: there the past is a `record`.
export function begunOf(answer: unknown): Begun {
  const { record: past, ...begun } = answer as { record?: DeliveryPast };
  return (past === undefined ? begun : { ...begun, past }) as Begun;
}

// Who is there is asked when the command leaves: until then a caller may have come or gone.
export function settleCommand(
  { account, epoch }: Owner,
  { limits, ...settlement }: Settlement,
  presence: Presence,
): WriteCommand {
  const { seq, result, cure, to } = settlement;
  const isThere = () => presence.isThere(seq);
  const bytes = result?.length ?? 0;
  if (to !== 'queued' && cure === null && limits.length === 0) {
    const { result: text, ...rest } = settlement;
    const encode = () => ({ ...rest, account, epoch, isThere: isThere() });
    return { op: 'settle_ended', account, run: String(seq), bytes, text, encode };
  }
  return {
    op: 'settle',
    account,
    run: null,
    bytes,
    encode: () => ({
      ...settlement,
      ...(limits.length > 0 && { limits }),
      account,
      epoch,
      isThere: isThere(),
    }),
  };
}

// true: it has ended as it was asked to.
export function readSettled({ to }: Settlement, answer: unknown): Settled {
  if (answer === true) return { kind: 'settled', state: to, supersededBy: null, queued: null };
  const settled = answer as Settled;
  if (settled.kind !== 'settled' || settled.queued === null) return settled;
  return { ...settled, queued: queuedOfRow(settled.queued as unknown as QueuedRow) };
}

export function moveCommand({ account, epoch }: Owner, command: MoveCommand): WriteCommand {
  const whole = { ...movedBy(account, command), epoch };
  return { op: 'move', account, run: null, bytes: command.body?.length ?? 0, encode: () => whole };
}

export function movedBy(account: AccountId, command: MoveCommand): object {
  return {
    ...command,
    account,
    from: movableFrom(command.to),
    withdraws: command.to !== 'queued' && isWithdrawal(command.reason),
    partly: PARTLY_SENT,
  };
}

export function receiptCommand(
  { account, epoch }: Owner,
  command: ReceiptCommand,
  presence: Presence,
): WriteCommand {
  return {
    op: 'receipt',
    account,
    run: null,
    bytes: command.result?.length ?? 0,
    encode: () => ({
      ...command,
      account,
      epoch,
      outdoing: outdoing(command.status),
      by: BY_PLATFORM,
      isThere: presence.isThere(command.seq),
    }),
  };
}

// Commands of few words.
export function smallCommand(
  op: 'caller' | 'save_limits' | 'open_account' | 'close_account',
  account: AccountId,
  words: object,
): WriteCommand {
  const command = { ...words, account };
  return { op, account, run: null, bytes: 0, encode: () => command };
}

export function as<T>(answer: unknown): T {
  return answer as T;
}
