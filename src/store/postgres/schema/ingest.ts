// The schema of ingest: channels that are read, how far, and their posts. Ids of posts are 63-bit integers; they cross
// as decimal digits, because not all of them fit into a number.

export const INGEST = `
-- Numbers are never given twice: posts and callers name them.
CREATE TABLE ingest_sources (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  reader_kind TEXT NOT NULL,
  name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state = 'active' OR state = 'paused' OR state = 'dead'
    OR state = 'removed'),
  settings TEXT NOT NULL,
  progress TEXT NOT NULL,
  revision bigint NOT NULL CHECK (revision >= 0),
  created_at float8 NOT NULL
);
CREATE UNIQUE INDEX ingest_sources_name ON ingest_sources (reader_kind, name);

-- In the order they were stored, which is a cursor: numbers are never given twice.
CREATE TABLE ingest_posts (
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source bigint NOT NULL,
  id bigint NOT NULL,
  date float8 NOT NULL,
  edited_at float8,
  deleted_at float8,
  stored_at float8 NOT NULL,
  versions bigint NOT NULL DEFAULT 0,
  text TEXT NOT NULL,
  author TEXT,
  group_id TEXT,
  media TEXT NOT NULL,
  media_references TEXT NOT NULL
);
CREATE UNIQUE INDEX ingest_posts_id ON ingest_posts (source, id);

-- What a post was before it was edited or deleted.
CREATE TABLE ingest_versions (
  source bigint NOT NULL,
  id bigint NOT NULL,
  version bigint NOT NULL,
  until float8 NOT NULL,
  edited_at float8,
  deleted_at float8,
  text TEXT NOT NULL,
  author TEXT,
  group_id TEXT,
  media TEXT NOT NULL,
  PRIMARY KEY (source, id, version)
);

-- What a name means to a reader; asked for once.
CREATE TABLE ingest_channels (
  reader TEXT NOT NULL,
  name TEXT NOT NULL,
  channel TEXT NOT NULL,
  PRIMARY KEY (reader, name)
);

-- Until when a method of a reader must not be called.
CREATE TABLE ingest_waits (
  reader TEXT NOT NULL,
  method TEXT NOT NULL,
  until float8 NOT NULL,
  at float8 NOT NULL,
  PRIMARY KEY (reader, method)
);

-- Without a token: released.
CREATE TABLE ingest_leases (
  name TEXT PRIMARY KEY,
  token TEXT,
  node TEXT NOT NULL,
  epoch bigint NOT NULL CHECK (epoch >= 1),
  until float8 NOT NULL
);

-- Posts that were to be forwarded and are not yet.
CREATE TABLE ingest_forwards (
  source bigint NOT NULL,
  id bigint NOT NULL,
  PRIMARY KEY (source, id)
);

-- Accounts to read with; their sessions are sealed.
CREATE TABLE ingest_readers (
  reader_kind TEXT NOT NULL,
  account TEXT NOT NULL,
  name TEXT NOT NULL,
  sealed TEXT NOT NULL,
  created_at float8 NOT NULL,
  PRIMARY KEY (reader_kind, account)
);
`;
