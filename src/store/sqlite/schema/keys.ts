// The schema of who may do what, and of what was done. Keys are kept by their hash; the table of the first version was
// never written to.

export const KEYS = `
DROP TABLE api_keys;
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind = 'key' OR kind = 'virtual'),
  token_hash TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role = 'viewer' OR role = 'sender' OR role = 'operator'
    OR role = 'admin'),
  scope TEXT NOT NULL,
  active INTEGER NOT NULL CHECK (active BETWEEN 0 AND 1),
  expires_at REAL NOT NULL,
  created_at REAL NOT NULL,
  used_at REAL
) STRICT, WITHOUT ROWID;
-- Keeps one token from being stored twice alike. No statement is led by it: keys are found and checked in memory.
CREATE UNIQUE INDEX api_keys_valid ON api_keys (token_hash, active, expires_at);
CREATE INDEX api_keys_expiry ON api_keys (expires_at, id);

-- Numbers are never given twice: they are cursors.
CREATE TABLE audit (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  at REAL NOT NULL,
  by TEXT NOT NULL,
  key TEXT,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  result TEXT NOT NULL
) STRICT;
CREATE INDEX audit_at ON audit (at, n);
`;
