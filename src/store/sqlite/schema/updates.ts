// The schema of an update's id as a text, as its platform gives it, and of its order apart from it: both were one
// number. The engine changes no type of a column, so the table is written anew; it holds what came in a day.

export const UPDATES = `
CREATE TABLE incoming_anew (
  account TEXT NOT NULL,
  update_id TEXT NOT NULL,
  update_order INTEGER NOT NULL,
  at REAL NOT NULL,
  chat TEXT,
  message_id TEXT,
  voice TEXT NOT NULL CHECK (voice = 'none' OR voice = 'wrote' OR voice = 'addressed'),
  state TEXT NOT NULL CHECK (state = 'seen' OR state = 'waiting' OR state = 'done'),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  due_at REAL NOT NULL DEFAULT 0,
  body TEXT NOT NULL
) STRICT;
INSERT INTO incoming_anew
  SELECT account, update_id, update_id, at, chat, message_id, voice, state, attempts, due_at, body
  FROM incoming ORDER BY rowid;
DROP TABLE incoming;
ALTER TABLE incoming_anew RENAME TO incoming;
CREATE UNIQUE INDEX incoming_update ON incoming (account, update_id);
CREATE INDEX incoming_time ON incoming (account, at, chat);
CREATE INDEX incoming_waiting ON incoming (account, update_order, update_id)
  WHERE state = 'waiting';
CREATE INDEX incoming_at ON incoming (at);
`;
