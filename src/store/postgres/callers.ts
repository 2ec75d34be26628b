// Whose caller had no answer when the process before this one ended. Asked once, at the start.

import type { State } from '../../domain/delivery.ts';
import type { PostgresRow, PostgresSql } from '../../system/databases/postgres.ts';
import {
  ANSWER_DOUBT_MS,
  answersRepeat,
  HELD,
  type Unanswered,
  type UnansweredBounds,
} from '../ports/callers.ts';

const ENDED = `state NOT IN ('dead', 'uncertain')`;

export const CALLERS_SQL = {
  waiting: `SELECT seq, state, settled_at, print FROM deliveries
    WHERE held = ${HELD.waiting} AND seq <= $1 ORDER BY seq DESC LIMIT $2`,
  answered: `SELECT seq, print FROM deliveries
    WHERE settled_at >= $1 AND ${ENDED} AND held = ${HELD.answered}
    ORDER BY settled_at DESC LIMIT $2`,
  lastSeq: 'SELECT coalesce(max(seq), 0) AS seq FROM deliveries',
  // When whoever wrote the store was last alive, as far as it tells.
  aliveAt: `SELECT greatest(0,
    (SELECT settled_at FROM deliveries WHERE settled_at IS NOT NULL AND ${ENDED}
      ORDER BY settled_at DESC LIMIT 1),
    (SELECT accepted_at FROM deliveries ORDER BY seq DESC LIMIT 1),
    (SELECT greatest(started_at, ended_at) FROM attempts ORDER BY no DESC LIMIT 1)) AS at`,
  forget: `UPDATE deliveries SET held = ${HELD.nobody}
    WHERE settled_at >= $1 AND ${ENDED} AND held = ${HELD.answered}`,
} as const;

// What was there before this process wrote anything.
export interface Inherited {
  readonly seqLast: number;
  readonly aliveAt: number;
}

export async function inheritedOf(sql: PostgresSql): Promise<Inherited> {
  const last = await sql.get(CALLERS_SQL.lastSeq);
  return { seqLast: Number(last!.seq), aliveAt: await aliveAt(sql) };
}

export async function unanswered(
  sql: PostgresSql,
  { seqLast, aliveAt }: Inherited,
  { endedMsMax, max }: UnansweredBounds,
): Promise<Unanswered[]> {
  const isOld = (at: unknown) => at !== null && Number(at) < aliveAt - endedMsMax;
  const waiting = await sql.all(CALLERS_SQL.waiting, seqLast, max);
  const answered = await sql.all(CALLERS_SQL.answered, aliveAt - ANSWER_DOUBT_MS, max);
  return [
    ...waiting
      .filter((row) => !isOld(row.settled_at) && answersRepeat(row.state as State))
      .map((row) => unansweredOf(row, false)),
    ...answered.filter(({ seq }) => Number(seq) <= seqLast).map((row) => unansweredOf(row, true)),
  ].sort((one, other) => one.seq - other.seq);
}

// The process ends in order: every answer that was given has left.
export async function allAnswered(sql: PostgresSql): Promise<void> {
  await sql.run(CALLERS_SQL.forget, (await aliveAt(sql)) - ANSWER_DOUBT_MS);
}

async function aliveAt(sql: PostgresSql): Promise<number> {
  return Number((await sql.get(CALLERS_SQL.aliveAt))!.at);
}

function unansweredOf({ seq, print }: PostgresRow, answered: boolean): Unanswered {
  return { seq: Number(seq), print: String(print), answered };
}
