// Writes plain messages, which come in crowds, several rows to a statement: what an insert costs beside its row
// (opening the table and its indexes, asking which of them apply) is then shared. A few left over go one by one.

import { rowCheck } from '../../system/databases/row-check.ts';
import type { Database, SqlInput, Statement } from '../../system/databases/sqlite.ts';
import { OWN, SHARED } from './wire.ts';

const COLUMNS = `seq, account, platform, chat, method, family, budget, priority, accepted_at, enter_at, rank, body,
  held, row_check, cost, live, final, due_at, expires_at`;
// Bare question marks: the driver asks for the name of every numbered one, and that is a search.
const GIVEN = 14;
const ROW = `(${Array(GIVEN).fill('?').join(', ')}, 1, 0, 0, 0, 0)`;
// More gain nothing.
const ROWS = 8;

export const insertPlainRows = (rows: number) =>
  `INSERT INTO deliveries (${COLUMNS}) VALUES ${Array(rows).fill(ROW).join(', ')}`;

export class PlainInserts {
  readonly #one: Statement;
  readonly #several: Statement;
  #values: SqlInput[] = [];

  constructor(db: Database) {
    this.#one = db.prepare(insertPlainRows(1));
    this.#several = db.prepare(insertPlainRows(ROWS));
  }

  // To be flushed before anything else is written or read. `shared` and `own`: where its words begin.
  add(seq: number, rank: number, words: readonly SqlInput[], shared: number, own: number): void {
    const values = this.#values;
    const chat = words[own + OWN.chat] as string;
    const method = words[shared + SHARED.method] as string;
    const acceptedAt = words[own + OWN.acceptedAt]!;
    const body = words[own + OWN.body] as string;
    values.push(
      seq,
      words[shared + SHARED.account]!,
      words[shared + SHARED.platform]!,
      chat,
      method,
      words[shared + SHARED.family]!,
      words[shared + SHARED.budget]!,
      words[shared + SHARED.priority]!,
      acceptedAt,
      acceptedAt,
      rank,
      body,
      words[own + OWN.held]!,
      rowCheck(seq, chat, null, method, body),
    );
    if (values.length < ROWS * GIVEN) return;
    this.#several.run(...values);
    this.#values = [];
  }

  flush(): void {
    const values = this.#values;
    if (values.length === 0) return;
    this.#values = [];
    for (let i = 0; i < values.length; i += GIVEN) this.#one.run(...values.slice(i, i + GIVEN));
  }

  // The transaction they were meant for is no more.
  drop(): void {
    this.#values = [];
  }
}
