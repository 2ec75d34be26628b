// The schema of ownership: who paces an account, and how often it has changed hands. No row: the embedded process, from
// the first. Without a node: nobody, and whoever comes next raises the epoch.

export const OWNERS = `
CREATE TABLE owners (
  account TEXT PRIMARY KEY,
  node TEXT,
  epoch INTEGER NOT NULL CHECK (epoch >= 1)
) STRICT, WITHOUT ROWID;
`;
