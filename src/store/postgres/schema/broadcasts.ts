// The schema of broadcasts: who, what, and what became of each. Rows are narrow, because a broadcast may have millions
// of recipients; each is written when it is added, when it is fed, and when it comes to its end.

export const BROADCASTS = `
-- Numbers are never given twice: they stand in the keys of deliveries.
CREATE TABLE audiences (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account TEXT,
  name TEXT,
  state TEXT NOT NULL CHECK (state = 'open' OR state = 'sealed' OR state = 'dropped'),
  count bigint NOT NULL CHECK (count >= 0),
  fields TEXT NOT NULL,
  created_at float8 NOT NULL
);
CREATE INDEX audiences_state ON audiences (state, id);
CREATE UNIQUE INDEX audiences_name ON audiences (name) WHERE name IS NOT NULL AND state = 'sealed';

CREATE TABLE members (
  audience bigint NOT NULL,
  n bigint NOT NULL,
  chat TEXT NOT NULL,
  fields TEXT NOT NULL,
  PRIMARY KEY (audience, n)
);

CREATE TABLE broadcasts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account TEXT NOT NULL,
  platform TEXT NOT NULL,
  audience bigint NOT NULL,
  name TEXT,
  correlation TEXT,
  method TEXT NOT NULL,
  body TEXT NOT NULL,
  priority bigint NOT NULL CHECK (priority BETWEEN 0 AND 3),
  not_before float8 NOT NULL,
  key TEXT,
  digest TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state = 'running' OR state = 'paused' OR state = 'cancelled'
    OR state = 'done'),
  total bigint NOT NULL,
  cursor bigint NOT NULL,
  queued bigint NOT NULL DEFAULT 0 CHECK (queued >= 0),
  sent bigint NOT NULL DEFAULT 0 CHECK (sent >= 0),
  dead bigint NOT NULL DEFAULT 0 CHECK (dead >= 0),
  skipped bigint NOT NULL DEFAULT 0 CHECK (skipped >= 0),
  cancelled bigint NOT NULL DEFAULT 0 CHECK (cancelled >= 0),
  uncertain bigint NOT NULL DEFAULT 0 CHECK (uncertain >= 0),
  created_at float8 NOT NULL,
  ended_at float8
);
CREATE UNIQUE INDEX broadcasts_key ON broadcasts (account, key) WHERE key IS NOT NULL;
CREATE INDEX broadcasts_audience ON broadcasts (audience);
CREATE INDEX broadcasts_live ON broadcasts (id) WHERE ended_at IS NULL;
CREATE INDEX broadcasts_unfinished ON broadcasts (id) WHERE ended_at IS NULL OR queued > 0;
CREATE INDEX broadcasts_ended ON broadcasts (ended_at) WHERE ended_at IS NOT NULL;

-- Who has no row was never fed.
CREATE TABLE outcomes (
  broadcast bigint NOT NULL,
  n bigint NOT NULL,
  seq bigint,
  state TEXT NOT NULL CHECK (state = 'pending' OR state = 'queued' OR state = 'sent'
    OR state = 'dead' OR state = 'skipped' OR state = 'cancelled' OR state = 'uncertain'),
  reason TEXT,
  at float8 NOT NULL,
  PRIMARY KEY (broadcast, n)
);
CREATE INDEX outcomes_state ON outcomes (broadcast, state, n);
CREATE UNIQUE INDEX outcomes_seq ON outcomes (seq) WHERE seq IS NOT NULL;

-- Chats that refuse an account, and when they last did.
CREATE TABLE blocked (
  account TEXT NOT NULL,
  chat TEXT NOT NULL,
  reason TEXT NOT NULL,
  at float8 NOT NULL,
  PRIMARY KEY (account, chat)
);
`;
