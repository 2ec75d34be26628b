// Copies a store of Postgres into a file of SQLite that has the form of a snapshot, which is then restored into the
// data folder like any other. As on the way there, rows are compared part by part in the order of their key and a part
// that differs is replaced: a second copy into the same file brings what has changed since the first. Each copy reads
// in one transaction, which sees the database as it was at its beginning, also while nodes are at work on it.

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
  for (const table of MOVED) counts.push(await syncTable(sql, target, table, progress));
  await copyUploads(sql, target);
  await finish(sql, target);
  target.exec('COMMIT');
  return counts;
}

async function syncTable(
  sql: PostgresSql,
  target: Database,
  table: MovedTable,
  progress: MoveProgress,
): Promise<MovedCount> {
  const columns = await columnsOf(sql, table);
  const parts = () => syncParts(sql, target, table, columns, progress);
  const checksum = await parts().catch((error: unknown) => {
    if (!isConstraint(error)) throw error;
    // A row that is replaced later stands in the way of one that comes before it.
    target.exec(`DELETE FROM "${table.name}"`);
    return parts();
  });
  return verified(target, table, columns, checksum);
}

async function syncParts(
  sql: PostgresSql,
  target: Database,
  table: MovedTable,
  columns: readonly Column[],
  progress: MoveProgress,
): Promise<Checksum> {
  const insert = target.prepare(insertInto(table, columns));
  const key = table.key.map((each) => `"${each}"`).join(', ');
  const isWhole = table.name === 'deliveries' ? ', is_intact(t) AS is_whole' : '';
  const kept = table.byDay ? 'WHERE EXISTS (SELECT FROM deliveries d WHERE d.seq = t.seq)' : '';
  const cursor = `moved_${table.name}`;
  await sql.run(`DECLARE ${cursor} NO SCROLL CURSOR FOR
    SELECT ${selectList(columns)}${isWhole} FROM ${table.name} t ${kept} ORDER BY ${key}`);
  const checksum = new Checksum();
  let after: SqlInput[] | null = null;
  try {
    for (;;) {
      const part = await sql.all(`FETCH ${PART_ROWS} FROM ${cursor}`);
      if (part.length === 0) break;
      const rows = part.map((row) => cellsOfPostgres(row, columns));
      const to = keyOf(rows.at(-1)!, columns, table);
      if (JSON.stringify(rowsBetween(target, table, columns, after, to)) !== JSON.stringify(rows)) {
        removeBetween(target, table, after, to);
        for (const [i, row] of rows.entries()) {
          const values: SqlInput[] = columns.map(({ kind }, k) => sqliteValue(row[k]!, kind));
          if (isWhole !== '') values.push(checkOf(row, columns, part[i]!.is_whole === true));
          insert.run(...values);
        }
      }
      after = to;
      checksum.add(rows);
      progress(`${table.name}: ${checksum.rows}`);
    }
  } finally {
    await sql.run(`CLOSE ${cursor}`);
  }
  removeBetween(target, table, after, null);
  return checksum;
}

function isConstraint(error: unknown): boolean {
  return error instanceof Error && /constraint failed/.test(error.message);
}

function keyOf(row: Row, columns: readonly Column[], { key }: MovedTable): SqlInput[] {
  return key.map((each) => {
    const i = columns.findIndex(({ name }) => name === each);
    return sqliteValue(row[i]!, columns[i]!.kind);
  });
}

// Rows whose key is after the one and not after the other; null: without an end.
function between({ key }: MovedTable, after: SqlInput[] | null, to: SqlInput[] | null) {
  const names = key.map((each) => `"${nameInSqlite(each)}"`).join(', ');
  const places = key.map(() => '?').join(', ');
  const bounds = [
    ...(after === null ? [] : [`(${names}) > (${places})`]),
    ...(to === null ? [] : [`(${names}) <= (${places})`]),
  ];
  const where = bounds.length === 0 ? 'true' : bounds.join(' AND ');
  return { where, names, params: [...(after ?? []), ...(to ?? [])] };
}

function rowsBetween(
  target: Database,
  table: MovedTable,
  columns: readonly Column[],
  after: SqlInput[] | null,
  to: SqlInput[] | null,
): Row[] {
  const { where, names, params } = between(table, after, to);
  const select = `SELECT * FROM "${table.name}" WHERE ${where} ORDER BY ${names}`;
  const statement = target.prepare(select);
  statement.setReadBigInts(true);
  return statement.all(...params).map((row) => cellsOfSqlite(row, columns));
}

function removeBetween(
  target: Database,
  table: MovedTable,
  after: SqlInput[] | null,
  to: SqlInput[] | null,
): void {
  const { where, params } = between(table, after, to);
  target.prepare(`DELETE FROM "${table.name}" WHERE ${where}`).run(...params);
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

// Named by what they hold: one that is there needs no second look.
async function copyUploads(sql: PostgresSql, target: Database): Promise<void> {
  const packed = `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'snapshot_files'`;
  if (target.prepare(packed).get() === undefined) target.exec(CREATE_SNAPSHOT_FILES);
  const rows = await sql.all('SELECT id FROM uploads WHERE is_whole ORDER BY id');
  const ids = new Set(rows.map(({ id }) => String(id)));
  const held = target.prepare('SELECT DISTINCT id FROM snapshot_files').all();
  const remove = target.prepare('DELETE FROM snapshot_files WHERE id = ?');
  for (const { id } of held) if (!ids.delete(String(id))) remove.run(id!);
  const insert = target.prepare('INSERT INTO snapshot_files (id, piece, bytes) VALUES (?, ?, ?)');
  for (const id of ids) {
    const read = 'SELECT bytes FROM upload_chunks WHERE id = $1 AND n = $2';
    for (let n = 0; ; n += 1) {
      const bytes = (await sql.get(read, id, n))?.bytes as Buffer | undefined;
      // An empty file has one piece, too.
      if (bytes === undefined && n > 0) break;
      insert.run(id, n, bytes ?? Buffer.alloc(0));
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
  target.exec(`DELETE FROM tallies; INSERT INTO tallies (account, state, count)
    SELECT account, state, count(*) FROM deliveries GROUP BY account, state`);
  for (const { name, key, isNumbered } of MOVED) {
    if (isNumbered !== true) continue;
    const sequence = `SELECT last_value AS n FROM pg_sequences
      WHERE schemaname = current_schema() AND sequencename = $1`;
    const n = Number((await sql.get(sequence, `${name}_${key[0]}_seq`))?.n ?? 0);
    target.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?').run(n, name);
  }
}
