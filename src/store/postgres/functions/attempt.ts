// An attempt begins and is settled, in the server. Both are conditional on the state and the attempt they expect.

// Plans are kept for as long as the connection, and may have been made while the tables were small.
const BY_INDEX = 'SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off';

const BEGIN_ATTEMPTS = `
CREATE OR REPLACE FUNCTION begin_attempts(given jsonb) RETURNS jsonb LANGUAGE plpgsql
${BY_INDEX} AS $$
DECLARE
  told jsonb;
BEGIN
WITH asked AS MATERIALIZED (
  SELECT g.*, owns(g.account, g.epoch) AS own, d.account AS whose, d.state
  FROM ROWS FROM (jsonb_to_recordset(given) AS (account text, epoch bigint, seq bigint, at float8,
    "waitedFor" text)) WITH ORDINALITY AS g(account, epoch, seq, at, waited_for, ord)
  LEFT JOIN deliveries d ON d.seq = g.seq
), begun AS (
  UPDATE deliveries d SET state = 'sending', attempts = d.attempts + 1 FROM asked a
  WHERE d.seq = a.seq AND a.own AND a.whose = a.account AND a.state = 'queued'
  RETURNING d.seq, day_of(d.accepted_at) AS day, d.attempts AS n, d.body, past_of(d) AS past, is_intact(d) AS is_intact
), noted AS (
  INSERT INTO attempts (day, account, seq, n, started_at, waited_for)
  SELECT b.day, a.account, b.seq, b.n, a.at, a.waited_for
  FROM begun b JOIN asked a USING (seq) ORDER BY a.ord
)
SELECT jsonb_agg(CASE
  WHEN NOT a.own OR a.whose <> a.account THEN not_owner()
  WHEN b.seq IS NULL THEN jsonb_build_object('kind', 'gone', 'state', coalesce(a.state, 'expired'))
  WHEN NOT b.is_intact THEN jsonb_build_object('kind', 'damaged', 'n', b.n, 'record', b.past)
  ELSE jsonb_build_object('kind', 'begun', 'n', b.n, 'record', b.past, 'body', b.body)
  END ORDER BY a.ord) INTO told
FROM asked a LEFT JOIN begun b ON b.seq = a.seq;
RETURN told;
END $$;`;

// Those that end with their attempt, without a cure and with no limit to note: nearly all. Each is of another delivery,
// and the result of each comes beside it. Answers true where it was done as asked.
const SETTLE_ENDED = `
CREATE OR REPLACE FUNCTION settle_ended(given jsonb, answers text[]) RETURNS jsonb LANGUAGE plpgsql
${BY_INDEX} AS $$
DECLARE
  told jsonb;
BEGIN
WITH asked AS MATERIALIZED (
  SELECT g.*, o.epoch <= g.under AS own, d.account AS whose, d.state AS was,
    day_of(d.accepted_at) AS day,
    o.epoch <= g.under AND d.account = g.account AND d.state = 'sending' AND d.attempts = g.n AS holds
  FROM ROWS FROM (jsonb_to_recordset(given) AS (account text, epoch bigint, seq bigint, n int,
    "endedAt" float8, outcome text, reason text, detail text, "retryAfterMs" float8, "to" text,
    failed boolean, doubted boolean, "messageId" text, "isThere" boolean), unnest(answers))
    WITH ORDINALITY AS g(account, under, seq, n, ended_at, outcome, reason, detail, retry_after_ms,
      to_state, failed, doubted, message_id, is_there, result, ord)
  JOIN owners o ON o.account = g.account
  LEFT JOIN deliveries d ON d.seq = g.seq
), ended AS (
  UPDATE attempts t SET ended_at = a.ended_at, outcome = a.outcome, reason = a.reason,
    detail = a.detail, retry_after_ms = a.retry_after_ms
  FROM asked a WHERE a.holds AND t.day = a.day AND t.seq = a.seq AND t.n = a.n
), kept AS (
  INSERT INTO results (day, seq, result) SELECT a.day, a.seq, a.result FROM asked a
  WHERE a.holds AND a.result IS NOT NULL ON CONFLICT (seq, day) DO UPDATE SET result = excluded.result
), dropped AS (
  -- Only an earlier attempt can have left one.
  DELETE FROM results r USING asked a
  WHERE a.holds AND a.result IS NULL AND a.n > 1 AND r.day = a.day AND r.seq = a.seq
), settled AS (
  UPDATE deliveries d SET state = a.to_state, settled_at = a.ended_at, reason = a.reason,
    detail = a.detail, failures = d.failures + a.failed::int, doubts = d.doubts + a.doubted::int,
    message_id = a.message_id,
    held = CASE WHEN d.held = 0 THEN 0 WHEN a.is_there THEN 2 ELSE 1 END
  FROM asked a WHERE a.holds AND d.seq = a.seq
)
SELECT jsonb_agg(CASE
  WHEN a.holds THEN 'true'
  WHEN NOT a.own OR a.whose <> a.account THEN not_owner()
  ELSE jsonb_build_object('kind', 'stale', 'state', coalesce(a.was, 'expired'))
  END ORDER BY a.ord) INTO told
FROM asked a;
RETURN told;
END $$;`;

const SETTLE = `
CREATE OR REPLACE FUNCTION settle(c jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  s record;
  d deliveries;
  by_seq bigint;
  of_day integer;
BEGIN
  SELECT * INTO s FROM jsonb_to_record(c) AS x(account text, epoch bigint, seq bigint, n int,
    "endedAt" float8, outcome text, reason text, detail text, "retryAfterMs" float8, "to" text,
    "dueAt" float8, failed boolean, doubted boolean, cure jsonb, "messageId" text, result text,
    limits jsonb, "isThere" boolean);
  IF NOT owns(s.account, s.epoch) THEN RETURN not_owner(); END IF;
  SELECT * INTO d FROM deliveries WHERE seq = s.seq;
  IF NOT FOUND THEN RETURN '{"kind": "stale", "state": "expired"}'; END IF;
  IF d.account <> s.account THEN RETURN not_owner(); END IF;
  IF d.state <> 'sending' OR d.attempts <> s.n THEN
    RETURN jsonb_build_object('kind', 'stale', 'state', d.state);
  END IF;

  of_day := day_of(d.accepted_at);
  UPDATE attempts SET ended_at = s."endedAt", outcome = s.outcome, reason = s.reason,
    detail = s.detail, retry_after_ms = s."retryAfterMs"
    WHERE day = of_day AND seq = s.seq AND n = s.n;
  IF s.result IS NOT NULL THEN
    INSERT INTO results (day, seq, result) VALUES (of_day, s.seq, s.result)
      ON CONFLICT (seq, day) DO UPDATE SET result = excluded.result;
  ELSIF s.n > 1 THEN
    -- Only an earlier attempt can have left one.
    DELETE FROM results WHERE day = of_day AND seq = s.seq;
  END IF;
  IF s.cure IS NOT NULL THEN d := cured(d, s.cure); END IF;
  IF s.limits IS NOT NULL THEN PERFORM write_limits(s.limits); END IF;

  d.failures := d.failures + s.failed::int;
  d.doubts := d.doubts + s.doubted::int;
  d.message_id := s."messageId";
  d.state := s."to";
  d.reason := s.reason;
  d.detail := s.detail;
  IF s."to" = 'queued' THEN
    d.due_at := s."dueAt";
    by_seq := rival_over(d, s."endedAt");
  ELSE
    d.settled_at := s."endedAt";
    IF d.held > 0 THEN d.held := CASE WHEN s."isThere" THEN 2 ELSE 1 END; END IF;
  END IF;
  IF by_seq IS NOT NULL THEN
    d.state := 'superseded';
    d.settled_at := s."endedAt";
    d.reason := 'superseded';
    d.detail := NULL;
    d.superseded_by := by_seq;
    PERFORM note(d.seq, s."endedAt", 'queued', 'superseded', 'superseded', 'sluice');
  END IF;
  UPDATE deliveries SET state = d.state, settled_at = d.settled_at, reason = d.reason,
    detail = d.detail, due_at = d.due_at, failures = d.failures, doubts = d.doubts,
    message_id = d.message_id, held = d.held, superseded_by = d.superseded_by WHERE seq = d.seq;
  RETURN jsonb_build_object('kind', 'settled', 'state', d.state, 'supersededBy', by_seq,
    'queued', CASE WHEN d.state = 'queued' THEN queued_of(d.seq) END);
END $$;`;

// A row that does not fit its check keeps it: a change must not vouch for what was damaged before.
const CURED = `
CREATE OR REPLACE FUNCTION cured(d deliveries, cure jsonb) RETURNS deliveries LANGUAGE plpgsql AS $$
DECLARE
  was_intact boolean := is_intact(d);
BEGIN
  IF cure->>'chat' IS NOT NULL THEN
    UPDATE attempts SET chat = d.chat
      WHERE day = day_of(d.accepted_at) AND seq = d.seq AND chat IS NULL;
  END IF;
  d.cures := d.cures || (cure->>'name');
  d.chat := coalesce(cure->>'chat', d.chat);
  d.body := coalesce(cure->>'body', d.body);
  IF was_intact THEN
    d.row_check := content_check(d.seq, d.chat, d.thread, d.method, d.body);
  END IF;
  UPDATE deliveries SET cures = d.cures, chat = d.chat, body = d.body, row_check = d.row_check
    WHERE seq = d.seq;
  RETURN d;
END $$;`;

export const ATTEMPTING = [BEGIN_ATTEMPTS, CURED, SETTLE, SETTLE_ENDED].join('\n');
