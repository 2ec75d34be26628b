// Writes plain messages, which come in crowds, several rows to a statement: what an insert costs beside its row
// (opening the table and its indexes, asking which of them apply) is then shared. A few left over go one by one.

import { rowCheck } from '../../system/databases/row-check.ts';
import type { Database, SqlInput, Statement } from '../../system/databases/sqlite.ts';

const COLUMNS = `seq, account, platform, chat, method, family, gate, priority, accepted_at, enter_at, rank, body,
  held, row_check, cost, live, final, due_at, expires_at`;
// Bare question marks: the driver asks for the name of every numbered one, and that is a search.
const GIVEN = 14;
const ROW = `(${Array(GIVEN).fill('?').join(', ')}, 1, 0, 0, 0, 0)`;
// More gain nothing.
const ROWS = 8;
// Of what comes over the wire: the columns from the account to the time of acceptance; the body follows.
const WORDS = 8;
const CHAT = 2;
const METHOD = 3;

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

  // To be flushed before anything else is written or read.
  add(seq: number, rank: number, words: readonly SqlInput[], from: number, held: SqlInput): void {
    const values = this.#values;
    values.push(seq);
    for (let i = from; i < from + WORDS; i++) values.push(words[i]!);
    const acceptedAt = words[from + WORDS - 1]!;
    const body = words[from + WORDS]!;
    const check = rowCheck(
      seq,
      words[from + CHAT] as string,
      null,
      words[from + METHOD] as string,
      body as string,
    );
    values.push(acceptedAt, rank, body, held, check);
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
