// The schema of coordination between nodes (cluster/postgres.ts). Nothing in it is part of the durable truth: emptied,
// it fills again within seconds. Times are the server's own.

export const FLEET = `
CREATE TABLE nodes (
  incarnation TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  started_at float8 NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('ready', 'leaving', 'cut_off')),
  without_redis boolean NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE fleet_leases (
  name TEXT PRIMARY KEY,
  token TEXT NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);
`;

// That who wrote the row knows the secret of the fleet.
export const PROOFS = `ALTER TABLE nodes ADD COLUMN proof TEXT NOT NULL DEFAULT '';`;
