// The schema of deliveries and of all that is written with them. Texts are compared byte by byte, as everywhere in
// Sluice, whatever the database's own language. How many deliveries an account has in each state is counted by
// triggers, once per statement: whoever changes a state cannot forget to count it.

const TALLY = (name: string, changes: string) => `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tallies AS t (account, state, count)
    SELECT account, state, sum(change) FROM (${changes}) c
    GROUP BY account, state HAVING sum(change) <> 0 ORDER BY account, state
    ON CONFLICT (account, state) DO UPDATE SET count = t.count + excluded.count;
  RETURN NULL;
END $$;`;

const ADDED = 'SELECT account, state, 1 AS change FROM added';
const REMOVED = 'SELECT account, state, -1 AS change FROM removed';

export const DELIVERIES = `
CREATE TABLE deliveries (
  seq bigint PRIMARY KEY,
  account TEXT NOT NULL,
  platform TEXT NOT NULL,
  chat TEXT NOT NULL,
  thread TEXT,
  session TEXT,
  user_id TEXT,
  correlation TEXT,
  method TEXT NOT NULL,
  family TEXT NOT NULL CHECK (family IN ('send', 'edit', 'delete', 'reaction', 'typing', 'draft', 'free')),
  gate TEXT NOT NULL CHECK (gate IN ('broadcast', 'reply', 'paid', 'open')),
  priority smallint NOT NULL CHECK (priority BETWEEN 0 AND 3),
  cost float8 NOT NULL CHECK (cost >= 0),
  live boolean NOT NULL,
  final boolean NOT NULL,
  slot TEXT,
  enter_at float8 NOT NULL,
  rank bigint NOT NULL,
  due_at float8 NOT NULL,
  expires_at float8 NOT NULL,
  accepted_at float8 NOT NULL,
  idempotency_key TEXT,
  state TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'uncertain', 'dead', 'superseded',
    'expired', 'cancelled')),
  settled_at float8,
  reason TEXT,
  detail TEXT,
  attempts integer NOT NULL CHECK (attempts >= 0),
  failures integer NOT NULL CHECK (failures >= 0),
  doubts integer NOT NULL CHECK (doubts >= 0),
  cures text[] NOT NULL,
  message_id TEXT,
  superseded_by bigint,
  -- Whether a caller holds the line, and by what its repeat is known; see ports/callers.ts.
  held smallint NOT NULL CHECK (held BETWEEN 0 AND 2),
  print TEXT,
  repeats bigint,
  -- Over what a delivery says and where it goes; see content_check.
  row_check uuid,
  -- null: retention has removed it.
  body TEXT,
  CHECK ((state IN ('queued', 'sending')) = (settled_at IS NULL)),
  CHECK ((state = 'superseded') = (superseded_by IS NOT NULL))
);
CREATE SEQUENCE delivery_seq;
CREATE INDEX deliveries_live ON deliveries (seq) WHERE settled_at IS NULL;
-- For whoever takes an account over.
CREATE INDEX deliveries_live_account ON deliveries (account, seq) WHERE settled_at IS NULL;
CREATE INDEX deliveries_ended ON deliveries (settled_at)
  WHERE settled_at IS NOT NULL AND state NOT IN ('dead', 'uncertain');
CREATE INDEX deliveries_stuck_ended ON deliveries (settled_at) WHERE state IN ('dead', 'uncertain');
CREATE INDEX deliveries_ended_chat ON deliveries (chat, seq) WHERE settled_at IS NOT NULL;
CREATE INDEX deliveries_stuck ON deliveries (state, seq) WHERE state IN ('dead', 'uncertain');
CREATE INDEX deliveries_session ON deliveries (session, seq) WHERE session IS NOT NULL;
CREATE INDEX deliveries_correlation ON deliveries (correlation, seq) WHERE correlation IS NOT NULL;
CREATE INDEX deliveries_message ON deliveries (message_id, seq) WHERE message_id IS NOT NULL;
CREATE INDEX deliveries_held ON deliveries (seq) WHERE held = 1;
-- At most one of a slot waits.
CREATE UNIQUE INDEX deliveries_slot ON deliveries (account, slot)
  WHERE slot IS NOT NULL AND state = 'queued';

CREATE TABLE tallies (
  account TEXT NOT NULL,
  state TEXT NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (account, state)
) WITH (fillfactor = 50);
${TALLY('tally_added', ADDED)}
${TALLY('tally_changed', `${ADDED} UNION ALL ${REMOVED}`)}
${TALLY('tally_removed', REMOVED)}
CREATE TRIGGER tally_added AFTER INSERT ON deliveries REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION tally_added();
CREATE TRIGGER tally_changed AFTER UPDATE ON deliveries
  REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION tally_changed();
CREATE TRIGGER tally_removed AFTER DELETE ON deliveries REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION tally_removed();

CREATE TABLE results (seq bigint PRIMARY KEY, result TEXT NOT NULL);

-- In order of beginning.
CREATE TABLE attempts (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  seq bigint NOT NULL,
  n integer NOT NULL CHECK (n >= 1),
  -- Where it went, if a cure sent the delivery elsewhere since; null: where the delivery goes.
  chat TEXT,
  started_at float8 NOT NULL,
  ended_at float8,
  outcome TEXT CHECK (outcome IN ('sent', 'limited', 'refused', 'failed', 'uncertain')),
  reason TEXT,
  detail TEXT,
  retry_after_ms float8
);
CREATE INDEX attempts_seq ON attempts (seq, n);
-- Nodes have clocks of their own: the order of beginning does not tell which are of late.
CREATE INDEX attempts_started ON attempts (started_at);

CREATE TABLE history (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  seq bigint NOT NULL,
  at float8 NOT NULL,
  from_state TEXT NOT NULL,
  to_state TEXT NOT NULL,
  reason TEXT NOT NULL,
  by TEXT NOT NULL
);
CREATE INDEX history_seq ON history (seq);

CREATE TABLE idempotency (
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  seq bigint NOT NULL,
  digest TEXT NOT NULL,
  expires_at float8 NOT NULL,
  PRIMARY KEY (account, key)
);

CREATE TABLE limits (
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  updated_at float8 NOT NULL,
  PRIMARY KEY (account, key)
);

-- Which files of the spool belong to which delivery.
CREATE TABLE spooled (seq bigint NOT NULL, id TEXT NOT NULL, PRIMARY KEY (seq, id));

-- What observers got of a message: few have any.
CREATE TABLE copies (seq bigint PRIMARY KEY, origin bigint NOT NULL);
CREATE INDEX copies_origin ON copies (origin, seq);

-- Who paces an account, how often it has changed hands, and the last place given in its order. Every write locks the
-- row of its account, so a take-over waits for what was under way and nothing comes after it. Without a node: nobody.
CREATE TABLE owners (
  account TEXT PRIMARY KEY,
  node TEXT,
  epoch bigint NOT NULL CHECK (epoch >= 1),
  rank_last bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- What became of the last batch of each process that writes; see functions/run.ts.
CREATE TABLE writers (
  id TEXT PRIMARY KEY,
  batch bigint NOT NULL,
  answers jsonb,
  at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  platform TEXT NOT NULL,
  sealed TEXT NOT NULL,
  paused boolean NOT NULL,
  refused TEXT,
  created_at float8 NOT NULL
);
`;
