// Copies a store of Postgres into a file of SQLite that has the form of a snapshot, which is then restored into the
// data folder as any other. All of it is read in one transaction, which sees the database as it was at its beginning.

import type { PostgresSql } from '../../system/databases/postgres.ts';
import type { Database, SqlInput } from '../../system/databases/sqlite.ts';
import { CREATE_SNAPSHOT_FILES } from '../sqlite/files/snapshot-files.ts';
import { migrate } from '../sqlite/schema/schema.ts';
import { JournalOpenError } from '../store-error.ts';
import {
  Checksum,
  type Column,
  cellsOfPostgres,
  cellsOfSqlite,
  columnsOf,
  MOVED,
  type MovedTable,
  nameInSqlite,
  type Row,
  selectList,
  sqliteCheck,
  sqliteValue,
} from './tables.ts';
import type { MovedCount, MoveProgress } from './to-postgres.ts';

const PART_ROWS = 2_000;

export async function copyToSqlite(
  sql: PostgresSql,
  target: Database,
  progress: MoveProgress,
): Promise<MovedCount[]> {
  migrate(target);
  target.exec('BEGIN');
  const counts: MovedCount[] = [];
  for (const table of MOVED) counts.push(await copyTable(sql, target, table, progress));
  await copyUploads(sql, target);
  await finish(sql, target);
  target.exec('COMMIT');
  return counts;
}

async function copyTable(
  sql: PostgresSql,
  target: Database,
  table: MovedTable,
  progress: MoveProgress,
): Promise<MovedCount> {
  const columns = await columnsOf(sql, table.name);
  const insert = target.prepare(insertInto(table, columns));
  const key = table.key.map((each) => `"${each}"`).join(', ');
  const isWhole = table.name === 'deliveries' ? ', is_intact(t) AS is_whole' : '';
  const cursor = `moved_${table.name}`;
  await sql.run(`DECLARE ${cursor} NO SCROLL CURSOR FOR
    SELECT ${selectList(columns)}${isWhole} FROM ${table.name} t ORDER BY ${key}`);
  const checksum = new Checksum();
  for (;;) {
    const part = await sql.all(`FETCH ${PART_ROWS} FROM ${cursor}`);
    if (part.length === 0) break;
    const rows = part.map((row) => cellsOfPostgres(row, columns));
    for (const [i, row] of rows.entries()) {
      const values: SqlInput[] = columns.map(({ kind }, k) => sqliteValue(row[k]!, kind));
      if (isWhole !== '') values.push(checkOf(row, columns, part[i]!.is_whole === true));
      insert.run(...values);
    }
    checksum.add(rows);
    progress(`${table.name}: ${checksum.rows}`);
  }
  await sql.run(`CLOSE ${cursor}`);
  return verified(target, table, columns, checksum);
}

function insertInto(table: MovedTable, columns: readonly Column[]): string {
  const names = columns.map(({ name }) => `"${nameInSqlite(name)}"`);
  if (table.name === 'deliveries') names.push('row_check');
  const places = names.map(() => '?').join(', ');
  return `INSERT INTO "${table.name}" (${names.join(', ')}) VALUES (${places})`;
}

function checkOf(row: Row, columns: readonly Column[], isWhole: boolean): number | null {
  const cell = (name: string) => row[columns.findIndex((column) => column.name === name)] ?? null;
  const where = { seq: Number(cell('seq')), chat: cell('chat')!, thread: cell('thread') };
  return sqliteCheck({ ...where, method: cell('method')!, body: cell('body') }, isWhole);
}

function verified(
  target: Database,
  { name, key }: MovedTable,
  columns: readonly Column[],
  expected: Checksum,
): MovedCount {
  const order = key.map((each) => `"${nameInSqlite(each)}"`).join(', ');
  const statement = target.prepare(`SELECT * FROM "${name}" ORDER BY ${order}`);
  statement.setReadBigInts(true);
  const found = new Checksum();
  for (const row of statement.iterate()) found.add([cellsOfSqlite(row, columns)]);
  const [checksum, other] = [expected.text(), found.text()];
  if (checksum === other) return { table: name, rows: expected.rows, checksum };
  throw new JournalOpenError(
    'failed',
    `${name} was not copied as it is: ${expected.rows} rows became ${found.rows}, or others`,
  );
}

async function copyUploads(sql: PostgresSql, target: Database): Promise<void> {
  const ids = await sql.all('SELECT id FROM uploads WHERE is_whole ORDER BY id');
  if (ids.length === 0) return;
  target.exec(CREATE_SNAPSHOT_FILES);
  const insert = target.prepare('INSERT INTO snapshot_files (id, piece, bytes) VALUES (?, ?, ?)');
  for (const { id } of ids) {
    const read = 'SELECT bytes FROM upload_chunks WHERE id = $1 AND n = $2';
    for (let n = 0; ; n += 1) {
      const bytes = (await sql.get(read, String(id), n))?.bytes as Buffer | undefined;
      // An empty file has one piece, too.
      if (bytes === undefined && n > 0) break;
      insert.run(String(id), n, bytes ?? Buffer.alloc(0));
      if (bytes === undefined) break;
    }
  }
}

async function finish(sql: PostgresSql, target: Database): Promise<void> {
  const save = target.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)');
  const meta = await sql.all(`SELECT name, value FROM meta WHERE name IN ('tag', 'losses')`);
  for (const { name, value } of meta) save.run(String(name), String(value));
  const last = await sql.get('SELECT last_value AS seq FROM delivery_seq');
  save.run('seq_last', Number(last!.seq));
  target.exec(`INSERT INTO tallies (account, state, count)
    SELECT account, state, count(*) FROM deliveries GROUP BY account, state`);
  for (const { name, key, isNumbered } of MOVED) {
    if (isNumbered !== true) continue;
    const sequence = `SELECT last_value AS n FROM pg_sequences
      WHERE schemaname = current_schema() AND sequencename = $1`;
    const n = Number((await sql.get(sequence, `${name}_${key[0]}_seq`))?.n ?? 0);
    target.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?').run(n, name);
  }
}
