// The schema of an update's id as a text and of its order apart from it: both were one number.

export const UPDATES = `
DROP INDEX incoming_time, incoming_waiting, incoming_at;
ALTER TABLE incoming ADD COLUMN update_order bigint;
UPDATE incoming SET update_order = update_id;
ALTER TABLE incoming ALTER COLUMN update_order SET NOT NULL;
ALTER TABLE incoming ALTER COLUMN update_id TYPE TEXT USING update_id::text;
CREATE INDEX incoming_time ON incoming (account, at, update_order);
CREATE INDEX incoming_waiting ON incoming (account, update_order, update_id)
  WHERE state = 'waiting';
CREATE INDEX incoming_at ON incoming (at, update_order);
`;
