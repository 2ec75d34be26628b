// The wall clock has been set: what was written by it moves along, in the worker, inside the batch's transaction.
// What must be kept equal to memory/times.ts is every time.

import type { Database } from '../../system/databases/sqlite.ts';
import type { TimeShift } from '../ports/maintenance.ts';

const NEWEST_FIRST = 'SELECT no, started_at FROM attempts ORDER BY no DESC';
const SHIFT_CALLS = `UPDATE attempts SET started_at = started_at + ?1, ended_at = ended_at + ?1
  WHERE no >= ?2`;
const SHIFT_EXPIRY = `UPDATE deliveries SET expires_at = max(1, expires_at + ?1)
  WHERE settled_at IS NULL AND expires_at > 0`;
const SHIFT_WAITING = `UPDATE deliveries SET enter_at = min(enter_at + ?1, ?2),
  due_at = CASE WHEN due_at > 0 THEN max(1, min(due_at + ?1, ?3)) ELSE 0 END
  WHERE settled_at IS NULL AND NOT (due_at > 0 AND due_at <= enter_at)`;
const LAST_CALL = 'SELECT started_at, ended_at FROM attempts ORDER BY no DESC LIMIT 1';

export function lastCallAt(db: Database): number {
  const row = db.prepare(LAST_CALL).get();
  return row === undefined ? 0 : Number(row.ended_at ?? row.started_at);
}

export function shiftTimes(db: Database, { now, calls, waiting }: Omit<TimeShift, 'limits'>): void {
  if (calls.byMs !== 0) shiftCalls(db, calls);
  if (waiting.byMs !== 0) db.prepare(SHIFT_EXPIRY).run(waiting.byMs);
  db.prepare(SHIFT_WAITING).run(waiting.byMs, now, waiting.dueAtMax);
}

function shiftCalls(db: Database, { since, byMs }: TimeShift['calls']): void {
  let first: number | null = null;
  for (const { no, started_at: startedAt } of db.prepare(NEWEST_FIRST).iterate()) {
    if (Number(startedAt) < since) break;
    first = Number(no);
  }
  if (first !== null) db.prepare(SHIFT_CALLS).run(byMs, first);
}
