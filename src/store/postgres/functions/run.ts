// The batch of the group commit, in the server: one call, so one round trip and one transaction. It is an array of
// runs, each of commands of one kind in the order they came; the answers come back run by run. They are kept with
// the number of the batch until the next one: a writer whose connection is lost learns what became of it.

import { APPENDING } from './append.ts';
import { ATTEMPTING } from './attempt.ts';
import { BY_DAY } from './days.ts';
import { MOVING } from './move.ts';
import { RULES } from './rules.ts';
import { SPILLING } from './spill.ts';

// Plain messages come as columns, and texts of other commands beside them: as JSON they would be copied at every step.
const PLAIN_COLUMNS = [
  ...['accounts text', 'platforms text', 'chats text', 'methods text', 'families text'],
  ...['budgets text', 'priorities bigint', 'times float8', 'helds bigint', 'prints text'],
  ...['epochs bigint', 'bounds bigint', 'places bigint', 'begins float8', 'bodies text'],
].map((each) => each.split(' ') as [string, string]);

const SLICES = PLAIN_COLUMNS.map(([name]) => `p_${name}[rows + 1 : rows + size]`).join(', ');

const RUN = `
CREATE OR REPLACE FUNCTION run(accounts text[], batch jsonb, writer text, number bigint,
  texts text[], ${PLAIN_COLUMNS.map(([name, type]) => `p_${name} ${type}[]`).join(', ')})
RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  told jsonb[] := '{}';
  one_by_one jsonb[];
  last bigint;
  r jsonb;
  c jsonb;
  size integer;
  rows integer := 0;
  taken integer := 0;
BEGIN
  -- A node that was cut off while the others were stopped and the store was moved away.
  IF EXISTS (SELECT 1 FROM meta WHERE name = 'moving') THEN
    RAISE EXCEPTION 'the store was moved out of this database';
  END IF;
  SELECT w.batch INTO last FROM writers w WHERE w.id = writer FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO writers (id, batch) VALUES (writer, 0);
  ELSIF last >= number THEN
    RAISE EXCEPTION 'batch % of its writer is over', number;
  END IF;
  PERFORM lock_owners(accounts);
  FOR r IN SELECT value FROM jsonb_array_elements(batch) LOOP
    CASE r->>'op'
      WHEN 'append_plain' THEN
        size := (r->'size')::integer;
        told := told || append_plain(${SLICES});
        rows := rows + size;
      WHEN 'begin' THEN told := told || begin_attempts(r->'commands');
      WHEN 'settle_ended' THEN
        size := jsonb_array_length(r->'commands');
        told := told || settle_ended(r->'commands', texts[taken + 1 : taken + size]);
        taken := taken + size;
      ELSE
        one_by_one := '{}';
        FOR c IN SELECT value FROM jsonb_array_elements(r->'commands') LOOP
          one_by_one := one_by_one || coalesce(run_one(r->>'op', c), 'null');
        END LOOP;
        told := told || to_jsonb(one_by_one);
    END CASE;
  END LOOP;
  UPDATE writers w SET batch = number, answers = to_jsonb(told), at = now()
    WHERE w.id = writer;
  RETURN to_jsonb(told);
END $$;`;

const RUN_ONE = `
CREATE OR REPLACE FUNCTION run_one(op text, c jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  CASE op
    WHEN 'append' THEN RETURN append(c);
    WHEN 'settle' THEN RETURN settle(c);
    WHEN 'move' THEN RETURN move(c);
    WHEN 'receipt' THEN RETURN receipt(c);
    WHEN 'caller' THEN RETURN caller(c);
    WHEN 'save_limits' THEN RETURN save_limits(c);
    WHEN 'save_stream' THEN RETURN save_stream(c);
    WHEN 'open_account' THEN RETURN open_account(c);
    WHEN 'close_account' THEN RETURN close_account(c);
    WHEN 'hand_over' THEN RETURN hand_over(c);
  END CASE;
END $$;`;

export const FUNCTIONS = [
  ...[RULES, BY_DAY, APPENDING, ATTEMPTING, MOVING, SPILLING, RUN_ONE, RUN],
].join('\n');
