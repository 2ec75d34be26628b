// The schema of what happened in each minute: a row for each of the busiest accounts, one for all, of each process.

export const MINUTES = `
CREATE TABLE minutes (
  account TEXT NOT NULL,
  minute integer NOT NULL,
  node TEXT NOT NULL,
  sent bigint NOT NULL CHECK (sent >= 0),
  failed bigint NOT NULL CHECK (failed >= 0),
  dead bigint NOT NULL CHECK (dead >= 0),
  waits jsonb NOT NULL,
  PRIMARY KEY (account, minute, node)
);
CREATE INDEX minutes_minute ON minutes (minute);
`;
