// The schema of broadcasts: who, what, and what became of each. Rows are narrow, because a broadcast may have millions
// of recipients; each is written when it is added, when it is fed, and when it comes to its end.

export const BROADCASTS = `
-- Numbers are never given twice: they stand in the keys of deliveries.
CREATE TABLE audiences (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT,
  state TEXT NOT NULL CHECK (state = 'open' OR state = 'sealed' OR state = 'dropped'),
  count INTEGER NOT NULL CHECK (count >= 0),
  fields TEXT NOT NULL,
  created_at REAL NOT NULL
) STRICT;
CREATE INDEX audiences_state ON audiences (state, id);
CREATE UNIQUE INDEX audiences_name ON audiences (name) WHERE name IS NOT NULL AND state = 'sealed';

CREATE TABLE members (
  audience INTEGER NOT NULL,
  n INTEGER NOT NULL,
  chat TEXT NOT NULL,
  fields TEXT NOT NULL,
  PRIMARY KEY (audience, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE broadcasts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account TEXT NOT NULL,
  platform TEXT NOT NULL,
  audience INTEGER NOT NULL,
  name TEXT,
  correlation TEXT,
  method TEXT NOT NULL,
  body TEXT NOT NULL,
  priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 3),
  not_before REAL NOT NULL,
  key TEXT,
  digest TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state = 'running' OR state = 'paused' OR state = 'cancelled'
    OR state = 'done'),
  total INTEGER NOT NULL,
  cursor INTEGER NOT NULL,
  queued INTEGER NOT NULL DEFAULT 0 CHECK (queued >= 0),
  sent INTEGER NOT NULL DEFAULT 0 CHECK (sent >= 0),
  dead INTEGER NOT NULL DEFAULT 0 CHECK (dead >= 0),
  skipped INTEGER NOT NULL DEFAULT 0 CHECK (skipped >= 0),
  cancelled INTEGER NOT NULL DEFAULT 0 CHECK (cancelled >= 0),
  uncertain INTEGER NOT NULL DEFAULT 0 CHECK (uncertain >= 0),
  created_at REAL NOT NULL,
  ended_at REAL
) STRICT;
CREATE UNIQUE INDEX broadcasts_key ON broadcasts (account, key) WHERE key IS NOT NULL;
CREATE INDEX broadcasts_audience ON broadcasts (audience);
CREATE INDEX broadcasts_live ON broadcasts (id) WHERE ended_at IS NULL;
CREATE INDEX broadcasts_unfinished ON broadcasts (id) WHERE ended_at IS NULL OR queued > 0;
CREATE INDEX broadcasts_ended ON broadcasts (ended_at) WHERE ended_at IS NOT NULL;

-- Who has no row was never fed.
CREATE TABLE outcomes (
  broadcast INTEGER NOT NULL,
  n INTEGER NOT NULL,
  seq INTEGER,
  state TEXT NOT NULL CHECK (state = 'pending' OR state = 'queued' OR state = 'sent'
    OR state = 'dead' OR state = 'skipped' OR state = 'cancelled' OR state = 'uncertain'),
  reason TEXT,
  at REAL NOT NULL,
  PRIMARY KEY (broadcast, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX outcomes_state ON outcomes (broadcast, state, n);
CREATE UNIQUE INDEX outcomes_seq ON outcomes (seq) WHERE seq IS NOT NULL;

-- Chats that refuse an account, and when they last did.
CREATE TABLE blocked (
  account TEXT NOT NULL,
  chat TEXT NOT NULL,
  reason TEXT NOT NULL,
  at REAL NOT NULL,
  PRIMARY KEY (account, chat)
) STRICT, WITHOUT ROWID;
`;
