// The schema of the Postgres store, as forward migrations: each runs once, and is never edited after a release. They
// run under a lock that every node takes at its start, in one transaction, so that of nodes that start together one
// migrates and the others find it done. The functions are written anew whenever they differ.

import { hash } from 'node:crypto';
import type { PostgresConnection, PostgresSql } from '../../../system/databases/postgres.ts';
import { JournalOpenError } from '../../store-error.ts';
import { FUNCTIONS } from '../functions/run.ts';
import { BROADCASTS } from './broadcasts.ts';
import { BUDGETS } from './budgets.ts';
import { CALLS } from './calls.ts';
import { CHANGES } from './changes.ts';
import { DAYS } from './days.ts';
import { DELIVERIES } from './deliveries.ts';
import { FLEET, PROOFS } from './fleet.ts';
import { INGEST } from './ingest.ts';
import { MINUTES } from './minutes.ts';
import { REST } from './rest.ts';
import { SESSIONS } from './sessions.ts';
import { SPILLS } from './spills.ts';
import { STRAYS } from './strays.ts';
import { UPDATES } from './updates.ts';
import { UPLOADS } from './uploads.ts';

export const SCHEMA = 'sluice';
// 'SLUC': whoever migrates holds it.
const MIGRATION_LOCK = 0x534c5543;

// What an attempt waited for before it was begun (see domain/waited.ts); null: nothing, or it is not known.
const WAITED = 'ALTER TABLE attempts ADD COLUMN waited_for TEXT;';

export const MIGRATIONS: readonly string[] = [
  [DELIVERIES, REST, BROADCASTS, INGEST].map(byBytes).join('\n'),
  byBytes(MINUTES),
  byBytes(SESSIONS),
  byBytes(FLEET),
  [SPILLS, UPLOADS].map(byBytes).join('\n'),
  byBytes(DAYS),
  byBytes(BUDGETS),
  byBytes(UPDATES),
  byBytes(WAITED),
  byBytes(PROOFS),
  byBytes(STRAYS),
  byBytes(CALLS),
  byBytes(CHANGES),
];
export const SCHEMA_VERSION = MIGRATIONS.length;

export const TAKE_MIGRATION_LOCK = `SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;

const PREPARE = `${TAKE_MIGRATION_LOCK};
  CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.meta (name text PRIMARY KEY, value text NOT NULL)`;

// By the server's clock, so that all nodes mean the same day.
export const MAKE_DAYS = 'SELECT make_days(day_of(extract(epoch FROM now()) * 1000)) AS made';

// A store's tag is drawn by the server when the store is made; see domain/ids.ts.
const TAG_LENGTH = 5;
const MAKE_TAG = `INSERT INTO meta SELECT 'tag', string_agg(
    substr('0123456789abcdefghijklmnopqrstuvwxyz', 1 + floor(random() * 36)::int, 1), '')
  FROM generate_series(1, ${TAG_LENGTH})`;

const SAVE = `INSERT INTO meta (name, value) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

// Texts are compared by their bytes, as everywhere in Sluice.
function byBytes(ddl: string): string {
  return ddl.replaceAll(/\bTEXT\b/g, 'text COLLATE "C"');
}

// In `meta` while a store is being moved into the database, and after one was moved out of it: its tag.
export const MOVING = 'moving';

// The store's tag. `isMoving`: whoever asks moves a store, and may open what others may not.
export async function migrate(connection: PostgresConnection, isMoving = false): Promise<string> {
  return connection.transaction(PREPARE, async (sql) => {
    await checkEncoding(sql);
    const rows = await sql.all('SELECT name, value FROM meta');
    const meta = new Map(rows.map(({ name, value }) => [String(name), String(value)]));
    const version = Number(meta.get('version') ?? 0);
    if (version > SCHEMA_VERSION) throw newerSchema(version);
    if (meta.has(MOVING) && !isMoving) throw moving(meta.get(MOVING)!);
    for (const migration of MIGRATIONS.slice(version)) await sql.script(migration);
    if (version === 0) await sql.run(MAKE_TAG);
    const functions = hash('sha256', FUNCTIONS);
    if (meta.get('functions') !== functions) await sql.script(FUNCTIONS);
    await sql.all(MAKE_DAYS);
    await sql.run(SAVE, 'version', String(SCHEMA_VERSION));
    await sql.run(SAVE, 'functions', functions);
    return String((await sql.get(`SELECT value FROM meta WHERE name = 'tag'`))?.value);
  });
}

async function checkEncoding(sql: PostgresSql): Promise<void> {
  const row = await sql.get(`SELECT current_setting('server_encoding') AS encoding`);
  if (row?.encoding === 'UTF8') return;
  throw new JournalOpenError(
    'not_a_store',
    `the database is encoded as ${row?.encoding}: name one that was created with ENCODING 'UTF8'`,
  );
}

function newerSchema(version: number): JournalOpenError {
  return new JournalOpenError(
    'newer_schema',
    `the store was written by a newer Sluice (schema ${version}, this program knows ` +
      `${SCHEMA_VERSION}): run that version, or restore a backup made before the upgrade`,
  );
}

function moving(tag: string): JournalOpenError {
  return new JournalOpenError(
    'locked',
    `the store ${tag} is being moved into this database, or was moved out of it: finish with ` +
      'sluice migrate --resume, or start the gateway where the store is',
  );
}
