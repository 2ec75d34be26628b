// Moves that are not an attempt's, in the server: cancel, expire, retry by hand, discard.

const MOVE = `
CREATE OR REPLACE FUNCTION move(c jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  m record;
  d deliveries;
BEGIN
  SELECT * INTO m FROM jsonb_to_record(c) AS x(account text, epoch bigint, seq bigint, "to" text,
    at float8, reason text, "by" text, "from" text[], withdraws boolean, partly text[]);
  IF NOT owns(m.account, m.epoch) THEN RETURN not_owner(); END IF;
  SELECT * INTO d FROM deliveries WHERE seq = m.seq;
  IF NOT FOUND THEN RETURN '{"kind": "unknown"}'; END IF;
  IF d.account <> m.account THEN RETURN not_owner(); END IF;
  -- What may be out already is not withdrawn.
  IF d.state <> ALL (m."from") OR m.withdraws AND (d.doubts > 0 OR d.cures && m.partly) THEN
    RETURN jsonb_build_object('kind', 'illegal', 'state', d.state);
  END IF;
  IF m."to" = 'queued' THEN RETURN retry(d, c); END IF;
  UPDATE deliveries SET state = m."to", settled_at = m.at, reason = m.reason, detail = NULL
    WHERE seq = m.seq;
  PERFORM note(m.seq, m.at, d.state, m."to", m.reason, m."by");
  IF m.withdraws THEN
    DELETE FROM idempotency WHERE account = d.account AND key = d.idempotency_key AND seq = d.seq;
  END IF;
  RETURN jsonb_build_object('kind', 'moved', 'from', d.state, 'queued', NULL);
END $$;`;

const RETRY = `
CREATE OR REPLACE FUNCTION retry(d deliveries, c jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  was text := d.state;
  moved_at float8 := (c->'at')::float8;
  queue_max bigint := (c->'queueMax')::bigint;
  waiting bigint := waiting_of(d.account);
  by_seq bigint;
BEGIN
  IF d.body IS NULL AND c->>'body' IS NULL THEN RETURN '{"kind": "no_body"}'; END IF;
  IF NOT is_intact(d) THEN RETURN '{"kind": "damaged"}'; END IF;
  IF waiting >= queue_max THEN
    RETURN jsonb_build_object('kind', 'full', 'waiting', waiting, 'queueMax', queue_max);
  END IF;
  DELETE FROM results WHERE day = day_of(d.accepted_at) AND seq = d.seq;
  d.body := coalesce(c->>'body', d.body);
  PERFORM note(d.seq, moved_at, was, 'queued', c->>'reason', c->>'by');
  by_seq := rival_over(d, moved_at);
  UPDATE deliveries SET body = d.body, failures = 0, due_at = 0, message_id = NULL,
    row_check = content_check(d.seq, d.chat, d.thread, d.method, d.body), detail = NULL,
    state = 'queued', settled_at = NULL, reason = c->>'reason'
    WHERE seq = d.seq AND by_seq IS NULL;
  IF by_seq IS NULL THEN
    IF c ? 'isStray' THEN PERFORM leave_stray(d.seq, d.account); END IF;
    RETURN jsonb_build_object('kind', 'moved', 'from', was, 'queued', queued_of(d.seq));
  END IF;
  UPDATE deliveries SET body = d.body, failures = 0, due_at = 0, message_id = NULL,
    row_check = content_check(d.seq, d.chat, d.thread, d.method, d.body) WHERE seq = d.seq;
  PERFORM supersede(d.seq, by_seq, moved_at);
  RETURN jsonb_build_object('kind', 'moved', 'from', was, 'queued', NULL);
END $$;`;

// What the platform told of a message after it had taken it. `outdoing`: the words after which a new one is no news,
// itself among them. The rules are those of receiptMove (store/rules.ts); the contract suite holds both to them.
const RECEIPT = `
CREATE OR REPLACE FUNCTION receipt(c jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  m record;
  d deliveries;
  goes_to text;
  was text;
BEGIN
  SELECT * INTO m FROM jsonb_to_record(c) AS x(account text, epoch bigint, seq bigint, at float8,
    status text, "messageId" text, reason text, detail text, result text, outdoing text[],
    "by" text, "isThere" boolean);
  IF NOT owns(m.account, m.epoch) THEN RETURN not_owner(); END IF;
  SELECT * INTO d FROM deliveries WHERE seq = m.seq;
  IF NOT FOUND THEN RETURN '{"kind": "unknown"}'; END IF;
  IF d.account <> m.account THEN RETURN not_owner(); END IF;
  was := d.state;
  IF was = 'sending' THEN RETURN '{"kind": "in_flight"}'; END IF;
  goes_to := CASE WHEN m.status = 'failed' THEN 'dead' ELSE 'sent' END;
  IF d.message_id IS NOT NULL AND d.message_id <> m."messageId"
    OR EXISTS (SELECT 1 FROM history h WHERE h.day = day_of(d.accepted_at) AND h.seq = m.seq
      AND h.by = m."by" AND h.reason = ANY (m.outdoing))
    OR NOT (CASE was
      WHEN 'sent' THEN m.status <> 'sent'
      WHEN 'uncertain' THEN true
      WHEN 'dead' THEN goes_to = 'sent' AND (d.message_id IS NOT NULL OR d.doubts > 0)
      WHEN 'queued' THEN goes_to = 'sent' AND d.doubts > 0
      ELSE false END)
  THEN
    RETURN jsonb_build_object('kind', 'ignored', 'state', was);
  END IF;
  PERFORM note(m.seq, m.at, was, goes_to, m.status, m."by");
  IF goes_to = was THEN RETURN '{"kind": "noted"}'; END IF;
  UPDATE deliveries SET state = goes_to, settled_at = m.at, message_id = m."messageId",
    reason = CASE WHEN goes_to = 'dead' THEN m.reason END,
    detail = CASE WHEN goes_to = 'dead' THEN m.detail END,
    held = CASE WHEN was = 'queued' AND held > 0
      THEN CASE WHEN m."isThere" THEN 2 ELSE 1 END ELSE held END
    WHERE seq = m.seq;
  IF goes_to = 'sent' AND m.result IS NOT NULL THEN
    INSERT INTO results (day, seq, result) VALUES (day_of(d.accepted_at), m.seq, m.result)
      ON CONFLICT (seq, day) DO UPDATE SET result = excluded.result;
  END IF;
  RETURN jsonb_build_object('kind', 'moved', 'from', was, 'to', goes_to, 'queued', queued_of(m.seq));
END $$;`;

// Whether the delivery is alive goes with the answer: whoever asked keeps in mind who is there until it ends.
const CALLER = `
CREATE OR REPLACE FUNCTION caller(c jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  d record;
BEGIN
  IF NOT owns(c->>'account', (c->'epoch')::bigint) THEN RETURN not_owner(); END IF;
  SELECT account, held, settled_at INTO d FROM deliveries WHERE seq = (c->'seq')::bigint;
  IF FOUND AND d.account <> c->>'account' THEN RETURN not_owner(); END IF;
  IF FOUND AND d.held > 0 AND d.settled_at IS NULL THEN
    RETURN '{"kind": "kept", "isAlive": true}';
  END IF;
  UPDATE deliveries SET held = CASE WHEN (c->'isThere')::boolean THEN 2 ELSE 1 END
    WHERE seq = (c->'seq')::bigint AND held > 0;
  RETURN '{"kind": "kept"}';
END $$;`;

const SAVE_LIMITS = `
CREATE OR REPLACE FUNCTION save_limits(c jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  IF NOT owns(c->>'account', (c->'epoch')::bigint) THEN RETURN not_owner(); END IF;
  PERFORM write_limits(c->'limits');
  RETURN '{"kind": "kept"}';
END $$;`;

// One that has ended stays as it ended.
const SAVE_STREAM = `
CREATE OR REPLACE FUNCTION save_stream(c jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  m record;
BEGIN
  SELECT * INTO m FROM jsonb_to_record(c) AS x(id text, account text, epoch bigint,
    "endedAt" float8, text text, record text);
  IF NOT owns(m.account, m.epoch) THEN RETURN not_owner(); END IF;
  INSERT INTO streams AS s (id, account, ended_at, text, record)
    VALUES (m.id, m.account, m."endedAt", m.text, m.record)
    ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at, text = excluded.text,
      record = excluded.record
    WHERE s.ended_at IS NULL AND s.account = excluded.account;
  IF NOT FOUND AND EXISTS (SELECT 1 FROM streams s WHERE s.id = m.id AND s.account <> m.account)
    THEN RETURN not_owner();
  END IF;
  RETURN '{"kind": "kept"}';
END $$;`;

const OPEN_ACCOUNT = `
CREATE OR REPLACE FUNCTION open_account(c jsonb) RETURNS jsonb LANGUAGE sql AS $$
  UPDATE owners SET node = c->>'node',
    epoch = epoch + CASE WHEN node IS NOT DISTINCT FROM c->>'node' THEN 0 ELSE 1 END
  WHERE account = c->>'account' RETURNING to_jsonb(epoch)
$$;`;

// The embedded process is not followed by another: it keeps what it closes.
const CLOSE_ACCOUNT = `
CREATE OR REPLACE FUNCTION close_account(c jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  UPDATE owners SET node = NULL WHERE account = c->>'account' AND node = c->>'node'
    AND epoch = (c->'epoch')::bigint AND NOT (node = '' AND epoch = 1);
  RETURN 'null';
END $$;`;

export const MOVING = [
  ...[RETRY, MOVE, RECEIPT, CALLER, SAVE_LIMITS, SAVE_STREAM, OPEN_ACCOUNT, CLOSE_ACCOUNT],
].join('\n');
