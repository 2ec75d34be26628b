// Accepting, in the server: the whole batch is one call, and each command finds what those before it have done. Plain
// messages, which come in crowds, are one statement however many they are.

// A caller leaves out what is so of nearly every delivery.
const DEFAULTS = `'{"cost": 1, "live": false, "final": false, "due_at": 0, "expires_at": 0, "state": "queued",
  "attempts": 0, "failures": 0, "doubts": 0, "cures": [], "held": 0}'::jsonb`;

// All commands of one run have the same bound for the same account: those that fit are the first ones.
const APPEND_PLAIN = `
CREATE OR REPLACE FUNCTION append_plain(given jsonb) RETURNS jsonb LANGUAGE sql AS $$
WITH asked AS MATERIALIZED (
  SELECT c->'row' AS row, (c->>'queueMax')::bigint AS queue_max, (c->>'beginAt')::float8 AS begin_at,
    ord, o.account, o.rank_last, o.epoch <= (c->>'epoch')::bigint AS own
  FROM jsonb_array_elements(given) WITH ORDINALITY AS g(c, ord)
  JOIN owners o ON o.account = c->'row'->>'account'
), counted AS MATERIALIZED (
  SELECT account, waiting_of(account) AS waiting FROM asked GROUP BY account
), placed AS (
  SELECT a.*, c.waiting, row_number() OVER (PARTITION BY account, own ORDER BY ord) AS k
  FROM asked a JOIN counted c USING (account)
), accepted AS MATERIALIZED (
  SELECT p.*, nextval('delivery_seq') AS seq, rank_last + k AS rank
  FROM (SELECT * FROM placed WHERE own AND waiting + k - 1 < queue_max ORDER BY ord OFFSET 0) p
), inserted AS (
  INSERT INTO deliveries SELECT d.* FROM accepted a, LATERAL jsonb_populate_record(NULL::deliveries,
    ${DEFAULTS} || a.row || jsonb_build_object('seq', a.seq, 'rank', a.rank,
      'row_check', content_check(a.seq, a.row->>'chat', NULL, a.row->>'method', a.row->>'body'))
    || CASE WHEN begin_at IS NULL THEN '{}' ELSE '{"state": "sending", "attempts": 1}'::jsonb END) d
), begun AS (
  INSERT INTO attempts (seq, n, started_at)
  SELECT seq, 1, begin_at FROM accepted WHERE begin_at IS NOT NULL ORDER BY ord
), ranked AS (
  UPDATE owners o SET rank_last = a.last
  FROM (SELECT account, max(rank) AS last FROM accepted GROUP BY account) a
  WHERE o.account = a.account
)
SELECT jsonb_agg(CASE
  WHEN NOT p.own THEN not_owner()
  WHEN a.seq IS NULL THEN jsonb_build_object('kind', 'full', 'queueMax', p.queue_max,
    'waiting', greatest(p.waiting, p.queue_max))
  ELSE jsonb_build_object('kind', 'accepted', 'seq', a.seq, 'rank', a.rank,
    'enterAt', a.row->'enter_at', 'begun', a.begin_at IS NOT NULL)
  END ORDER BY p.ord)
FROM placed p LEFT JOIN accepted a USING (ord)
$$;`;

const APPEND = `
CREATE OR REPLACE FUNCTION append(c jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  new deliveries := jsonb_populate_record(NULL::deliveries, ${DEFAULTS} || (c->'row'));
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

  new.seq := nextval('delivery_seq');
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

export const APPENDING = [APPEND_PLAIN, SAVE_REST, APPEND].join('\n');
