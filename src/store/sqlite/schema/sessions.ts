// The schema of who is logged in to the page.

export const SESSIONS = `
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  key TEXT,
  proof TEXT NOT NULL,
  expires_at REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_expiry ON sessions (expires_at);
`;
