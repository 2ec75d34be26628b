// Accepting, in the server: the whole batch is one call, and each command finds what those before it have done. Plain
// messages, which come in crowds, are a few statements however many they are.

// A caller leaves out what is so of nearly every delivery.
const DEFAULTS = `'{"cost": 1, "live": false, "final": false, "due_at": 0, "expires_at": 0, "state": "queued",
  "attempts": 0, "failures": 0, "doubts": 0, "cures": [], "held": 0}'::jsonb`;

const WITH_DEFAULTS = `
CREATE OR REPLACE FUNCTION with_defaults(given jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT ${DEFAULTS} || given
$$;`;

// All commands of one run have the same epoch and the same bound for the same account, and each says its place among
// those of its account: those that fit are the first ones. They come as columns, and plans are kept, so that a row
// costs little more than its insert. Answers are two lists: number and rank; a begun one's number is negative; one that
// is not accepted has none, and instead of its rank how many wait, or -1 of an account that others own.
const APPEND_PLAIN = `
CREATE OR REPLACE FUNCTION append_plain(accounts text[], platforms text[], chats text[],
  methods text[], families text[], budgets text[], priorities bigint[], times float8[], helds bigint[],
  prints text[], epochs bigint[], bounds bigint[], places bigint[], begins float8[], bodies text[])
RETURNS jsonb LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  seqs bigint[];
  ranks bigint[];
BEGIN
  WITH owned AS MATERIALIZED (
    SELECT o.account, o.epoch, o.rank_last, waiting_of(o.account) AS waiting
    FROM owners o WHERE o.account = ANY (accounts)
  ), asked AS (
    SELECT g.*, o.rank_last, o.waiting, o.epoch <= g.under AS own
    FROM unnest(accounts, epochs, bounds, places) WITH ORDINALITY AS g(account, under, bound, k, ord)
    JOIN owned o ON o.account = g.account ORDER BY g.ord OFFSET 0
  ), judged AS (
    SELECT a.*, own AND waiting + k - 1 < bound AS fits FROM asked a
  )
  SELECT array_agg(CASE WHEN fits THEN nextval('delivery_seq') ELSE 0 END),
    array_agg(CASE WHEN fits THEN rank_last + k WHEN own THEN greatest(waiting, bound) ELSE -1 END)
    INTO seqs, ranks FROM judged;
  INSERT INTO deliveries (seq, account, platform, chat, method, family, budget, priority, cost, live,
    final, enter_at, rank, due_at, expires_at, accepted_at, state, attempts, failures, doubts, cures,
    held, print, body, row_check)
  SELECT g.seq, g.account, g.platform, g.chat, g.method, g.family, g.budget, g.priority, 1, false,
    false, g.at, g.rank, 0, 0, g.at, CASE WHEN g.begin_at IS NULL THEN 'queued' ELSE 'sending' END,
    CASE WHEN g.begin_at IS NULL THEN 0 ELSE 1 END, 0, 0, '{}', g.held, g.print,
    g.body, content_check(g.seq, g.chat, NULL, g.method, g.body)
  FROM unnest(seqs, ranks, accounts, platforms, chats, methods, families, budgets, priorities, times,
    helds, prints, begins, bodies) AS g(seq, rank, account, platform, chat, method, family, budget,
    priority, at, held, print, begin_at, body)
  WHERE g.seq > 0;
  INSERT INTO attempts (day, account, seq, n, started_at)
  SELECT day_of(g.at), g.account, g.seq, 1, g.begin_at
  FROM unnest(seqs, accounts, times, begins) AS g(seq, account, at, begin_at)
  WHERE g.seq > 0 AND g.begin_at IS NOT NULL;
  UPDATE owners o SET rank_last = r.last
  FROM (SELECT g.account, max(g.rank) AS last FROM unnest(seqs, ranks, accounts)
    AS g(seq, rank, account) WHERE g.seq > 0 GROUP BY g.account) r
  WHERE o.account = r.account;
  SELECT array_agg(CASE WHEN g.begin_at IS NULL THEN g.seq ELSE -g.seq END) INTO seqs
    FROM unnest(seqs, begins) AS g(seq, begin_at);
  RETURN jsonb_build_object('seqs', array_to_string(seqs, ','), 'ranks', array_to_string(ranks, ','));
END $$;`;

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

  SELECT d.seq, d.final, d.enter_at, d.rank, d.due_at INTO rival FROM deliveries d
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
    -- What is not to go before a time enters then. While the other's own time has not come it has no place to take.
    new.enter_at := greatest(new.due_at,
      CASE WHEN rival.due_at > 0 AND rival.due_at <= rival.enter_at AND rival.enter_at > new.accepted_at
        THEN new.accepted_at ELSE rival.enter_at END);
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
  END IF;
  INSERT INTO deliveries VALUES (new.*);
  PERFORM save_rest(new.seq, c);
  IF is_late THEN
    PERFORM note(new.seq, new.accepted_at, 'queued', 'superseded', 'superseded', 'sluice');
    RETURN jsonb_build_object('kind', 'superseded', 'seq', new.seq, 'by', rival.seq);
  END IF;
  IF c ? 'isStray' THEN PERFORM leave_stray(new.seq, new.account); END IF;
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
