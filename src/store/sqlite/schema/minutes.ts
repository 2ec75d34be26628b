// The schema of what happened in each minute: a row for each of the busiest accounts, one for all, of each process.

export const MINUTES = `
CREATE TABLE minutes (
  account TEXT NOT NULL,
  minute INTEGER NOT NULL,
  node TEXT NOT NULL,
  sent INTEGER NOT NULL CHECK (sent >= 0),
  failed INTEGER NOT NULL CHECK (failed >= 0),
  dead INTEGER NOT NULL CHECK (dead >= 0),
  waits TEXT NOT NULL,
  PRIMARY KEY (account, minute, node)
) STRICT, WITHOUT ROWID;
CREATE INDEX minutes_minute ON minutes (minute);
`;
