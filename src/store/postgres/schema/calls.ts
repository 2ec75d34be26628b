// The schema of what take-overs read. Of an attempt, its account: its calls of late are read, and none of others. It is
// that of the delivery; null: of a delivery that was removed before. And accounts by who owns them: every node looks
// every few seconds for those of nodes that are gone.

export const CALLS = `
ALTER TABLE attempts ADD COLUMN account TEXT;
UPDATE attempts a SET account = d.account FROM deliveries d
  WHERE d.seq = a.seq AND a.day = day_of(d.accepted_at);
DROP INDEX attempts_started;
-- Nodes have clocks of their own: the order of beginning does not tell which are of late.
CREATE INDEX attempts_account ON attempts (account, started_at);
CREATE INDEX owners_node ON owners (node, account);
`;
