// The tables that a store is made of, as both databases have them, and one form of their rows that can be compared: the
// text of each cell, column by column as Postgres has them.

import { createHash } from 'node:crypto';
import { type PostgresSql, storableText } from '../../system/databases/postgres.ts';
import { isIntact, rowCheck } from '../../system/databases/row-check.ts';
import type { SqlRow } from '../../system/databases/sqlite.ts';

export interface MovedTable {
  readonly name: string;
  readonly key: readonly string[];
  // Its key is drawn by the database.
  readonly isNumbered?: true;
  // In Postgres it lies by the day of its delivery, and may outlive it there until its day goes.
  readonly byDay?: true;
  // In Postgres it says whose its delivery is.
  readonly saysAccount?: true;
}

export const MOVED: readonly MovedTable[] = [
  { name: 'deliveries', key: ['seq'] },
  { name: 'results', key: ['seq'], byDay: true },
  { name: 'attempts', key: ['no'], isNumbered: true, byDay: true, saysAccount: true },
  { name: 'history', key: ['no'], isNumbered: true, byDay: true },
  { name: 'idempotency', key: ['account', 'key'] },
  { name: 'limits', key: ['account', 'key'] },
  { name: 'spooled', key: ['seq', 'id'] },
  { name: 'copies', key: ['seq'] },
  { name: 'accounts', key: ['id'] },
  { name: 'incoming', key: ['account', 'update_id'] },
  { name: 'streams', key: ['id'] },
  { name: 'api_keys', key: ['id'] },
  { name: 'audit', key: ['n'], isNumbered: true },
  { name: 'audiences', key: ['id'], isNumbered: true },
  { name: 'members', key: ['audience', 'n'] },
  { name: 'broadcasts', key: ['id'], isNumbered: true },
  { name: 'outcomes', key: ['broadcast', 'n'] },
  { name: 'blocked', key: ['account', 'chat'] },
  { name: 'ingest_sources', key: ['id'], isNumbered: true },
  { name: 'ingest_posts', key: ['n'], isNumbered: true },
  { name: 'ingest_versions', key: ['source', 'id', 'version'] },
  { name: 'ingest_channels', key: ['reader', 'name'] },
  { name: 'ingest_waits', key: ['reader', 'method'] },
  { name: 'ingest_leases', key: ['name'] },
  { name: 'ingest_forwards', key: ['source', 'id'] },
  { name: 'ingest_readers', key: ['reader_kind', 'account'] },
  { name: 'minutes', key: ['account', 'minute', 'node'] },
  { name: 'sessions', key: ['hash'] },
];

// Made from the others, of one process, or of one kind of database; see the two directions for each.
export const NOT_MOVED: readonly string[] = [
  ...['meta', 'tallies', 'owners', 'writers', 'spills', 'strays', 'uploads', 'upload_chunks'],
  ...['nodes', 'fleet_leases', 'changes'],
];

export type Cell = string | null;
export type Row = readonly Cell[];

type Kind = 'whole' | 'real' | 'truth' | 'text' | 'list';

export interface Column {
  readonly name: string;
  readonly kind: Kind;
}

const KINDS: Readonly<Record<string, Kind>> = {
  bigint: 'whole',
  integer: 'whole',
  smallint: 'whole',
  'double precision': 'real',
  boolean: 'truth',
  text: 'text',
  ARRAY: 'list',
  jsonb: 'list',
};

const COLUMNS = `SELECT column_name AS name, data_type AS type FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position`;

// Without the checks of rows, their days and what repeats their delivery, which each kind of store has in its own way.
export async function columnsOf(sql: PostgresSql, table: MovedTable): Promise<Column[]> {
  const rows = await sql.all(COLUMNS, table.name);
  return rows.flatMap(({ name, type }) => {
    const kind = KINDS[String(type)];
    const isOwnWay = (table.byDay && name === 'day') || (table.saysAccount && name === 'account');
    return kind === undefined || isOwnWay ? [] : [{ name: String(name), kind }];
  });
}

// The one column that is called otherwise, as `user` is a word of Postgres.
export function nameInSqlite(column: string): string {
  return column === 'user_id' ? 'user' : column;
}

// `row` as SQLite gives it, whole numbers in full.
export function cellsOfSqlite(row: SqlRow, columns: readonly Column[]): Row {
  return columns.map(({ name, kind }) => {
    const value = row[nameInSqlite(name)] ?? null;
    if (kind === 'list') return JSON.stringify(value === null ? [] : JSON.parse(String(value)));
    if (value === null) return null;
    if (kind === 'truth') return String(Number(value) === 1);
    if (kind === 'real') return String(Number(value));
    return kind === 'text' ? storableText(String(value)) : String(value);
  });
}

// As Postgres is asked for it.
export function selectList(columns: readonly Column[]): string {
  return columns
    .map(({ name, kind }) => (kind === 'list' ? `to_json("${name}")::text` : `"${name}"::text`))
    .map((text, i) => `${text} AS c${i}`)
    .join(', ');
}

export function cellsOfPostgres(
  row: Readonly<Record<string, unknown>>,
  columns: readonly Column[],
): Row {
  return columns.map(({ kind }, i) => {
    const value = row[`c${i}`] as string | null;
    if (value === null) return null;
    if (kind === 'real') return String(Number(value));
    return kind === 'list' ? JSON.stringify(JSON.parse(value)) : value;
  });
}

// As SQLite takes it.
export function sqliteValue(cell: Cell, kind: Kind): string | number | bigint | null {
  if (cell === null) return null;
  switch (kind) {
    case 'whole':
      return BigInt(cell);
    case 'real':
      return Number(cell);
    case 'truth':
      return cell === 'true' ? 1 : 0;
    case 'list':
      return cell === '[]' ? null : cell;
    case 'text':
      return cell;
  }
}

export class Checksum {
  readonly #hash = createHash('sha256');
  rows = 0;

  add(rows: readonly Row[]): void {
    this.rows += rows.length;
    for (const row of rows) this.#hash.update(`${JSON.stringify(row)}\n`);
  }

  text(): string {
    return this.#hash.digest('hex');
  }
}

// What a row of deliveries is checked by. Damage stays damage in either.
interface Checked {
  readonly seq: number;
  readonly chat: string;
  readonly thread: string | null;
  readonly method: string;
  readonly body: string | null;
}

const DAMAGED = '00000000-0000-0000-0000-000000000000';

export function postgresCheck(row: SqlRow): string | null {
  const checked = checkedOf(row);
  if (row.row_check === null || checked.body === null) return null;
  if (!isIntact(checked, Number(row.row_check))) return DAMAGED;
  const { seq, chat, thread, method, body } = checked;
  const text = [seq, chat, thread ?? '', method, body].map((each) => storableText(String(each)));
  return createHash('md5').update(text.join('\u001f')).digest('hex');
}

export function sqliteCheck(row: Checked, isWhole: boolean): number | null {
  if (row.body === null) return null;
  const check = rowCheck(row.seq, row.chat, row.thread, row.method, row.body);
  return isWhole ? check : -1;
}

function checkedOf(row: SqlRow): Checked {
  const text = (value: unknown) => (value === null ? null : String(value));
  return {
    seq: Number(row.seq),
    chat: String(row.chat),
    thread: text(row.thread),
    method: String(row.method),
    body: text(row.body),
  };
}
