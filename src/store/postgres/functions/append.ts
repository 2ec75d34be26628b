// Accepting, in the server: the whole batch is one call, and each command finds what those before it have done. Plain
// messages, which come in crowds, are one statement however many they are.

// A caller leaves out what is so of nearly every delivery.
const DEFAULTS = `'{"cost": 1, "live": false, "final": false, "due_at": 0, "expires_at": 0, "state": "queued",
  "attempts": 0, "failures": 0, "doubts": 0, "cures": [], "held": 0}'::jsonb`;

const WITH_DEFAULTS = `
CREATE OR REPLACE FUNCTION with_defaults(given jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT ${DEFAULTS} || given
$$;`;

// All commands of one run have the same bound for the same account: those that fit are the first ones. The rows are
// read into columns at once, and the bodies come beside them in the same order: as JSON they would be copied at every
// step.
// Nothing is joined but the owners, because the planner does not know how many the rows are.
const APPEND_PLAIN = `
CREATE OR REPLACE FUNCTION append_plain(given jsonb, bodies text[]) RETURNS jsonb LANGUAGE sql AS $$
WITH asked AS (
  SELECT g.*, o.rank_last, o.epoch <= g.under AS own
  FROM ROWS FROM (jsonb_to_recordset(given) AS (account text, platform text, chat text, method text,
    family text, gate text, priority smallint, enter_at float8, accepted_at float8,
    held smallint, print text, epoch bigint, "queueMax" bigint, "beginAt" float8), unnest(bodies))
    WITH ORDINALITY AS g(account, platform, chat, method, family, gate, priority, enter_at,
      accepted_at, held, print, under, queue_max, begin_at, body, ord)
  JOIN owners o ON o.account = g.account
), counted AS (
  SELECT a.*, row_number() OVER (PARTITION BY account, own ORDER BY ord) AS k,
    CASE WHEN row_number() OVER (PARTITION BY account ORDER BY ord) = 1
      THEN waiting_of(account) END AS waiting_first
  FROM asked a
), placed AS (
  SELECT c.*, max(waiting_first) OVER (PARTITION BY account) AS waiting FROM counted c
), numbered AS MATERIALIZED (
  SELECT p.*, rank_last + k AS rank,
    CASE WHEN own AND waiting + k - 1 < queue_max THEN nextval('delivery_seq') END AS seq
  FROM (SELECT * FROM placed ORDER BY ord OFFSET 0) p
), inserted AS (
  INSERT INTO deliveries (seq, account, platform, chat, method, family, gate, priority, cost, live,
    final, enter_at, rank, due_at, expires_at, accepted_at, state, attempts, failures, doubts, cures,
    held, print, body, row_check)
  SELECT seq, account, platform, chat, method, family, gate, priority, 1, false,
    false, enter_at, rank, 0, 0, accepted_at,
    CASE WHEN begin_at IS NULL THEN 'queued' ELSE 'sending' END,
    CASE WHEN begin_at IS NULL THEN 0 ELSE 1 END, 0, 0, '{}', coalesce(held, 0), print,
    body, content_check(seq, chat, NULL, method, body)
  FROM numbered WHERE seq IS NOT NULL
), begun AS (
  INSERT INTO attempts (seq, n, started_at)
  SELECT seq, 1, begin_at FROM numbered
  WHERE seq IS NOT NULL AND begin_at IS NOT NULL ORDER BY ord
), ranked AS (
  UPDATE owners o SET rank_last = r.last
  FROM (SELECT account, max(rank) AS last FROM numbered WHERE seq IS NOT NULL GROUP BY account) r
  WHERE o.account = r.account
)
SELECT jsonb_agg(CASE
  WHEN NOT own THEN not_owner()
  WHEN seq IS NULL THEN jsonb_build_object('kind', 'full', 'queueMax', queue_max,
    'waiting', greatest(waiting, queue_max))
  ELSE jsonb_build_object('kind', 'accepted', 'seq', seq, 'rank', rank,
    'enterAt', enter_at, 'begun', begin_at IS NOT NULL)
  END ORDER BY ord)
FROM numbered
$$;`;

const APPEND = `
CREATE OR REPLACE FUNCTION append(c jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  new deliveries := jsonb_populate_record(NULL::deliveries, with_defaults(c->'row'));
  queue_max bigint := (c->'queueMax')::bigint;
  earlier record;
  rival record;
  has_rival boolean;
  is_late boolean;
  waiting bigint;
BEGIN
  IF NOT owns(new.account, (c->'epoch')::bigint) THEN RETURN not_owner(); END IF;
  SELECT i.seq, i.digest, d.state INTO earlier
    FROM jsonb_array_elements_text(c->'keys') WITH ORDINALITY AS k(key, place)
    JOIN idempotency i ON i.account = new.account AND i.key = k.key
      AND i.expires_at > new.accepted_at
    JOIN deliveries d ON d.seq = i.seq ORDER BY k.place LIMIT 1;
  IF FOUND AND earlier.digest <> c->>'digest' THEN
    RETURN jsonb_build_object('kind', 'conflict', 'seq', earlier.seq);
  ELSIF FOUND THEN
    RETURN jsonb_build_object('kind', 'repeated', 'seq', earlier.seq, 'state', earlier.state);
  END IF;

  SELECT d.seq, d.final, d.enter_at, d.rank INTO rival FROM deliveries d
    WHERE d.account = new.account AND d.slot = new.slot AND d.state = 'queued';
  has_rival := FOUND;
  -- The newer of the two is this one.
  is_late := has_rival AND rival.final AND NOT new.final;
  waiting := waiting_of(new.account);
  IF NOT is_late AND waiting - has_rival::int >= queue_max THEN
    RETURN jsonb_build_object('kind', 'full', 'waiting', waiting, 'queueMax', queue_max);
  END IF;

  -- What comes out of a spill has its number already.
  new.seq := coalesce(new.seq, nextval('delivery_seq'));
  new.row_check := content_check(new.seq, new.chat, new.thread, new.method, new.body);
  IF has_rival AND NOT is_late THEN
    PERFORM supersede(rival.seq, new.seq, new.accepted_at);
    new.enter_at := rival.enter_at;
    new.rank := rival.rank;
  ELSE
    UPDATE owners SET rank_last = rank_last + 1 WHERE account = new.account
      RETURNING rank_last INTO new.rank;
  END IF;
  -- Superseded at once, yet on record: nothing that was accepted goes untold.
  IF is_late THEN
    new.state := 'superseded';
    new.settled_at := new.accepted_at;
    new.reason := 'superseded';
    new.superseded_by := rival.seq;
    PERFORM note(new.seq, new.accepted_at, 'queued', 'superseded', 'superseded', 'sluice');
  END IF;
  INSERT INTO deliveries VALUES (new.*);
  PERFORM save_rest(new.seq, c);
  IF is_late THEN
    RETURN jsonb_build_object('kind', 'superseded', 'seq', new.seq, 'by', rival.seq);
  END IF;
  RETURN jsonb_build_object('kind', 'accepted', 'seq', new.seq, 'rank', new.rank,
    'enterAt', new.enter_at, 'replaced', CASE WHEN has_rival THEN rival.seq END);
END $$;`;

// What lies in other tables.
const SAVE_REST = `
CREATE OR REPLACE FUNCTION save_rest(of_seq bigint, c jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF c ? 'files' THEN
    INSERT INTO spooled (seq, id) SELECT of_seq, value FROM jsonb_array_elements_text(c->'files')
      ON CONFLICT DO NOTHING;
  END IF;
  IF c ? 'copyOf' THEN
    INSERT INTO copies (seq, origin) VALUES (of_seq, (c->'copyOf')::bigint);
  END IF;
  IF c ? 'digest' THEN
    INSERT INTO idempotency (account, key, seq, digest, expires_at)
      VALUES (c->'row'->>'account', c->'row'->>'idempotency_key', of_seq, c->>'digest',
        (c->'keyExpiresAt')::float8)
      ON CONFLICT (account, key) DO UPDATE SET seq = excluded.seq, digest = excluded.digest,
        expires_at = excluded.expires_at;
  END IF;
END $$;`;

export const APPENDING = [WITH_DEFAULTS, APPEND_PLAIN, SAVE_REST, APPEND].join('\n');
