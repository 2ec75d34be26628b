// Copies a store of SQLite into Postgres. One step does everything: the rows of a table are compared part by part in
// the order of its key, and a part that differs is replaced. So a first copy, a copy that was killed and goes on, and
// the last one, which brings what has changed since, are the same; the last one is short. The source is a snapshot,
// which can be taken while a gateway runs.

import {
  codeOf,
  type PostgresConnection,
  type PostgresSql,
} from '../../system/databases/postgres.ts';
import type { Database, SqlRow } from '../../system/databases/sqlite.ts';
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
  postgresCheck,
  type Row,
  selectList,
} from './tables.ts';

const PART_ROWS = 2_000;
const CHUNK_BYTES = 256 * 1024;
const UNIQUE_VIOLATION = '23505';

export interface MovedCount {
  readonly table: string;
  readonly rows: number;
  readonly checksum: string;
}

export type MoveProgress = (text: string) => void;

// What is copied is verified: the same number of rows, and the same checksum, in every table.
export async function copyToPostgres(
  source: Database,
  target: PostgresConnection,
  progress: MoveProgress,
): Promise<MovedCount[]> {
  for (const table of MOVED) await syncTable(source, target, table, progress);
  await copyUploads(source, target, progress);
  await target.transaction('', (sql) => finish(source, sql));
  const counts: MovedCount[] = [];
  for (const table of MOVED) counts.push(await verified(source, target, table, progress));
  return counts;
}

async function syncTable(
  source: Database,
  target: PostgresConnection,
  table: MovedTable,
  progress: MoveProgress,
): Promise<void> {
  try {
    await syncParts(source, target, table, progress);
  } catch (error) {
    if (codeOf(error) !== UNIQUE_VIOLATION) throw error;
    // A row that is replaced later stands in the way of one that comes before it.
    await target.script(`TRUNCATE ${table.name}`);
    if (table.name === 'deliveries') await target.script('TRUNCATE tallies');
    await syncParts(source, target, table, progress);
  }
}

async function syncParts(
  source: Database,
  target: PostgresConnection,
  table: MovedTable,
  progress: MoveProgress,
): Promise<void> {
  const columns = await columnsOf(target, table);
  const list = columns.map(({ name }) => `"${name}"`).join(', ');
  const hasCheck = table.name === 'deliveries';
  const into = hasCheck ? `${list}, row_check` : list;
  const ofDelivery = (what: string) => `(SELECT ${what} FROM deliveries d WHERE d.seq = t.seq)`;
  const filled = [
    ...(table.byDay ? [['day', ofDelivery('day_of(d.accepted_at)')]] : []),
    ...(table.saysAccount ? [['account', ofDelivery('d.account')]] : []),
  ];
  const named = [into, ...filled.map(([name]) => name)].join(', ');
  const from = [into, ...filled.map(([, value]) => value)].join(', ');
  const insert = `INSERT INTO ${table.name} (${named}) OVERRIDING SYSTEM VALUE
    SELECT ${from} FROM jsonb_populate_recordset(NULL::${table.name}, $1::jsonb) t`;
  let after: Row | null = null;
  let copied = 0;
  for (const part of partsOf(source, table)) {
    const rows = part.map((row) => cellsOfSqlite(row, columns));
    const to = keyOf(rows.at(-1)!, columns, table);
    const held = await rowsBetween(target, table, columns, after, to);
    if (JSON.stringify(held) !== JSON.stringify(rows)) {
      const records = rows.map((row, i) => recordOf(row, columns, hasCheck ? part[i]! : null));
      await target.transaction('', async (sql) => {
        await removeBetween(sql, table, columns, after, to);
        await sql.run(insert, JSON.stringify(records));
      });
    }
    after = to;
    copied += rows.length;
    progress(`${table.name}: ${copied}`);
  }
  await removeBetween(target, table, columns, after, null);
}

function recordOf(row: Row, columns: readonly Column[], checked: SqlRow | null): object {
  const cells = columns.map(({ name, kind }, i) => {
    const cell = row[i]!;
    return [name, kind === 'list' ? JSON.parse(cell ?? '[]') : cell] as const;
  });
  const check = checked === null ? null : { row_check: postgresCheck(checked) };
  return { ...Object.fromEntries(cells), ...check };
}

function* partsOf(source: Database, { name, key }: MovedTable): Generator<SqlRow[]> {
  const order = key.map((each) => `"${nameInSqlite(each)}"`).join(', ');
  const statement = source.prepare(`SELECT * FROM "${name}" ORDER BY ${order}`);
  statement.setReadBigInts(true);
  let part: SqlRow[] = [];
  for (const row of statement.iterate()) {
    part.push(row);
    if (part.length < PART_ROWS) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

function keyOf(row: Row, columns: readonly Column[], { key }: MovedTable): Row {
  return key.map((each) => row[columns.findIndex(({ name }) => name === each)]!);
}

// Rows whose key is after the one and not after the other; null: without an end.
function between(table: MovedTable, columns: readonly Column[], after: Row | null, to: Row | null) {
  const key = table.key.map((each) => `"${each}"`).join(', ');
  const params: string[] = [];
  const tuple = (row: Row) =>
    table.key.map((each, i) => {
      params.push(row[i]!);
      const { kind } = columns.find(({ name }) => name === each)!;
      return kind === 'whole' ? `$${params.length}::bigint` : `$${params.length}`;
    });
  const bounds = [
    ...(after === null ? [] : [`(${key}) > (${tuple(after).join(', ')})`]),
    ...(to === null ? [] : [`(${key}) <= (${tuple(to).join(', ')})`]),
  ];
  return { where: bounds.length === 0 ? 'true' : bounds.join(' AND '), params, key };
}

async function rowsBetween(
  sql: PostgresSql,
  table: MovedTable,
  columns: readonly Column[],
  after: Row | null,
  to: Row | null,
): Promise<Row[]> {
  const { where, params, key } = between(table, columns, after, to);
  const select = `SELECT ${selectList(columns)} FROM ${table.name} WHERE ${where} ORDER BY ${key}`;
  return (await sql.all(select, ...params)).map((row) => cellsOfPostgres(row, columns));
}

async function removeBetween(
  sql: PostgresSql,
  table: MovedTable,
  columns: readonly Column[],
  after: Row | null,
  to: Row | null,
): Promise<void> {
  const { where, params } = between(table, columns, after, to);
  await sql.run(`DELETE FROM ${table.name} WHERE ${where}`, ...params);
}

// Those of messages that may still go, which a snapshot holds in pieces.
async function copyUploads(
  source: Database,
  target: PostgresConnection,
  progress: MoveProgress,
): Promise<void> {
  const packed = `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'snapshot_files'`;
  if (source.prepare(packed).get() === undefined) return;
  const ids = source.prepare('SELECT DISTINCT id FROM snapshot_files ORDER BY id').all();
  const pieces = source.prepare('SELECT bytes FROM snapshot_files WHERE id = ? ORDER BY piece');
  for (const [i, { id }] of ids.entries()) {
    const all = pieces.all(id!).map(({ bytes }) => Buffer.from(bytes as Uint8Array));
    await copyUpload(target, String(id), Buffer.concat(all));
    progress(`uploads: ${i + 1}`);
  }
}

async function copyUpload(target: PostgresConnection, id: string, content: Buffer): Promise<void> {
  const known = 'SELECT 1 AS known FROM uploads WHERE id = $1 AND is_whole';
  if ((await target.get(known, id)) !== null) return;
  await target.transaction('', async (sql) => {
    await sql.run('DELETE FROM uploads WHERE id = $1', id);
    const make =
      'INSERT INTO uploads (id, size, is_whole, touched_at) VALUES ($1, $2, true, now())';
    await sql.run(make, id, content.length);
    for (let n = 0; n * CHUNK_BYTES < content.length; n += 1) {
      const bytes = content.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES);
      const write = 'INSERT INTO upload_chunks (id, n, bytes) VALUES ($1, $2, $3)';
      await sql.run(write, id, n, bytes);
    }
  });
}

// The name of the store, numbers that are never given twice, and whose the accounts are: nobody's, so that the first
// node takes them.
async function finish(source: Database, sql: PostgresSql): Promise<void> {
  const meta = new Map(
    source
      .prepare('SELECT name, value FROM meta')
      .all()
      .map(({ name, value }) => [String(name), String(value)]),
  );
  const save = `INSERT INTO meta (name, value) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
  await sql.run(save, 'tag', meta.get('tag')!);
  // The store that comes was sealed with a secret of its own; that of nodes which tried the database before is none's.
  await sql.run(`DELETE FROM meta WHERE name = 'secret'`);
  const losses = meta.get('losses');
  if (losses !== undefined) await sql.run(save, 'losses', losses);
  await sql.get(
    `SELECT setval('delivery_seq', greatest(1, $1::bigint, (SELECT coalesce(max(seq), 0) FROM deliveries)))`,
    Number(meta.get('seq_last') ?? 0),
  );
  const last = source.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?');
  for (const { name, key, isNumbered } of MOVED) {
    if (isNumbered !== true) continue;
    const given = Number(last.get(name)?.seq ?? 0);
    const sequence = `pg_get_serial_sequence('${name}', '${key[0]}')`;
    const most = `(SELECT coalesce(max(${key[0]}), 0) FROM ${name})`;
    await sql.get(`SELECT setval(${sequence}, greatest(1, $1::bigint, ${most}))`, given);
  }
  await sql.run('DELETE FROM owners');
  await sql.run(`INSERT INTO owners (account, node, epoch, rank_last)
    SELECT account, '', 1, max(rank) FROM deliveries GROUP BY account`);
  const epochs = `INSERT INTO owners AS o (account, node, epoch) VALUES ($1, '', $2)
    ON CONFLICT (account) DO UPDATE SET epoch = excluded.epoch`;
  for (const { account, epoch } of source.prepare('SELECT account, epoch FROM owners').all()) {
    await sql.run(epochs, String(account), Number(epoch));
  }
}

async function verified(
  source: Database,
  target: PostgresConnection,
  table: MovedTable,
  progress: MoveProgress,
): Promise<MovedCount> {
  const columns = await columnsOf(target, table);
  const [ours, theirs] = [new Checksum(), new Checksum()];
  let after: Row | null = null;
  for (const part of partsOf(source, table)) {
    const rows = part.map((row) => cellsOfSqlite(row, columns));
    const to = keyOf(rows.at(-1)!, columns, table);
    ours.add(rows);
    theirs.add(await rowsBetween(target, table, columns, after, to));
    after = to;
  }
  theirs.add(await rowsBetween(target, table, columns, after, null));
  const [checksum, other] = [ours.text(), theirs.text()];
  progress(`${table.name}: ${ours.rows} verified`);
  if (checksum === other) return { table: table.name, rows: ours.rows, checksum };
  throw new JournalOpenError(
    'failed',
    `${table.name} was not copied as it is: ${ours.rows} rows became ${theirs.rows}, or others: use --resume`,
  );
}
