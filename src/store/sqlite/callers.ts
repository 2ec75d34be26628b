// Whose caller had no answer when the process before this one ended. Asked once, at the start.

import type { State } from '../../domain/delivery.ts';
import type { Database, SqlRow, Statement } from '../../system/databases/sqlite.ts';
import { fingerprintOf, type Same } from '../fingerprint.ts';
import {
  ANSWER_DOUBT_MS,
  answersRepeat,
  HELD,
  type Unanswered,
  type UnansweredBounds,
} from '../ports/callers.ts';

const ASKED = 'seq, state, settled_at, print, account, method, chat, thread, session, body';

export const CALLERS_SQL = {
  waiting: `SELECT ${ASKED} FROM deliveries INDEXED BY deliveries_held
    WHERE held = ${HELD.waiting} AND seq <= ? ORDER BY seq DESC LIMIT ?`,
  answered: `SELECT ${ASKED} FROM deliveries INDEXED BY deliveries_ended
    WHERE settled_at >= ? AND state <> 'dead' AND state <> 'uncertain'
    AND held = ${HELD.answered} ORDER BY settled_at DESC LIMIT ?`,
  lastEnded: `SELECT settled_at AS at FROM deliveries INDEXED BY deliveries_ended
    WHERE settled_at IS NOT NULL AND state <> 'dead' AND state <> 'uncertain'
    ORDER BY settled_at DESC LIMIT 1`,
  lastAccepted: 'SELECT accepted_at AS at FROM deliveries ORDER BY seq DESC LIMIT 1',
  lastBegun:
    'SELECT max(started_at, coalesce(ended_at, 0)) AS at FROM attempts ORDER BY no DESC LIMIT 1',
  forget: `UPDATE deliveries INDEXED BY deliveries_ended SET held = ${HELD.nobody}
    WHERE settled_at >= ? AND state <> 'dead' AND state <> 'uncertain' AND held = ${HELD.answered}`,
} as const;

// When whoever wrote the store was last alive, as far as it tells.
const SIGNS_OF_LIFE = ['lastEnded', 'lastAccepted', 'lastBegun'] as const;

export class SqliteCallers {
  readonly #db: Database;
  readonly #waiting: Statement;
  readonly #answered: Statement;
  readonly #inheritedTo: number;
  // Of the process before: read before this one has written anything.
  readonly #aliveAt: number;

  constructor(db: Database, inheritedTo: number) {
    this.#db = db;
    this.#waiting = db.prepare(CALLERS_SQL.waiting);
    this.#answered = db.prepare(CALLERS_SQL.answered);
    this.#inheritedTo = inheritedTo;
    this.#aliveAt = aliveAt(db);
  }

  unanswered({ endedMsMax, max }: UnansweredBounds): Unanswered[] {
    const since = this.#aliveAt - endedMsMax;
    const waiting = this.#waiting.all(this.#inheritedTo, max).filter((row) => {
      const isOld = row.settled_at !== null && Number(row.settled_at) < since;
      return !isOld && row.body !== null && answersRepeat(row.state as State);
    });
    const answered = this.#answered
      .all(this.#aliveAt - ANSWER_DOUBT_MS, max)
      .filter(({ seq, body }) => Number(seq) <= this.#inheritedTo && body !== null);
    return [
      ...waiting.map((row) => unansweredOf(row, false)),
      ...answered.map((row) => unansweredOf(row, true)),
    ].sort((one, other) => one.seq - other.seq);
  }

  // The process ends in order: every answer that was given has left.
  allAnswered(): void {
    this.#db.prepare(CALLERS_SQL.forget).run(aliveAt(this.#db) - ANSWER_DOUBT_MS);
  }
}

function aliveAt(db: Database): number {
  const signs = SIGNS_OF_LIFE.map((name) => Number(db.prepare(CALLERS_SQL[name]).get()?.at ?? 0));
  return Math.max(...signs);
}

function unansweredOf(row: SqlRow, answered: boolean): Unanswered {
  const print = row.print === null ? fingerprintOf(row as unknown as Same) : String(row.print);
  return { seq: Number(row.seq), print, answered };
}
