// Rows of the SQLite journal to what the port speaks of.

import type { Family } from '../../domain/call.ts';
import { laneOf, type Queued } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import { assert } from '../../system/assert.ts';

// The columns a Queued is made of, in the order `queuedOfRow` reads them.
export const QUEUED_COLUMNS = `seq, account, chat, session, thread, user, method, family, budget,
  priority, cost, live, final, slot, enter_at, rank, due_at, expires_at,
  octet_length(body), correlation`;

export type QueuedRow = [
  seq: number,
  account: AccountId,
  chat: string,
  session: string | null,
  thread: string | null,
  user: string | null,
  method: string,
  family: Family,
  budget: string,
  priority: number,
  cost: number,
  live: number,
  final: number,
  slot: string | null,
  enterAt: number,
  rank: number,
  dueAt: number,
  expiresAt: number,
  bytes: number,
  correlation: string | null,
];

// `row` as read by a statement that returns arrays.
export function queuedOfRow(row: unknown): Queued {
  assert(Array.isArray(row), 'the delivery just written is there');
  const [
    seq,
    account,
    chat,
    session,
    thread,
    user,
    method,
    family,
    budget,
    priority,
    cost,
    live,
    final,
    slot,
    enterAt,
    rank,
    dueAt,
    expiresAt,
    bytes,
    correlation,
  ] = row as QueuedRow;
  return {
    seq,
    account,
    chat,
    lane: laneOf({ session, thread, family }),
    user,
    correlation,
    method,
    family,
    budget,
    priority: PRIORITIES[priority]!,
    cost,
    live: live === 1,
    final: final === 1,
    slot,
    enterAt,
    rank,
    dueAt,
    expiresAt,
    bytes,
  };
}
