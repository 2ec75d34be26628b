// The schema of ingest: channels that are read, how far, and their posts. Ids of posts are 63-bit integers; they cross
// as decimal digits, because not all of them fit into a number.

export const INGEST = `
-- Numbers are never given twice: posts and callers name them.
CREATE TABLE ingest_sources (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  reader_kind TEXT NOT NULL,
  name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state = 'active' OR state = 'paused' OR state = 'dead'
    OR state = 'removed'),
  settings TEXT NOT NULL,
  progress TEXT NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 0),
  created_at REAL NOT NULL
) STRICT;
CREATE UNIQUE INDEX ingest_sources_name ON ingest_sources (reader_kind, name);

-- In the order they were stored, which is a cursor: numbers are never given twice.
CREATE TABLE ingest_posts (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  source INTEGER NOT NULL,
  id INTEGER NOT NULL,
  date REAL NOT NULL,
  edited_at REAL,
  deleted_at REAL,
  stored_at REAL NOT NULL,
  versions INTEGER NOT NULL DEFAULT 0,
  text TEXT NOT NULL,
  author TEXT,
  group_id TEXT,
  media TEXT NOT NULL,
  media_references TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX ingest_posts_id ON ingest_posts (source, id);

-- What a post was before it was edited or deleted.
CREATE TABLE ingest_versions (
  source INTEGER NOT NULL,
  id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  until REAL NOT NULL,
  edited_at REAL,
  deleted_at REAL,
  text TEXT NOT NULL,
  author TEXT,
  group_id TEXT,
  media TEXT NOT NULL,
  PRIMARY KEY (source, id, version)
) STRICT, WITHOUT ROWID;

-- What a name means to a reader; asked for once.
CREATE TABLE ingest_channels (
  reader TEXT NOT NULL,
  name TEXT NOT NULL,
  channel TEXT NOT NULL,
  PRIMARY KEY (reader, name)
) STRICT, WITHOUT ROWID;

-- Until when a method of a reader must not be called.
CREATE TABLE ingest_waits (
  reader TEXT NOT NULL,
  method TEXT NOT NULL,
  until REAL NOT NULL,
  at REAL NOT NULL,
  PRIMARY KEY (reader, method)
) STRICT, WITHOUT ROWID;

-- Without a token: released.
CREATE TABLE ingest_leases (
  name TEXT PRIMARY KEY,
  token TEXT,
  node TEXT NOT NULL,
  epoch INTEGER NOT NULL CHECK (epoch >= 1),
  until REAL NOT NULL
) STRICT, WITHOUT ROWID;
`;

export const INGEST_FORWARDS = `
-- Posts that were to be forwarded and are not yet.
CREATE TABLE ingest_forwards (
  source INTEGER NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (source, id)
) STRICT, WITHOUT ROWID;

-- Accounts to read with; their sessions are sealed.
CREATE TABLE ingest_readers (
  reader_kind TEXT NOT NULL,
  account TEXT NOT NULL,
  name TEXT NOT NULL,
  sealed TEXT NOT NULL,
  created_at REAL NOT NULL,
  PRIMARY KEY (reader_kind, account)
) STRICT, WITHOUT ROWID;
`;
