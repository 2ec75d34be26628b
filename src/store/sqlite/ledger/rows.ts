// Rows of the store to what the ledger tells.

import { type Delivery, laneOf, type State } from '../../../domain/delivery.ts';
import { type AccountId, formatId } from '../../../domain/ids.ts';
import type { Attempt } from '../../../domain/outcome.ts';
import { PRIORITIES } from '../../../domain/priority.ts';
import type { HistoryEntry } from '../../../ledger/ledger.ts';
import { type CheckedRow, isIntact } from '../../../system/databases/row-check.ts';
import type { SqlRow } from '../../../system/databases/sqlite.ts';
import { namesIn } from '../../../system/json.ts';

export const DELIVERY_SELECT = `SELECT d.seq, d.account, d.platform, d.chat, d.thread, d.session,
  d.user, d.correlation, d.method, d.family, d.budget, d.priority, d.cost, d.live, d.final, d.slot,
  d.enter_at AS enterAt, d.rank, d.due_at AS dueAt, d.expires_at AS expiresAt,
  d.accepted_at AS acceptedAt, d.state, d.reason, d.detail, d.settled_at AS settledAt, d.attempts,
  d.failures, d.doubts, d.cures, d.message_id AS messageId, d.superseded_by AS supersededBy,
  d.repeats, d.body, d.row_check, r.result
  FROM deliveries d LEFT JOIN results r ON r.seq = d.seq`;

export function deliveryOfRow(row: SqlRow, tag: string): Delivery {
  const session = row.session as string | null;
  const thread = row.thread as string | null;
  const id = formatId(tag, Number(row.seq));
  const { row_check: check, ...told } = row;
  return {
    ...(told as unknown as Delivery),
    id,
    correlation: (row.correlation as string | null) ?? id,
    lane: laneOf({ session, thread, family: row.family as Delivery['family'] }),
    priority: PRIORITIES[Number(row.priority)]!,
    live: row.live === 1,
    final: row.final === 1,
    cures: row.cures === null ? [] : namesIn(String(row.cures)),
    damaged: !isIntact(row as unknown as CheckedRow, check as number | null),
  };
}

export const ATTEMPTS_SELECT = `SELECT seq, n, started_at AS startedAt, ended_at AS endedAt,
  outcome, reason, detail, retry_after_ms AS retryAfterMs, waited_for AS waitedFor
  FROM attempts WHERE seq = ? ORDER BY no LIMIT ?`;

export function attemptOfRow(row: SqlRow): Attempt {
  return { ...row } as unknown as Attempt;
}

export const HISTORY_SELECT = `SELECT seq, at, from_state AS "from", to_state AS "to", reason, by
  FROM history WHERE seq = ? ORDER BY no LIMIT ?`;

export function historyOfRow(row: SqlRow): HistoryEntry {
  return { ...row } as unknown as HistoryEntry;
}

export interface StateCount {
  readonly account: AccountId;
  readonly state: State;
  readonly count: number;
}
