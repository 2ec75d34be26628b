// The schema of what nodes accepted while the database was away; see store/spill/.

export const SPILLS = `
-- How far each spill is handed over. Written with what is handed over, so that nothing is taken twice.
CREATE TABLE spills (
  id TEXT PRIMARY KEY,
  handed bigint NOT NULL CHECK (handed >= 0)
) WITH (fillfactor = 50);

-- What a node that does not own its account has handed over; whoever owns it takes it up.
CREATE TABLE strays (
  seq bigint PRIMARY KEY,
  account TEXT NOT NULL
);
CREATE INDEX strays_account ON strays (account, seq);

-- Answers are read at most once: packing them costs more than it saves.
ALTER TABLE writers ALTER COLUMN answers SET STORAGE EXTERNAL;
`;
