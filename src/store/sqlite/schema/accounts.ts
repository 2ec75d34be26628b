// The schema of what belongs to an account, so that whoever owns it finds its own: streams and audiences name theirs,
// as broadcasts do. A stream whose record cannot be read is nobody's; an audience with a name is for any account, one
// that was made for a broadcast is of the broadcast's. The index by message served a look-up that nobody makes any
// more, and every settlement paid for it.

export const ACCOUNT_COLUMNS = `
ALTER TABLE streams ADD COLUMN account TEXT NOT NULL DEFAULT '';
UPDATE streams SET account = json_extract(record, '$.asked.account')
  WHERE json_valid(record) AND json_type(record, '$.asked.account') = 'text';
ALTER TABLE audiences ADD COLUMN account TEXT;
UPDATE audiences SET account = (SELECT account FROM broadcasts WHERE audience = audiences.id LIMIT 1)
  WHERE name IS NULL AND state = 'sealed';
DROP INDEX deliveries_message;
`;
