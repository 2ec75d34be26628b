// What is written with a delivery and never looked for without it, partitioned by the day its delivery was accepted, so
// that retention drops a day whole (functions/days.ts). Deliveries themselves are one table: they are found by their
// number alone, and at most one of a slot waits, which no index over partitions could see to.

export const DAY_TABLES = ['attempts', 'history', 'results'] as const;
// Days of a store that was there before get partitions of their own up to here; older ones lie with the rest.
const DAYS_SPLIT_MAX = 31;

// What lies under no partition of its day: days that nobody made one for, and what is left of days that were dropped.
const REST = DAY_TABLES.map(
  (table) => `CREATE TABLE ${table}_rest PARTITION OF ${table} DEFAULT;`,
).join('\n');

const SPLIT = DAY_TABLES.map(
  (
    table,
  ) => `EXECUTE format('CREATE TABLE ${table}_d%s_%s PARTITION OF ${table} FOR VALUES FROM (%s) TO (%s)',
      of_day, of_day + 1, of_day, of_day + 1);`,
).join('\n    ');

const COPIED = (table: string, columns: string) => `
INSERT INTO ${table} (day, ${columns})
  SELECT day_of(d.accepted_at), ${columns.replaceAll(/\w+/g, 'b.$&')}
  FROM ${table}_before b JOIN deliveries d ON d.seq = b.seq;
DROP TABLE ${table}_before;`;

const ATTEMPT = 'no, seq, n, chat, started_at, ended_at, outcome, reason, detail, retry_after_ms';

export const DAYS = `
-- Of the day it was accepted, since 1970; it never changes.
CREATE FUNCTION day_of(accepted_at float8) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT least(greatest(floor(accepted_at / 86400000), 0), 1000000)::integer
$$;

ALTER TABLE attempts RENAME TO attempts_before;
ALTER TABLE history RENAME TO history_before;
ALTER TABLE results RENAME TO results_before;
DROP INDEX attempts_seq, attempts_started, history_seq;
ALTER TABLE results_before DROP CONSTRAINT results_pkey;
CREATE SEQUENCE attempts_numbers;
CREATE SEQUENCE history_numbers;
SELECT setval('attempts_numbers', last_value, is_called) FROM attempts_no_seq;
SELECT setval('history_numbers', last_value, is_called) FROM history_no_seq;

-- In order of beginning.
CREATE TABLE attempts (
  day integer NOT NULL,
  no bigint NOT NULL DEFAULT nextval('attempts_numbers'),
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
) PARTITION BY RANGE (day);
CREATE INDEX attempts_no ON attempts (no);
CREATE INDEX attempts_seq ON attempts (seq, n);
-- Nodes have clocks of their own: the order of beginning does not tell which are of late.
CREATE INDEX attempts_started ON attempts (started_at);

CREATE TABLE history (
  day integer NOT NULL,
  no bigint NOT NULL DEFAULT nextval('history_numbers'),
  seq bigint NOT NULL,
  at float8 NOT NULL,
  from_state TEXT NOT NULL,
  to_state TEXT NOT NULL,
  reason TEXT NOT NULL,
  by TEXT NOT NULL
) PARTITION BY RANGE (day);
CREATE INDEX history_no ON history (no);
CREATE INDEX history_seq ON history (seq);

CREATE TABLE results (
  day integer NOT NULL,
  seq bigint NOT NULL,
  result TEXT NOT NULL,
  PRIMARY KEY (seq, day)
) PARTITION BY RANGE (day);

${REST}
DO $$
DECLARE
  of_day integer;
BEGIN
  FOR of_day IN SELECT DISTINCT day_of(accepted_at) AS d FROM deliveries ORDER BY d DESC
    LIMIT ${DAYS_SPLIT_MAX}
  LOOP
    ${SPLIT}
  END LOOP;
END $$;
${COPIED('attempts', ATTEMPT)}
${COPIED('history', 'no, seq, at, from_state, to_state, reason, by')}
${COPIED('results', 'seq, result')}
ALTER SEQUENCE attempts_numbers RENAME TO attempts_no_seq;
ALTER SEQUENCE history_numbers RENAME TO history_no_seq;
ALTER SEQUENCE attempts_no_seq OWNED BY attempts.no;
ALTER SEQUENCE history_no_seq OWNED BY history.no;
`;
