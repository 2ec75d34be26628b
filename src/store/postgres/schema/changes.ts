// The schema of how often what all nodes keep in memory was changed: a node reads it again only then. Counted in the
// transaction of the change, by triggers, so that no writer forgets it. When a key was last used is no change.

const COUNTED = (topic: string, table: string, event: string) =>
  `CREATE TRIGGER ${table}_${event.split(' ')[0]!.toLowerCase()} AFTER ${event} ON ${table}
  FOR EACH STATEMENT EXECUTE FUNCTION note_change('${topic}');`;

const KEY = 'kind, token_hash, name, role, scope, active, expires_at';

export const CHANGES = `
CREATE TABLE changes (
  topic TEXT PRIMARY KEY,
  no bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO changes (topic, no) VALUES ('accounts', 1), ('keys', 1);
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE changes SET no = no + 1 WHERE topic = TG_ARGV[0];
  RETURN NULL;
END $$;
${['INSERT', 'UPDATE', 'DELETE'].map((event) => COUNTED('accounts', 'accounts', event)).join('\n')}
${['INSERT', `UPDATE OF ${KEY}`, 'DELETE'].map((event) => COUNTED('keys', 'api_keys', event)).join('\n')}
${['INSERT', 'UPDATE', 'DELETE'].map((event) => COUNTED('keys', 'sessions', event)).join('\n')}
`;
