// The schema of updates that came in, streams, keys and what was done.

export const REST = `
CREATE TABLE incoming (
  account TEXT NOT NULL,
  update_id bigint NOT NULL,
  at float8 NOT NULL,
  chat TEXT,
  message_id TEXT,
  voice TEXT NOT NULL CHECK (voice IN ('none', 'wrote', 'addressed')),
  state TEXT NOT NULL CHECK (state IN ('seen', 'waiting', 'done')),
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  due_at float8 NOT NULL DEFAULT 0,
  body TEXT NOT NULL,
  PRIMARY KEY (account, update_id)
);
CREATE INDEX incoming_time ON incoming (account, at, update_id);
CREATE INDEX incoming_waiting ON incoming (account, update_id) WHERE state = 'waiting';
CREATE INDEX incoming_at ON incoming (at, update_id);

-- Texts that grow, until they are final; what else is known of one is the streams' to read.
CREATE TABLE streams (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  ended_at float8,
  text TEXT NOT NULL,
  record TEXT NOT NULL
);
CREATE INDEX streams_open ON streams (id) WHERE ended_at IS NULL;
CREATE INDEX streams_ended ON streams (ended_at, id) WHERE ended_at IS NOT NULL;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('key', 'virtual')),
  token_hash TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('viewer', 'sender', 'operator', 'admin')),
  scope TEXT NOT NULL,
  active boolean NOT NULL,
  expires_at float8 NOT NULL,
  created_at float8 NOT NULL,
  used_at float8
);
-- Keeps one token from being stored twice alike. No statement is led by it: keys are found and checked in memory.
CREATE UNIQUE INDEX api_keys_valid ON api_keys (token_hash, active, expires_at);
CREATE INDEX api_keys_expiry ON api_keys (expires_at, id);

-- Numbers are never given twice: they are cursors.
CREATE TABLE audit (
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at float8 NOT NULL,
  by TEXT NOT NULL,
  key TEXT,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  result TEXT NOT NULL
);
CREATE INDEX audit_at ON audit (at, n);
`;
