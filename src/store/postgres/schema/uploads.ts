// The schema of uploaded files of a fleet; see spool/fleet.ts.

export const UPLOADS = `
-- By the digest of the content. One that is not whole is being written, or was left behind.
CREATE TABLE uploads (
  id TEXT PRIMARY KEY,
  size bigint NOT NULL CHECK (size >= 0),
  is_whole boolean NOT NULL,
  touched_at timestamptz NOT NULL
);
CREATE TABLE upload_chunks (
  id TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
  n integer NOT NULL CHECK (n >= 0),
  bytes bytea NOT NULL,
  PRIMARY KEY (id, n)
);
-- Of what does not get smaller when it is packed.
ALTER TABLE upload_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
`;
