// What the functions of the server share: who owns an account, what a row's check is of, who gives way in a slot.

export const RULES = `
CREATE OR REPLACE FUNCTION not_owner() RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT '{"kind": "not_owner"}'::jsonb
$$;

-- An account that nobody has opened is the embedded process's, under the first epoch.
CREATE OR REPLACE FUNCTION lock_owners(accounts text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  found_now bigint;
BEGIN
  -- In one order, so that two batches wait for each other in a row and not in a ring.
  PERFORM 1 FROM owners WHERE account = ANY (accounts) ORDER BY account FOR UPDATE;
  GET DIAGNOSTICS found_now = ROW_COUNT;
  IF found_now = cardinality(accounts) THEN RETURN; END IF;
  INSERT INTO owners (account, node, epoch)
    SELECT DISTINCT a, '', 1 FROM unnest(accounts) a ORDER BY 1 ON CONFLICT DO NOTHING;
  PERFORM 1 FROM owners WHERE account = ANY (accounts) ORDER BY account FOR UPDATE;
END $$;

CREATE OR REPLACE FUNCTION owns(of_account text, under bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT epoch <= under FROM owners WHERE account = of_account
$$;

CREATE OR REPLACE FUNCTION waiting_of(of_account text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(count), 0)::bigint FROM tallies
  WHERE account = of_account AND state IN ('queued', 'sending')
$$;

-- The account is left out, because accounts can be given other ids.
CREATE OR REPLACE FUNCTION content_check(seq bigint, chat text, thread text, method text, body text)
RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT md5(seq::text || chr(31) || chat || chr(31) || coalesce(thread, '') || chr(31) || method
    || chr(31) || body)::uuid
$$;

-- What retention has emptied cannot be checked.
CREATE OR REPLACE FUNCTION is_intact(d deliveries) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT d.row_check IS NULL OR d.body IS NULL
    OR d.row_check = content_check(d.seq, d.chat, d.thread, d.method, d.body)
$$;

CREATE OR REPLACE FUNCTION queued_of(of_seq bigint) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT to_jsonb(q) FROM (SELECT seq, account, chat, session, thread, user_id AS "user", method,
    family, budget, priority, cost, live, final, slot, enter_at AS "enterAt", rank,
    due_at AS "dueAt", expires_at AS "expiresAt", octet_length(body) AS bytes, correlation
    FROM deliveries WHERE seq = of_seq) q
$$;

-- For whoever owns the account, who does not know of it. Left again, it has another number.
CREATE OR REPLACE FUNCTION leave_stray(of_seq bigint, of_account text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO strays (seq, account) VALUES (of_seq, of_account)
    ON CONFLICT (seq) DO UPDATE SET no = DEFAULT
$$;

CREATE OR REPLACE FUNCTION past_of(d deliveries) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('acceptedAt', d.accepted_at, 'failures', d.failures,
    'doubts', d.doubts, 'cures', d.cures)
$$;

-- Of a delivery that is there.
CREATE OR REPLACE FUNCTION note(of_seq bigint, noted_at float8, from_s text, to_s text, why text, who text)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO history (day, seq, at, from_state, to_state, reason, by)
  SELECT day_of(d.accepted_at), d.seq, noted_at, from_s, to_s, why, who
  FROM deliveries d WHERE d.seq = of_seq
$$;

CREATE OR REPLACE FUNCTION supersede(of_seq bigint, by_seq bigint, ended_at float8)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE deliveries SET state = 'superseded', settled_at = ended_at, reason = 'superseded',
    detail = NULL, superseded_by = by_seq WHERE seq = of_seq;
  PERFORM note(of_seq, ended_at, 'queued', 'superseded', 'superseded', 'sluice');
END $$;

-- Who waits in its slot and takes precedence; one that does not is superseded here and now. The newest text wins,
-- except that a final never yields to a late preview. Which is newer is told by when they were accepted, because the
-- numbers of a spill were drawn before it was needed; not by their ranks, which pass from one to the next in a slot.
CREATE OR REPLACE FUNCTION rival_over(d deliveries, ended_at float8) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  rival record;
BEGIN
  SELECT r.seq, r.final, r.accepted_at INTO rival FROM deliveries r
    WHERE r.account = d.account AND r.slot = d.slot AND r.state = 'queued';
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF rival.final AND NOT d.final
    OR (d.accepted_at, d.seq) < (rival.accepted_at, rival.seq) AND (rival.final OR NOT d.final) THEN
    RETURN rival.seq;
  END IF;
  PERFORM supersede(rival.seq, d.seq, ended_at);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION write_limits(records jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  r record;
BEGIN
  FOR r IN SELECT * FROM jsonb_to_recordset(records)
    AS x(account text, key text, value text, "updatedAt" float8)
  LOOP
    IF r.value = '' THEN
      DELETE FROM limits WHERE account = r.account AND key = r.key;
    ELSE
      INSERT INTO limits (account, key, value, updated_at)
        VALUES (r.account, r.key, r.value, r."updatedAt")
        ON CONFLICT (account, key) DO UPDATE SET value = excluded.value,
          updated_at = excluded.updated_at;
    END IF;
  END LOOP;
END $$;
`;
