// Taking over what a node accepted while the database was away, in the server. Records come in order, each with its
// number in the spill; what has been taken before is known by it. A record is an acceptance, under the number that its
// caller was told, or a withdrawal of one. They were accepted: no bound of the queue and no epoch holds them up.

const NUMBER_MAX = Number.MAX_SAFE_INTEGER;

// Its caller was told a number, so there is a record under it, whatever the store found when it came.
const SAVE_ENDED = `
CREATE OR REPLACE FUNCTION save_ended(c jsonb, to_s text, why text, by_seq bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  new deliveries := jsonb_populate_record(NULL::deliveries, with_defaults(c->'row'));
BEGIN
  UPDATE owners SET rank_last = rank_last + 1 WHERE account = new.account
    RETURNING rank_last INTO new.rank;
  new.row_check := content_check(new.seq, new.chat, new.thread, new.method, new.body);
  new.idempotency_key := NULL;
  new.state := to_s;
  new.settled_at := new.accepted_at;
  new.reason := why;
  new.superseded_by := by_seq;
  INSERT INTO deliveries VALUES (new.*);
  PERFORM note(new.seq, new.accepted_at, 'queued', to_s, why, 'sluice');
  PERFORM save_rest(new.seq, c - 'digest');
END $$;`;

// One by one, as its writer reads them; those of plain messages are two lists, see append_plain.
const ANSWERS_OF_RUN = `
CREATE OR REPLACE FUNCTION answers_of_run(told jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql AS $$
BEGIN
  IF jsonb_typeof(told) = 'array' THEN
    RETURN QUERY SELECT value FROM jsonb_array_elements(told);
  ELSE
    RETURN QUERY SELECT CASE WHEN seq::bigint = 0 THEN '{"kind": "none"}'::jsonb
      ELSE jsonb_build_object('kind', 'accepted', 'seq', abs(seq::bigint), 'begun', seq::bigint < 0) END
      FROM string_to_table(told->>'seqs', ',') AS seq;
  END IF;
END $$;`;

// Which delivery a command in doubt has come to; null: none, now and for ever. If it was also begun, its call never
// left: whoever asked for it was not answered.
const FATE_OF = `
CREATE OR REPLACE FUNCTION fate_of(doubt jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  w record;
  told jsonb;
  of_seq bigint;
BEGIN
  SELECT batch, answers INTO w FROM writers WHERE id = doubt->>'writer' FOR UPDATE;
  IF NOT FOUND OR w.batch < (doubt->'batch')::bigint THEN
    INSERT INTO writers (id, batch) VALUES (doubt->>'writer', (doubt->'batch')::bigint)
      ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, answers = NULL;
    RETURN NULL;
  END IF;
  SELECT one INTO told FROM jsonb_array_elements(w.answers) WITH ORDINALITY AS r(answers, run),
    answers_of_run(r.answers) WITH ORDINALITY AS a(one, place)
    ORDER BY run, place OFFSET (doubt->'index')::bigint LIMIT 1;
  IF told IS NULL OR told->>'kind' NOT IN ('accepted', 'repeated', 'superseded') THEN RETURN NULL; END IF;
  of_seq := (told->'seq')::bigint;
  IF (told->'begun')::boolean THEN
    UPDATE deliveries SET state = 'queued', attempts = 0
      WHERE seq = of_seq AND state = 'sending' AND attempts = 1;
    IF FOUND THEN
      DELETE FROM attempts a USING deliveries d
        WHERE d.seq = of_seq AND a.day = day_of(d.accepted_at) AND a.seq = d.seq;
    END IF;
  END IF;
  RETURN of_seq;
END $$;`;

// The store had it under another number. Its owner may not know: whoever wrote it was not answered, or was another.
const TAKEN_BEFORE = `
CREATE OR REPLACE FUNCTION taken_before(known bigint, of_account text, is_others boolean)
RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  IF is_others THEN
    PERFORM leave_stray(known, of_account);
    RETURN jsonb_build_object('kind', 'superseded', 'by', known);
  END IF;
  RETURN jsonb_build_object('kind', 'superseded', 'by', known, 'found',
    (SELECT queued_of(d.seq) FROM deliveries d WHERE d.seq = known AND d.state = 'queued'));
END $$;

-- What was taken of this spill already: the answer did not arrive, so it is told again where somebody waits for it.
CREATE OR REPLACE FUNCTION told_before(r jsonb, by_node text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  d deliveries;
BEGIN
  SELECT * INTO d FROM deliveries WHERE seq = (r->'row'->'seq')::bigint AND reason = 'repeated';
  IF NOT FOUND THEN RETURN '{"kind": "known"}'; END IF;
  RETURN taken_before(d.superseded_by, d.account, EXISTS (SELECT 1 FROM owners o
    WHERE o.account = d.account AND o.node <> '' AND o.node <> by_node));
END $$;`;

const TAKE_SPILLED = `
CREATE OR REPLACE FUNCTION take_spilled(c jsonb, by_node text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  of_seq bigint := (c->'row'->'seq')::bigint;
  of_account text := c->'row'->>'account';
  is_others boolean := EXISTS (SELECT 1 FROM owners o
    WHERE o.account = of_account AND o.node <> '' AND o.node <> by_node);
  known bigint := CASE WHEN c->'doubt' IS NOT NULL THEN fate_of(c->'doubt') END;
  told jsonb;
BEGIN
  IF known IS NOT NULL THEN
    PERFORM save_ended(c, 'superseded', 'repeated', known);
    RETURN taken_before(known, of_account, is_others);
  END IF;
  told := append(c || '{"epoch": ${NUMBER_MAX}, "queueMax": ${NUMBER_MAX}}');
  CASE told->>'kind'
    WHEN 'repeated' THEN
      PERFORM save_ended(c, 'superseded', 'repeated', (told->'seq')::bigint);
      told := taken_before((told->'seq')::bigint, of_account, is_others);
    WHEN 'conflict' THEN
      PERFORM save_ended(c, 'dead', 'idempotency_conflict', NULL);
      told := jsonb_build_object('kind', 'dead', 'seq', of_seq, 'reason', 'idempotency_conflict');
    ELSE NULL;
  END CASE;
  IF told->>'kind' = 'accepted' AND (is_others OR c ? 'isOffRoad') THEN
    PERFORM leave_stray(of_seq, of_account);
    told := told || '{"isStray": true}';
  END IF;
  RETURN told;
END $$;`;

const HAND_OVER = `
CREATE OR REPLACE FUNCTION hand_over(c jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  told jsonb[] := '{}';
  last bigint;
  r jsonb;
BEGIN
  INSERT INTO spills (id, handed) VALUES (c->>'spill', 0) ON CONFLICT DO NOTHING;
  SELECT handed INTO last FROM spills WHERE id = c->>'spill' FOR UPDATE;
  FOR r IN SELECT value FROM jsonb_array_elements(c->'records') LOOP
    IF (r->'n')::bigint <= last THEN
      told := told || told_before(r, c->>'node');
    ELSIF r ? 'move' THEN
      told := told || move(r->'move' || '{"epoch": ${NUMBER_MAX}}');
    ELSE
      told := told || take_spilled(r, c->>'node');
    END IF;
    last := greatest(last, (r->'n')::bigint);
  END LOOP;
  UPDATE spills SET handed = last WHERE id = c->>'spill';
  RETURN to_jsonb(told);
END $$;`;

export const SPILLING = [
  SAVE_ENDED,
  ANSWERS_OF_RUN,
  FATE_OF,
  TAKEN_BEFORE,
  TAKE_SPILLED,
  HAND_OVER,
].join('\n');
