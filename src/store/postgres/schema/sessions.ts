// The schema of who is logged in to the page.

export const SESSIONS = `
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  key TEXT,
  proof TEXT NOT NULL,
  expires_at float8 NOT NULL
);
CREATE INDEX sessions_expiry ON sessions (expires_at);
`;
