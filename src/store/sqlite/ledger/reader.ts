// The ledger's questions in SQL, on a reading connection. Every answer is bounded.

import { type Delivery, STATES, type State } from '../../../domain/delivery.ts';
import type { Attempt } from '../../../domain/outcome.ts';
import {
  type DeadGroup,
  type DeliveryPage,
  type Filter,
  type HistoryEntry,
  SEARCH_LIMIT_MAX,
} from '../../../ledger/ledger.ts';
import { assert } from '../../../system/assert.ts';
import type { Database, SqlInput, SqlRow, Statement } from '../../../system/databases/sqlite.ts';
import {
  ATTEMPTS_SELECT,
  attemptOfRow,
  DELIVERY_SELECT,
  deliveryOfRow,
  HISTORY_SELECT,
  historyOfRow,
  type StateCount,
} from './rows.ts';
import { residueOf, searchQueries, seqRangeOf } from './search.ts';

// Of one delivery, attempts and history are told up to here.
const STORY_LINES_MAX = 10_000;
// Prepared statements kept; a search has as many texts as there are kinds of filter.
const STATEMENTS_MAX = 256;

export const COPIES_SELECT = 'SELECT seq FROM copies WHERE origin = ? ORDER BY seq LIMIT ?';

export function deadGroupsSql(tag: string, filter: Filter): { sql: string; params: SqlInput[] } {
  const { where, params } = residueOf(tag, filter);
  return {
    sql: `SELECT account, coalesce(reason, '') AS reason, count(*) AS count,
      min(settled_at) AS oldestAt, max(settled_at) AS newestAt, max(seq) AS example
      FROM deliveries INDEXED BY deliveries_stuck WHERE state = 'dead' ${where}
      GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2 LIMIT ?`,
    params: [...params, SEARCH_LIMIT_MAX],
  };
}

export class SqliteReader {
  readonly #db: Database;
  readonly #tag: string;
  readonly #statements = new Map<string, Statement>();

  constructor(db: Database) {
    this.#db = db;
    this.#tag = String(this.#all(`SELECT value FROM meta WHERE name = 'tag'`, [])[0]?.value);
  }

  get(seq: number): Delivery | null {
    return this.getMany([seq])[0] ?? null;
  }

  getMany(seqs: readonly number[]): Delivery[] {
    const sql = `${DELIVERY_SELECT} WHERE d.seq IN (SELECT value FROM json_each(?))`;
    const rows = this.#all(sql, [JSON.stringify(seqs)]);
    const found = new Map(rows.map((row) => [row.seq, deliveryOfRow(row, this.#tag)]));
    return seqs.flatMap((seq) => found.get(seq) ?? []);
  }

  attempts(seq: number): Attempt[] {
    return this.#all(ATTEMPTS_SELECT, [seq, STORY_LINES_MAX]).map(attemptOfRow);
  }

  history(seq: number): HistoryEntry[] {
    return this.#all(HISTORY_SELECT, [seq, STORY_LINES_MAX]).map(historyOfRow);
  }

  search(filter: Filter, page: DeliveryPage): Delivery[] {
    const { limit } = page;
    assert(limit > 0 && limit <= SEARCH_LIMIT_MAX, `search limit ${limit}`);
    const range = seqRangeOf(this.#db, filter, page);
    const order = 'after' in page ? 'ASC' : 'DESC';
    const seqs = searchQueries(this.#tag, filter, range, { order, limit })
      .flatMap(({ sql, params }) => this.#all(sql, params))
      .map((row) => Number(row.seq));
    seqs.sort((a, b) => (order === 'ASC' ? a - b : b - a));
    return this.getMany(seqs.slice(0, limit));
  }

  copiesOf(origin: number): Delivery[] {
    const rows = this.#all(COPIES_SELECT, [origin, SEARCH_LIMIT_MAX]);
    return this.getMany(rows.map((row) => Number(row.seq)));
  }

  hasCopies(): boolean {
    return this.#all('SELECT 1 FROM copies LIMIT 1', []).length > 0;
  }

  deadByCause(filter: Filter): DeadGroup[] {
    const { sql, params } = deadGroupsSql(this.#tag, filter);
    return this.#all(sql, params).map((row) => ({ ...row }) as unknown as DeadGroup);
  }

  countByState(): StateCount[] {
    const rows = this.#all(
      `SELECT account, state, count FROM tallies WHERE account > '' AND count > 0`,
      [],
    );
    const order = (row: SqlRow) => STATES.indexOf(row.state as State);
    return rows
      .map((row) => ({ ...row }))
      .sort(
        (a, b) => compare(a.account, b.account) || order(a) - order(b),
      ) as unknown as StateCount[];
  }

  #all(sql: string, params: SqlInput[]): SqlRow[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      if (this.#statements.size >= STATEMENTS_MAX) this.#statements.clear();
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...params) as SqlRow[];
  }
}

function compare(a: unknown, b: unknown): number {
  return String(a) < String(b) ? -1 : a === b ? 0 : 1;
}
