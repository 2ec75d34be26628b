// The schema of the SQLite store, as forward migrations: each runs once, in one transaction, and is
// never edited after a release. Three things are deliberate. The payload is the last column of its
// delivery, so that accepting writes one row and reading the others stops before it; answers live
// apart, because a row that grows when it settles would split its page. Accepting a plain message
// maintains one index; the rest are partial. CHECKs are chains of `=`: a list after IN is rebuilt on every insert and
// costs more than the insert.

import type { Database } from '../../../system/databases/sqlite.ts';
import { JournalOpenError } from '../../store-error.ts';
import { ACCOUNT_COLUMNS } from './accounts.ts';
import { BROADCASTS } from './broadcasts.ts';
import { BUDGETS } from './budgets.ts';
import { INGEST, INGEST_FORWARDS } from './ingest.ts';
import { KEYS } from './keys.ts';
import { MINUTES } from './minutes.ts';
import { OWNERS } from './owners.ts';
import { SESSIONS } from './sessions.ts';
import { UPDATES } from './updates.ts';

// 'SLUC': tells a store of ours from any other SQLite file.
export const APPLICATION_ID = 0x534c5543;

const FIRST = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;

CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  platform TEXT NOT NULL,
  chat TEXT NOT NULL,
  thread TEXT,
  session TEXT,
  user TEXT,
  correlation TEXT,
  method TEXT NOT NULL,
  family TEXT NOT NULL CHECK (family = 'send' OR family = 'edit' OR family = 'delete'
    OR family = 'reaction' OR family = 'typing' OR family = 'draft' OR family = 'free'),
  gate TEXT NOT NULL CHECK (gate = 'broadcast' OR gate = 'reply' OR gate = 'paid' OR gate = 'open'),
  priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 3),
  cost REAL NOT NULL CHECK (cost >= 0),
  live INTEGER NOT NULL CHECK (live BETWEEN 0 AND 1),
  final INTEGER NOT NULL CHECK (final BETWEEN 0 AND 1),
  slot TEXT,
  enter_at REAL NOT NULL,
  rank INTEGER NOT NULL,
  due_at REAL NOT NULL,
  expires_at REAL NOT NULL,
  accepted_at REAL NOT NULL,
  idempotency_key TEXT,
  state TEXT NOT NULL DEFAULT 'queued' CHECK (state = 'queued' OR state = 'sending'
    OR state = 'sent' OR state = 'uncertain' OR state = 'dead' OR state = 'superseded'
    OR state = 'expired' OR state = 'cancelled'),
  settled_at REAL,
  reason TEXT,
  detail TEXT,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
  doubts INTEGER NOT NULL DEFAULT 0 CHECK (doubts >= 0),
  cures TEXT,
  message_id TEXT,
  superseded_by INTEGER,
  -- null: retention has removed it.
  body TEXT,
  CHECK ((state = 'queued' OR state = 'sending') = (settled_at IS NULL)),
  CHECK ((state = 'superseded') = (superseded_by IS NOT NULL))
) STRICT;

CREATE INDEX deliveries_live ON deliveries (seq) WHERE settled_at IS NULL;
-- What retention removes, oldest first; dead letters are kept longer, so they wait apart.
CREATE INDEX deliveries_ended ON deliveries (settled_at)
  WHERE settled_at IS NOT NULL AND state <> 'dead' AND state <> 'uncertain';
CREATE INDEX deliveries_stuck_ended ON deliveries (settled_at)
  WHERE state = 'dead' OR state = 'uncertain';
CREATE INDEX deliveries_ended_chat ON deliveries (chat) WHERE settled_at IS NOT NULL;
CREATE INDEX deliveries_stuck ON deliveries (state, seq)
  WHERE state = 'dead' OR state = 'uncertain';
CREATE INDEX deliveries_session ON deliveries (session) WHERE session IS NOT NULL;
CREATE INDEX deliveries_correlation ON deliveries (correlation) WHERE correlation IS NOT NULL;
-- Message look-up (chat, message) and reply look-up (chat, account, message) in one.
-- The message comes first: platforms count them upwards, so entries land side by side
-- instead of all over the index.
CREATE INDEX deliveries_message ON deliveries (message_id, chat, account)
  WHERE message_id IS NOT NULL;
-- At most one of a slot waits.
CREATE UNIQUE INDEX deliveries_slot ON deliveries (account, slot)
  WHERE slot IS NOT NULL AND state = 'queued';

CREATE TABLE results (seq INTEGER PRIMARY KEY, result TEXT NOT NULL) STRICT;

-- In order of beginning.
CREATE TABLE attempts (
  no INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  n INTEGER NOT NULL CHECK (n >= 1),
  -- Where it went, if a cure sent the delivery elsewhere since; null: where the delivery goes.
  chat TEXT,
  started_at REAL NOT NULL,
  ended_at REAL,
  outcome TEXT CHECK (outcome = 'sent' OR outcome = 'limited' OR outcome = 'refused'
    OR outcome = 'failed' OR outcome = 'uncertain'),
  reason TEXT,
  detail TEXT,
  retry_after_ms REAL
) STRICT;
CREATE INDEX attempts_seq ON attempts (seq);

CREATE TABLE history (
  no INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  at REAL NOT NULL,
  from_state TEXT NOT NULL,
  to_state TEXT NOT NULL,
  reason TEXT NOT NULL,
  by TEXT NOT NULL
) STRICT;
CREATE INDEX history_seq ON history (seq);

-- How many deliveries each account has in each state, kept in the transaction of every move.
CREATE TABLE tallies (
  account TEXT NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (account, state)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  seq INTEGER NOT NULL,
  digest TEXT NOT NULL,
  expires_at REAL NOT NULL,
  PRIMARY KEY (account, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE limits (
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  updated_at REAL NOT NULL,
  PRIMARY KEY (account, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  platform TEXT NOT NULL,
  sealed TEXT NOT NULL,
  paused INTEGER NOT NULL CHECK (paused BETWEEN 0 AND 1),
  refused TEXT,
  created_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- Updates seen on their way in.
CREATE TABLE incoming (
  account TEXT NOT NULL,
  update_id INTEGER NOT NULL,
  at REAL NOT NULL,
  chat TEXT,
  message_id TEXT,
  body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX incoming_update ON incoming (account, update_id);
CREATE INDEX incoming_time ON incoming (account, at, chat);

CREATE TABLE api_keys (
  token_hash TEXT NOT NULL,
  active INTEGER NOT NULL CHECK (active BETWEEN 0 AND 1),
  expires_at REAL NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at REAL NOT NULL
) STRICT;
CREATE UNIQUE INDEX api_keys_valid ON api_keys (token_hash, active, expires_at);
`;

// What comes in is handed on to the app: who spoke, and whether it still waits.
const INCOMING = `
ALTER TABLE incoming ADD COLUMN voice TEXT NOT NULL DEFAULT 'none'
  CHECK (voice = 'none' OR voice = 'wrote' OR voice = 'addressed');
ALTER TABLE incoming ADD COLUMN state TEXT NOT NULL DEFAULT 'seen'
  CHECK (state = 'seen' OR state = 'waiting' OR state = 'done');
ALTER TABLE incoming ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0);
ALTER TABLE incoming ADD COLUMN due_at REAL NOT NULL DEFAULT 0;
CREATE INDEX incoming_waiting ON incoming (account, update_id) WHERE state = 'waiting';
CREATE INDEX incoming_at ON incoming (at);
`;

// Which files of the spool belong to which delivery.
const SPOOLED = `
CREATE TABLE spooled (
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (seq, id)
) STRICT, WITHOUT ROWID;
`;

// Texts that grow, until they are final; what else is known of one is the streams' to read.
const STREAMS = `
CREATE TABLE streams (
  id TEXT PRIMARY KEY,
  ended_at REAL,
  text TEXT NOT NULL,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX streams_open ON streams (id) WHERE ended_at IS NULL;
CREATE INDEX streams_ended ON streams (ended_at, id) WHERE ended_at IS NOT NULL;
`;

// Who holds the line for a delivery (see callers.ts), what was asked once a cure has changed it, what it may repeat.
const CALLERS = `
ALTER TABLE deliveries ADD COLUMN held INTEGER NOT NULL DEFAULT 0 CHECK (held BETWEEN 0 AND 2);
ALTER TABLE deliveries ADD COLUMN print TEXT;
ALTER TABLE deliveries ADD COLUMN repeats INTEGER;
CREATE INDEX deliveries_held ON deliveries (seq) WHERE held = 1;
`;

// Over what a delivery says and where it goes (see system/row-check.ts); null: written before there were checks.
const ROW_CHECKS = `
ALTER TABLE deliveries ADD COLUMN row_check INTEGER;
`;

// Which delivery made that message? Platforms count messages upwards, so entries land side by side.
const MESSAGE_INDEX = `
CREATE INDEX deliveries_message ON deliveries (message_id) WHERE message_id IS NOT NULL;
`;

// What observers got of a message: few have any.
const COPIES = `
CREATE TABLE copies (
  seq INTEGER PRIMARY KEY,
  origin INTEGER NOT NULL
) STRICT;
CREATE INDEX copies_origin ON copies (origin);
`;

// What an attempt waited for before it was begun (see domain/waited.ts); null: nothing, or it is not known.
const WAITED = `
ALTER TABLE attempts ADD COLUMN waited_for TEXT;
`;

const MIGRATIONS: readonly string[] = [
  FIRST,
  INCOMING,
  SPOOLED,
  STREAMS,
  BROADCASTS,
  KEYS,
  CALLERS,
  ROW_CHECKS,
  OWNERS,
  ACCOUNT_COLUMNS,
  MESSAGE_INDEX,
  COPIES,
  INGEST,
  INGEST_FORWARDS,
  MINUTES,
  SESSIONS,
  BUDGETS,
  UPDATES,
  WAITED,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

// A store's tag is drawn by the engine when the store is made; see domain/ids.ts.
const TAG_LENGTH = 5;
const TAG_LETTER = `substr('0123456789abcdefghijklmnopqrstuvwxyz', 1 + abs(random() % 36), 1)`;
const MAKE_TAG = `INSERT INTO meta VALUES
  ('tag', ${Array(TAG_LENGTH).fill(TAG_LETTER).join(' || ')}), ('seq_last', 0)`;

export function migrate(db: Database): void {
  const version = schemaVersionOf(db);
  if (version === SCHEMA_VERSION) return;
  // Only a migration may change the text of the schema. Where there is no such switch anyone may.
  db.enableDefensive?.(false);
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const migration of MIGRATIONS.slice(version)) db.exec(migration);
    if (version === 0) db.exec(MAKE_TAG);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  } finally {
    db.enableDefensive?.(true);
  }
}

// 0: an empty file. Refuses what is not a store, or is one that only a newer program can read.
export function schemaVersionOf(db: Database): number {
  const pragma = (name: string) => Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
  const version = pragma('user_version');
  const tables = Number(db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n);
  if (tables === 0 && version === 0) return 0;
  if (pragma('application_id') !== APPLICATION_ID) {
    throw new JournalOpenError(
      'not_a_store',
      'the file is an SQLite database, but not a store of Sluice: name another data folder',
    );
  }
  if (version > SCHEMA_VERSION) {
    throw new JournalOpenError(
      'newer_schema',
      `the store was written by a newer Sluice (schema ${version}, this program knows ` +
        `${SCHEMA_VERSION}): run that version, or restore a snapshot made before the upgrade`,
    );
  }
  return version;
}
