// Moves a store between the data folder of one gateway and the database of a fleet, either way. Nothing is sent from
// both: what was moved away is set aside or closed, and a database that a store is moved into opens for nobody before
// all of it is there. Killed at any moment it can be started again, with `resume`.

import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, sleep } from '../../system/clock.ts';
import { PostgresConnection, type PostgresSql } from '../../system/databases/postgres.ts';
import {
  type Database,
  logFileOf,
  markFileOf,
  openDatabase,
  sharedFileOf,
  storeFileOf,
  sumsFileOf,
} from '../../system/databases/sqlite.ts';
import { makePrivateFolder } from '../../system/private-files.ts';
import { MOVING, migrate, SCHEMA, TAKE_MIGRATION_LOCK } from '../postgres/schema/schema.ts';
import { restoreSnapshot } from '../sqlite/files/restore.ts';
import { takeSnapshot } from '../sqlite/files/snapshot.ts';
import { SCHEMA_VERSION, schemaVersionOf } from '../sqlite/schema/schema.ts';
import { openSqliteJournal, type SqliteJournal } from '../sqlite/sqlite.ts';
import { JournalOpenError } from '../store-error.ts';
import { MOVED } from './tables.ts';
import { copyToPostgres, type MovedCount, type MoveProgress } from './to-postgres.ts';
import { copyToSqlite } from './to-sqlite.ts';

const LOCK_EVERY_MS = 500;
const COPY_FILE = 'moving.db';
const MOVED_MARK = '.moved-';

export interface MoveOptions {
  readonly dir: string;
  readonly url: string;
  // Goes on with a move that was begun.
  readonly resume: boolean;
  readonly clock: Clock;
  readonly progress: MoveProgress;
  // The gateway of the folder, or the nodes of the database, are at work: all that they have is copied, and they are to
  // be stopped now.
  readonly onWait: () => void;
}

// Rejects with JournalOpenError.
export async function moveToPostgres(options: MoveOptions): Promise<MovedCount[]> {
  return connected(options.url, async (target) => {
    await migrate(target, true);
    if (!existsSync(storeFileOf(options.dir))) return endOfMove(options.dir, target);
    const tag = tagOf(options.dir);
    await refuseOthers(target);
    await refuseUsed(target, tag, options.resume);
    await setMoving(target, tag);
    const store = await openStopped(options, target);
    let counts: MovedCount[];
    try {
      counts = await copyOnce(options, target);
    } finally {
      await store.close();
    }
    setStoreAside(options.dir, options.clock.now());
    await setMoving(target, null);
    return counts;
  });
}

export async function moveToSqlite(options: MoveOptions): Promise<MovedCount[]> {
  const { dir, progress } = options;
  if (existsSync(storeFileOf(dir))) {
    throw new JournalOpenError('exists', `${dir} already holds a store: name an empty folder`);
  }
  makePrivateFolder(dir);
  const copy = join(dir, COPY_FILE);
  if (!options.resume) rmSync(copy, { force: true });
  return connected(options.url, async (source) => {
    const tag = await migrate(source, true);
    const target = openDatabase(copy, { readOnly: false, busyMsMax: 0 });
    let counts: MovedCount[];
    try {
      await closeWhenLeft(options, source, tag, () => copyBack(source, target, progress));
      counts = await copyBack(source, target, progress);
    } finally {
      target.close();
    }
    await restoreSnapshot(copy, dir);
    rmSync(copy);
    return counts;
  });
}

function copyBack(source: PostgresConnection, target: Database, progress: MoveProgress) {
  const level = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ';
  return source.transaction(level, (sql) => copyToSqlite(sql, target, progress));
}

// While nodes are at work nearly everything is copied, and only what changes until they stop is left. When the last one
// has left, the database is closed: from then on no gateway opens it, and one that was cut off sends nothing.
async function closeWhenLeft(
  { clock, onWait }: MoveOptions,
  source: PostgresConnection,
  tag: string,
  copy: () => Promise<unknown>,
): Promise<void> {
  let hasCopied = false;
  while (!(await closed(source, tag))) {
    if (!hasCopied) {
      await copy();
      onWait();
    }
    hasCopied = true;
    await sleep(clock, LOCK_EVERY_MS);
  }
}

// Under the lock that a gateway starts with: it is counted here, or finds the mark.
function closed(source: PostgresConnection, tag: string): Promise<boolean> {
  return source.transaction(TAKE_MIGRATION_LOCK, async (sql) => {
    if ((await othersAt(sql)) > 0) return false;
    await setMoving(sql, tag);
    return true;
  });
}

async function connected<T>(
  url: string,
  work: (connection: PostgresConnection) => Promise<T>,
): Promise<T> {
  const connection = new PostgresConnection({ url, name: 'move of a store', schema: SCHEMA });
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

function tagOf(dir: string): string {
  const db = openDatabase(storeFileOf(dir), { readOnly: true, busyMsMax: 5_000 });
  try {
    return String(db.prepare(`SELECT value FROM meta WHERE name = 'tag'`).get()?.value);
  } finally {
    db.close();
  }
}

async function othersAt(sql: PostgresSql): Promise<number> {
  const row = await sql.get(`SELECT count(*) AS n FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'sluice%'`);
  return Number(row!.n);
}

async function refuseOthers(sql: PostgresSql): Promise<void> {
  const others = await othersAt(sql);
  if (others === 0) return;
  throw new JournalOpenError(
    'locked',
    `gateways are at work on this database (${others} connections): stop them first`,
  );
}

async function refuseUsed(sql: PostgresConnection, tag: string, resume: boolean): Promise<void> {
  const moving = await sql.get('SELECT value FROM meta WHERE name = $1', MOVING);
  if (moving?.value === tag) {
    if (resume) return;
    throw new JournalOpenError(
      'exists',
      'a move into this database was begun before: go on with --resume, or name another database',
    );
  }
  for (const { name } of MOVED) {
    const row = await sql.get(`SELECT EXISTS (SELECT 1 FROM ${name}) AS used`);
    if (row!.used !== true) continue;
    throw new JournalOpenError(
      'exists',
      `the database already holds a store (there are ${name}): name an empty one`,
    );
  }
}

async function setMoving(sql: PostgresSql, tag: string | null): Promise<void> {
  if (tag === null) await sql.run('DELETE FROM meta WHERE name = $1', MOVING);
  else {
    const save = `INSERT INTO meta (name, value) VALUES ($1, $2)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
    await sql.run(save, MOVING, tag);
  }
}

// Killed after the store was set aside and before the database was opened: all of it is there.
async function endOfMove(dir: string, target: PostgresConnection): Promise<MovedCount[]> {
  const moving = await target.get('SELECT value FROM meta WHERE name = $1', MOVING);
  const aside = existsSync(dir) ? readdirSync(dir).filter((name) => name.includes(MOVED_MARK)) : [];
  if (moving === null || aside.length === 0) {
    throw new JournalOpenError('missing', `${dir} holds no store: name its data folder`);
  }
  await setMoving(target, null);
  return [];
}

// While its gateway is at work nearly everything is copied, and only what changes until it stops is left.
async function openStopped(
  options: MoveOptions,
  target: PostgresConnection,
): Promise<SqliteJournal> {
  const { dir, clock, onWait } = options;
  let hasCopied = false;
  for (;;) {
    try {
      return await openSqliteJournal({ dir });
    } catch (error) {
      if (!(error instanceof JournalOpenError) || error.code !== 'locked') throw error;
    }
    if (!hasCopied) {
      await copyOnce(options, target);
      onWait();
    }
    hasCopied = true;
    await sleep(clock, LOCK_EVERY_MS);
  }
}

async function copyOnce(
  { dir, progress }: MoveOptions,
  target: PostgresConnection,
): Promise<MovedCount[]> {
  const copy = join(dir, COPY_FILE);
  rmSync(copy, { force: true });
  await takeSnapshot(dir, copy);
  const source = openDatabase(copy, { readOnly: true, busyMsMax: 0 });
  try {
    // What an older program runs on is brought to its new form when it has stopped.
    if (schemaVersionOf(source) !== SCHEMA_VERSION) return [];
    return await copyToPostgres(source, target, progress);
  } finally {
    source.close();
    rmSync(copy, { force: true });
  }
}

// It still has its queue: a gateway that was started on it again would send everything twice.
function setStoreAside(dir: string, now: number): void {
  const store = storeFileOf(dir);
  const stamp = new Date(now).toISOString().replaceAll(/[-:]|\..*/g, '');
  const files = [logFileOf(store), markFileOf(dir), sumsFileOf(store), store];
  for (const file of files) {
    if (existsSync(file)) renameSync(file, `${file}${MOVED_MARK}${stamp}`);
  }
  rmSync(sharedFileOf(store), { force: true });
}
