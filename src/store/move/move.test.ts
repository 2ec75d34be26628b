// A store with something in every table goes to Postgres and back, and is the same; whatever happens on the way.

import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../system/clock.ts';
import { PostgresConnection } from '../../system/databases/postgres.ts';
import {
  type Database,
  openDatabase,
  type SqlRow,
  storeFileOf,
} from '../../system/databases/sqlite.ts';
import { aDelivery, ROOM, recovered } from '../contract/journal.fixture.ts';
import { type Cluster, startCluster } from '../postgres/cluster.fixture.ts';
import { openPostgresJournal, type PostgresJournal } from '../postgres/postgres.ts';
import { migrate as migratePostgres, SCHEMA } from '../postgres/schema/schema.ts';
import { migrate } from '../sqlite/schema/schema.ts';
import { openSqliteJournal } from '../sqlite/sqlite.ts';
import { type MoveOptions, moveToPostgres, moveToSqlite } from './move.ts';
import { MOVED, NOT_MOVED } from './tables.ts';
import { copyToPostgres } from './to-postgres.ts';
import { copyToSqlite } from './to-sqlite.ts';

const OLD = new URL('../sqlite/schema/version-8.db.gz', import.meta.url);
const SILENT = () => {};
// More than a number can hold.
const LONG_ID = '9007199254740993';

// What the old store has nothing of.
const MORE = `
INSERT INTO incoming (account, update_id, update_order, at, voice, state, body) VALUES
  ('telegram:1', 'Ev9', 1, 2.0, 'wrote', 'waiting', 'a'), ('telegram:1', 'Ev10', 1, 2.0, 'wrote', 'waiting', 'b');
INSERT INTO owners VALUES ('telegram:1', NULL, 4);
INSERT INTO copies VALUES (2, 1);
INSERT INTO ingest_sources VALUES (3, 'page', '@a', 'active', '{}', '{}', 2, 1.5);
INSERT INTO ingest_posts VALUES (7, 3, ${LONG_ID}, 1e-7, NULL, 2.25, 1e21, 1, 'ä\u{1F600}', NULL, NULL, '[]', '[]');
INSERT INTO ingest_versions VALUES (3, ${LONG_ID}, 1, 2.0, NULL, NULL, 'before', 'me', NULL, '[]');
INSERT INTO ingest_channels VALUES ('r', '@a', '{}');
INSERT INTO ingest_waits VALUES ('r', 'm', 5.0, 1.0);
INSERT INTO ingest_leases VALUES ('r', NULL, 'n', 2, 0.5);
INSERT INTO ingest_forwards VALUES (3, ${LONG_ID});
INSERT INTO ingest_readers VALUES ('mtproto', 'a', 'n', 'sealed', 3.0);
INSERT INTO minutes VALUES ('telegram:1', 29000000, 'n', 3, 2, 1, '[1,0,2]');
INSERT INTO sessions VALUES ('hash', NULL, 'proof', 1e13);
UPDATE sqlite_sequence SET seq = 70 WHERE name = 'ingest_posts';
`;

let cluster: Cluster;
let url: string;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  url = await cluster.database();
});

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'sluice-move-'));
}

function fullStore(path: string): Database {
  writeFileSync(path, gunzipSync(readFileSync(OLD)));
  const db = openDatabase(path, { readOnly: false, busyMsMax: 1_000 });
  migrate(db);
  db.exec(MORE);
  return db;
}

function rowsOf(db: Database, table: string): SqlRow[] {
  const statement = db.prepare(`SELECT * FROM "${table}" ORDER BY 1, 2`);
  statement.setReadBigInts(true);
  return statement.all().map((row) => ({ ...row }));
}

function tablesOf(db: Database): string[] {
  const made = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`;
  return db
    .prepare(made)
    .all()
    .map(({ name }) => String(name));
}

async function withPostgres<T>(work: (sql: PostgresConnection) => Promise<T>): Promise<T> {
  const sql = new PostgresConnection({ url, name: 'test', schema: SCHEMA });
  try {
    await migratePostgres(sql, true);
    return await work(sql);
  } finally {
    await sql.close();
  }
}

test('every table of both is moved, or known not to be', async () => {
  const db = fullStore(join(folder(), 'all.db'));
  const known = [...MOVED.map(({ name }) => name), ...NOT_MOVED].sort();
  const found = await withPostgres((sql) =>
    sql.all(`SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace
      AND relkind IN ('r', 'p') AND NOT relispartition`),
  );
  expect(found.map(({ name }) => String(name)).sort()).toEqual(known);
  expect(tablesOf(db).filter((name) => !known.includes(name))).toEqual([]);
  const empty = MOVED.filter(({ name }) => rowsOf(db, name).length === 0);
  expect(
    empty.map(({ name }) => name),
    'the store of the test has something in each',
  ).toEqual([]);
  db.close();
});

test('there and back again every row is the same, also after a change of some', async () => {
  const source = fullStore(join(folder(), 'from.db'));
  await withPostgres(async (sql) => {
    await copyToPostgres(source, sql, SILENT);
    source.exec(`UPDATE deliveries SET body = NULL, row_check = NULL WHERE seq = 4;
      DELETE FROM history WHERE no = 1;
      INSERT INTO blocked VALUES ('telegram:1', '77', 'blocked', 1.0)`);
    const counts = await copyToPostgres(source, sql, SILENT);
    expect(counts.map(({ table }) => table)).toEqual(MOVED.map(({ name }) => name));
    const tallies = await sql.all(
      'SELECT account, state, count FROM tallies WHERE count > 0 ORDER BY account, state',
    );
    const counted = `SELECT account, state, count(*) AS count FROM deliveries
      GROUP BY account, state ORDER BY account, state`;
    expect(tallies).toEqual(
      source
        .prepare(counted)
        .all()
        .map((row) => ({ ...row })),
    );
    const copy = openDatabase(join(folder(), 'to.db'), { readOnly: false, busyMsMax: 0 });
    const level = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ';
    const back = () => sql.transaction(level, (reading) => copyToSqlite(reading, copy, SILENT));
    await back();
    // Into the same file again, after it was changed in places: those are put right.
    copy.exec(`UPDATE deliveries SET body = '{}' WHERE seq = 2; DELETE FROM history;
      INSERT INTO blocked VALUES ('telegram:1', '78', 'blocked', 1.0);
      UPDATE tallies SET count = 99`);
    await back();
    expect(copy.prepare('SELECT max(count) AS most FROM tallies').get()!.most).toBeLessThan(9);
    for (const { name } of MOVED) {
      const unchecked = (row: SqlRow) => ({ ...row, row_check: null });
      expect(rowsOf(copy, name).map(unchecked), name).toEqual(rowsOf(source, name).map(unchecked));
    }
    const seq = (db: Database) =>
      db.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'ingest_posts'`).get();
    expect(seq(copy)).toEqual(seq(source));
    copy.close();
  });
  source.close();
});

test('a row that was damaged stays so, and whole ones are whole', async () => {
  const source = fullStore(join(folder(), 'from.db'));
  const [whole] = rowsOf(source, 'deliveries').filter(({ body }) => body !== null);
  source.exec(`UPDATE deliveries SET row_check = 12345 WHERE seq = ${whole!.seq}`);
  await withPostgres(async (sql) => {
    await copyToPostgres(source, sql, SILENT);
    const damaged = await sql.all('SELECT seq FROM deliveries d WHERE NOT is_intact(d)');
    expect(damaged).toEqual([{ seq: Number(whole!.seq) }]);
  });
  source.close();
});

function options(dir: string, changes: Partial<MoveOptions> = {}): MoveOptions {
  const clock = systemClock();
  return { dir, url, resume: false, clock, progress: SILENT, onWait: SILENT, ...changes };
}

async function aFolder(): Promise<string> {
  const dir = folder();
  fullStore(storeFileOf(dir)).close();
  mkdirSync(join(dir, 'spool'));
  return dir;
}

test('a gateway at work is copied, waited for, and what it did meanwhile comes along', async () => {
  const dir = await aFolder();
  const gateway = await openSqliteJournal({ dir });
  const { tag } = gateway;
  const owner = await gateway.openAccount('telegram:9');
  const put = (body: string) =>
    gateway.append(owner, aDelivery({ account: 'telegram:9', body }), ROOM).durable;
  await put('{"text":"before"}');
  let stopped: Promise<void> | null = null;
  const onWait = () => {
    stopped ??= put('{"text":"meanwhile"}').then(() => gateway.close());
  };
  await moveToPostgres(options(dir, { onWait }));
  expect(stopped).not.toBeNull();
  expect(existsSync(storeFileOf(dir))).toBe(false);
  expect(readdirSync(dir).filter((name) => name.startsWith('sluice.db.moved-'))).toHaveLength(1);
  const journal = await openPostgresJournal({ url });
  expect(journal.tag).toBe(tag);
  const mine = await journal.openAccount('telegram:9');
  const waiting: number[] = [];
  for await (const page of journal.recover([mine]))
    for (const one of page) {
      if (one.kind === 'queued') waiting.push(one.queued.seq);
    }
  const bodies = [];
  for (const seq of waiting) bodies.push(await journal.begin(mine, seq, 1));
  expect(bodies).toMatchObject([{ body: '{"text":"before"}' }, { body: '{"text":"meanwhile"}' }]);
  const next = await journal.append(mine, aDelivery({ account: 'telegram:9' }), ROOM).durable;
  expect(next.kind === 'accepted' && next.queued.seq).toBeGreaterThan(waiting.at(-1)!);
  await journal.close();
});

test('a database that is in use is refused, and so is one that holds a store', async () => {
  const [dir, other] = [await aFolder(), await aFolder()];
  const journal = await openPostgresJournal({ url });
  await expect(moveToPostgres(options(dir))).rejects.toThrow(/gateways are at work/);
  await journal.close();
  await moveToPostgres(options(dir));
  await expect(moveToPostgres(options(other))).rejects.toThrow(/already holds a store/);
  await expect(moveToPostgres(options(other, { resume: true }))).rejects.toThrow(/already holds/);
});

test('the secret of nodes that tried the database before is not that of the store which comes', async () => {
  const tried = await openPostgresJournal({ url });
  await tried.agreeOn({ own: 'tried', former: null });
  await tried.close();
  await moveToPostgres(options(await aFolder()));
  const journal = await openPostgresJournal({ url });
  await journal.agreeOn({ own: 'of the store', former: null });
  await journal.close();
});

test('stopped at any moment it goes on, and until then the database opens for nobody', async () => {
  const dir = await aFolder();
  let steps = 0;
  const stopAt = (last: number) => () => {
    steps += 1;
    if (steps >= last) throw new Error('killed');
  };
  const first = options(dir, { progress: stopAt(10) });
  await expect(moveToPostgres(first)).rejects.toThrow('killed');
  await expect(openPostgresJournal({ url })).rejects.toThrow(/is being moved into/);
  await expect(moveToPostgres(options(dir))).rejects.toThrow(/--resume/);
  steps = 0;
  const second = options(dir, { resume: true, progress: stopAt(40) });
  await expect(moveToPostgres(second)).rejects.toThrow('killed');
  const counts = await moveToPostgres(options(dir, { resume: true }));
  expect(counts.find(({ table }) => table === 'deliveries')?.rows).toBe(8);
  await (await openPostgresJournal({ url })).close();
});

test('nodes at work are copied, waited for, and what they did meanwhile comes back along', async () => {
  const dir = await aFolder();
  await moveToPostgres(options(dir));
  const nodes = [
    await openPostgresJournal({ url, node: 'a' }),
    await openPostgresJournal({ url, node: 'b' }),
  ];
  const [first, second] = nodes as [PostgresJournal, PostgresJournal];
  const owner = await first.openAccount('telegram:9');
  const put = (body: string) =>
    first.append(owner, aDelivery({ account: 'telegram:9', body }), ROOM).durable;
  await put('{"text":"before"}');
  let late: PostgresJournal | null = null;
  let waits = 0;
  const onWait = async () => {
    waits += 1;
    await put('{"text":"meanwhile"}');
    // One is stopped, one more comes, and then all of them go.
    await first.close();
    late = await openPostgresJournal({ url, node: 'c' });
    await second.close();
    await late.close();
  };
  let ended: Promise<void> | null = null;
  const back = folder();
  const counts = await moveToSqlite(
    options(back, {
      onWait: () => {
        ended = onWait();
      },
    }),
  );
  await ended;
  expect(waits).toBe(1);
  expect(counts.find(({ table }) => table === 'deliveries')?.rows).toBe(10);
  await expect(openPostgresJournal({ url })).rejects.toThrow(/moved out of it/);
  const journal = await openSqliteJournal({ dir: back });
  const mine = await journal.openAccount('telegram:9');
  const bodies: unknown[] = [];
  for (const { queued } of await recovered(journal)) {
    if (queued.account === 'telegram:9') bodies.push(await journal.begin(mine, queued.seq, 1));
  }
  expect(bodies).toMatchObject([{ body: '{"text":"before"}' }, { body: '{"text":"meanwhile"}' }]);
  await journal.close();
});

test('a node that was cut off while the store was moved away writes nothing more', async () => {
  const dir = await aFolder();
  await moveToPostgres(options(dir));
  const node = await openPostgresJournal({ url, node: 'a' });
  const owner = await node.openAccount('telegram:9');
  const put = () => node.append(owner, aDelivery({ account: 'telegram:9' }), ROOM).durable;
  await put();
  await withPostgres((sql) => sql.run(`INSERT INTO meta VALUES ('moving', $1)`, node.tag));
  await expect(put()).rejects.toThrow(/moved out of this database/);
  await expect(node.openAccount('telegram:9')).rejects.toThrow(/moved out of this database/);
  await node.close();
});

test('back into a data folder: the queue is there, and the database opens for nobody', async () => {
  const dir = await aFolder();
  const upload = randomBytes(600_000);
  const id = createHash('sha256').update(upload).digest('base64url');
  writeFileSync(join(dir, 'spool', id), upload);
  const db = openDatabase(storeFileOf(dir), { readOnly: false, busyMsMax: 0 });
  db.exec(`INSERT INTO spooled VALUES (1, '${id}')`);
  db.close();
  await moveToPostgres(options(dir));
  const back = folder();
  const counts = await moveToSqlite(options(back));
  expect(counts.find(({ table }) => table === 'deliveries')?.rows).toBe(8);
  await expect(openPostgresJournal({ url })).rejects.toThrow(/moved out of it/);
  expect(upload.equals(readFileSync(join(back, 'spool', id))), 'with its uploads').toBe(true);
  await expect(moveToSqlite(options(back))).rejects.toThrow(/already holds a store/);
  const journal = await openSqliteJournal({ dir: back });
  expect((await recovered(journal)).map(({ queued }) => queued.seq)).toEqual([1, 2, 3, 7]);
  await journal.close();
});
