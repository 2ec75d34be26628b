// What concerns the store as a whole, each command one transaction: retention, the spool's files, a wall clock that was
// set. Must give the same answers as memory/, word for word.

import { STATES } from '../../domain/delivery.ts';
import type { PostgresSql } from '../../system/databases/postgres.ts';
import type { PruneCommand, TimeShift } from '../ports/maintenance.ts';
import { mayStillGo } from '../rules.ts';
import { MAKE_DAYS } from './schema/schema.ts';

const DAY_MS = 86_400_000;
// Of a day: dead letters and what was retried late. With more it stays until they are fewer.
const KEPT_OF_DAY_MAX = 10_000;

const TO_PRUNE = (which: string) => `SELECT seq FROM deliveries WHERE settled_at < $1 AND ${which}
  ORDER BY settled_at LIMIT $2 FOR UPDATE SKIP LOCKED`;
// Those begun at or after a time, and all after them.
const OF_LATE = `no > coalesce(
  (SELECT no FROM attempts WHERE started_at < $2 ORDER BY no DESC LIMIT 1), 0)`;

export const MAINTENANCE_SQL = {
  toPrune: TO_PRUNE(`state NOT IN ('dead', 'uncertain')`),
  deadToPrune: TO_PRUNE(`state IN ('dead', 'uncertain')`),
  dropKeys: `DELETE FROM idempotency i USING deliveries d WHERE d.seq = ANY ($1::bigint[])
    AND i.account = d.account AND i.key = d.idempotency_key AND i.seq = d.seq`,
  // Those under a day go with it.
  dropResults: 'DELETE FROM results_rest WHERE seq = ANY ($1::bigint[])',
  dropAttempts: 'DELETE FROM attempts_rest WHERE seq = ANY ($1::bigint[])',
  dropHistory: 'DELETE FROM history_rest WHERE seq = ANY ($1::bigint[])',
  dropCopies: 'DELETE FROM copies WHERE seq = ANY ($1::bigint[])',
  dropDeliveries: 'DELETE FROM deliveries WHERE seq = ANY ($1::bigint[])',
  // The table is as small as the spool.
  dropFiles: `DELETE FROM spooled s WHERE NOT EXISTS
    (SELECT 1 FROM deliveries d WHERE d.seq = s.seq AND d.state = ANY ($1::text[]))`,
  files: 'SELECT DISTINCT id FROM spooled ORDER BY id',
  lastCall: 'SELECT coalesce(ended_at, started_at) AS at FROM attempts ORDER BY no DESC LIMIT 1',
  shiftCalls: `UPDATE attempts SET started_at = started_at + $1, ended_at = ended_at + $1
    WHERE ${OF_LATE}`,
  shiftExpiry: `UPDATE deliveries SET expires_at = greatest(1, expires_at + $1)
    WHERE settled_at IS NULL AND expires_at > 0`,
  shiftWaiting: `UPDATE deliveries SET enter_at = least(enter_at + $1, $2),
      due_at = CASE WHEN due_at > 0 THEN greatest(1, least(due_at + $1, $3)) ELSE 0 END
    WHERE settled_at IS NULL AND NOT (due_at > 0 AND due_at <= enter_at)`,
  dropDay: 'SELECT drop_day($1, $2) AS name',
  makeDays: MAKE_DAYS,
  writeLimits: 'SELECT write_limits($1)',
} as const;
const SQL = MAINTENANCE_SQL;

export async function prune(
  sql: PostgresSql,
  { endedBefore, deadBefore, max }: PruneCommand,
): Promise<number> {
  const ended = await sql.all(SQL.toPrune, endedBefore, max);
  if (ended.length < max) {
    ended.push(...(await sql.all(SQL.deadToPrune, deadBefore, max - ended.length)));
  }
  if (ended.length === 0) return 0;
  const seqs = ended.map(({ seq }) => Number(seq));
  await sql.run(SQL.dropKeys, seqs);
  await sql.run(SQL.dropResults, seqs);
  await sql.run(SQL.dropAttempts, seqs);
  await sql.run(SQL.dropHistory, seqs);
  await sql.run(SQL.dropCopies, seqs);
  await sql.run(SQL.dropDeliveries, seqs);
  return seqs.length;
}

// One day that is forgotten; false: there is none that can go now.
export async function dropDay(sql: PostgresSql, endedBefore: number): Promise<boolean> {
  const dropped = await sql.get(SQL.dropDay, Math.floor(endedBefore / DAY_MS), KEPT_OF_DAY_MAX);
  return dropped!.name !== null;
}

export async function filesInUse(sql: PostgresSql): Promise<string[]> {
  await sql.run(SQL.dropFiles, STATES.filter(mayStillGo));
  return (await sql.all(SQL.files)).map(({ id }) => String(id));
}

export async function lastCallAt(sql: PostgresSql): Promise<number> {
  return Number((await sql.get(SQL.lastCall))?.at ?? 0);
}

export async function shiftTimes(
  sql: PostgresSql,
  { now, calls, waiting, limits }: TimeShift,
): Promise<void> {
  if (calls.byMs !== 0) await sql.run(SQL.shiftCalls, calls.byMs, calls.since);
  if (waiting.byMs !== 0) await sql.run(SQL.shiftExpiry, waiting.byMs);
  await sql.run(SQL.shiftWaiting, waiting.byMs, now, waiting.dueAtMax);
  await sql.run(SQL.writeLimits, JSON.stringify(limits));
}
