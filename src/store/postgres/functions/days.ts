// Partitions by day, in the server: made before their day comes, dropped when it is forgotten. Both need the table for
// themselves for a moment, once a day: whoever does not get it at once leaves it for the next round.

import { DAY_TABLES } from '../schema/days.ts';

// Held up by us nobody waits longer.
const LOCK_MS_MAX = 300;
// Made ahead, so that a fleet without maintenance for so long still writes where it should.
const DAYS_AHEAD = 3;

const TABLES = DAY_TABLES.map((table) => `'${table}'`).join(', ');

const PARTITIONS = `
CREATE OR REPLACE FUNCTION partitions_of(of_table text)
RETURNS TABLE (name text, from_day integer, to_day integer) LANGUAGE sql STABLE AS $$
  SELECT c.relname::text, split_part(c.days, '_', 1)::integer, split_part(c.days, '_', 2)::integer
  FROM (SELECT p.relname, substr(p.relname, length(of_table) + 3) AS days FROM pg_inherits i
    JOIN pg_class p ON p.oid = i.inhrelid WHERE i.inhparent = of_table::regclass
      AND p.relname ~ '_d[0-9]+_[0-9]+$') c
$$;`;

// Wider ones where much is kept, because every statement has to know of them all. Days that have rows among the rest
// stay there.
const MAKE_DAYS = `
CREATE OR REPLACE FUNCTION make_days(today integer) RETURNS integer LANGUAGE plpgsql
SET lock_timeout = '${LOCK_MS_MAX}ms' AS $$
DECLARE
  of_table text;
  begins integer;
  width integer;
  is_taken boolean;
  made integer := 0;
BEGIN
  FOREACH of_table IN ARRAY ARRAY[${TABLES}] LOOP
    LOOP
      SELECT greatest(today, max(to_day)),
        CASE WHEN count(*) < 32 THEN 1 WHEN count(*) < 48 THEN 7 ELSE 30 END
        INTO begins, width FROM partitions_of(of_table);
      EXIT WHEN begins > today + ${DAYS_AHEAD};
      EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I WHERE day >= %s AND day < %s)',
        of_table || '_rest', begins, begins + width) INTO is_taken;
      EXIT WHEN is_taken;
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%s) TO (%s)',
        format('%s_d%s_%s', of_table, begins, begins + width), of_table, begins, begins + width);
      made := made + 1;
    END LOOP;
  END LOOP;
  RETURN made;
EXCEPTION WHEN lock_not_available THEN RETURN 0;
END $$;`;

// Those of its deliveries that are still kept; the partition itself says where they lie.
const KEPT_OF = `
CREATE OR REPLACE FUNCTION kept_of(partition text, from_day integer, to_day integer, most integer)
RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  least_seq bigint;
  last_seq bigint;
BEGIN
  EXECUTE format('SELECT min(seq), max(seq) FROM %I', partition) INTO least_seq, last_seq;
  RETURN ARRAY(SELECT d.seq FROM deliveries d WHERE d.seq BETWEEN least_seq AND last_seq
    AND day_of(d.accepted_at) >= from_day AND day_of(d.accepted_at) < to_day LIMIT most + 1);
END $$;`;

// Drops one partition of days before this one, and what is kept of it goes to the rest. One table in a transaction: so
// nobody waits for this while this waits for them. Null: there is none that could go.
const DROP_DAY = `
CREATE OR REPLACE FUNCTION drop_day(before integer, most integer) RETURNS text LANGUAGE plpgsql
SET lock_timeout = '${LOCK_MS_MAX}ms' SET enable_seqscan = off AS $$
DECLARE
  of_table text;
  p record;
  kept bigint[];
BEGIN
  FOREACH of_table IN ARRAY ARRAY[${TABLES}] LOOP
    FOR p IN SELECT * FROM partitions_of(of_table) WHERE to_day <= before ORDER BY from_day LOOP
      CONTINUE WHEN cardinality(kept_of(p.name, p.from_day, p.to_day, most)) > most;
      EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', of_table);
      kept := kept_of(p.name, p.from_day, p.to_day, most);
      IF cardinality(kept) > most THEN RETURN NULL; END IF;
      EXECUTE format('CREATE TEMP TABLE kept_rows ON COMMIT DROP AS
        SELECT * FROM %I WHERE seq = ANY ($1)', p.name) USING kept;
      EXECUTE format('DROP TABLE %I', p.name);
      EXECUTE format('INSERT INTO %I SELECT * FROM kept_rows', of_table);
      RETURN p.name;
    END LOOP;
  END LOOP;
  RETURN NULL;
EXCEPTION WHEN lock_not_available THEN RETURN NULL;
END $$;`;

export const BY_DAY = [PARTITIONS, MAKE_DAYS, KEPT_OF, DROP_DAY].join('\n');
