// The batch of the group commit, in the server: one call, so one round trip and one transaction. It is an array of
// runs, each of commands of one kind in the order they came; the answers come back in the same form. They are kept with
// the number of the batch until the next one: a writer whose connection is lost learns what became of it.

import { APPENDING } from './append.ts';
import { ATTEMPTING } from './attempt.ts';
import { MOVING } from './move.ts';
import { RULES } from './rules.ts';
import { SPILLING } from './spill.ts';

const RUN = `
CREATE OR REPLACE FUNCTION run(accounts text[], batch jsonb, bodies text[], writer text, number bigint)
RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  told jsonb[] := '{}';
  last bigint;
  r jsonb;
  c jsonb;
  size integer;
  taken integer := 0;
BEGIN
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
        size := jsonb_array_length(r->'commands');
        told := told || append_plain(r->'commands', bodies[taken + 1 : taken + size]);
        taken := taken + size;
      WHEN 'begin' THEN told := told || begin_attempts(r->'commands');
      ELSE
        FOR c IN SELECT value FROM jsonb_array_elements(r->'commands') LOOP
          told := told || jsonb_build_array(run_one(r->>'op', c));
        END LOOP;
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
    WHEN 'open_account' THEN RETURN open_account(c);
    WHEN 'close_account' THEN RETURN close_account(c);
    WHEN 'hand_over' THEN RETURN hand_over(c);
  END CASE;
END $$;`;

export const FUNCTIONS = [RULES, APPENDING, ATTEMPTING, MOVING, SPILLING, RUN_ONE, RUN].join('\n');
