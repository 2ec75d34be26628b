// Every statement about broadcasts. Each finds what it needs by an index, whatever the size of the audience.

const COLUMNS = `id, account, platform, audience, name, correlation, method, body, priority,
  not_before AS "notBefore", key, state, total, cursor, queued, sent, dead, skipped, cancelled,
  uncertain, created_at AS "createdAt", ended_at AS "endedAt"`;
const MEMBER = `m.n, m.chat, m.fields, b.at AS "blockedAt"`;
const BLOCKED = 'LEFT JOIN blocked b ON b.account = $1 AND b.chat = m.chat';

export const BROADCAST_SQL = {
  byKey: `SELECT id, digest FROM broadcasts
    WHERE account = $1 AND key = $2 AND key IS NOT NULL`,
  live: `SELECT count(*) AS count FROM broadcasts
    WHERE ended_at IS NULL AND id > $1`,
  insert: `INSERT INTO broadcasts (account, platform, audience, name, correlation, method, body,
    priority, not_before, key, digest, total, created_at, state, cursor)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'running', 1) RETURNING id`,
  get: `SELECT ${COLUMNS} FROM broadcasts WHERE id = $1`,
  list: `SELECT ${COLUMNS} FROM broadcasts WHERE id < $1 ORDER BY id DESC LIMIT $2`,
  unfinished: `SELECT ${COLUMNS} FROM broadcasts
    WHERE (ended_at IS NULL OR queued > 0) AND id > $1 ORDER BY id LIMIT $2`,
  change: 'UPDATE broadcasts SET state = $1, ended_at = $2 WHERE id = $3',
  count: `UPDATE broadcasts SET queued = queued + $1, sent = sent + $2, dead = dead + $3,
    skipped = skipped + $4, cancelled = cancelled + $5, uncertain = uncertain + $6,
    cursor = greatest(cursor, $7) WHERE id = $8`,
  cancelWithdrawn: `UPDATE outcomes SET state = 'cancelled', reason = NULL, at = $1
    WHERE broadcast = $2 AND state = 'pending'`,
  hasWithdrawn: `SELECT 1 FROM outcomes
    WHERE broadcast = $1 AND state = 'pending' LIMIT 1`,
  withdrawn: `SELECT ${MEMBER} FROM outcomes o
    JOIN members m ON m.audience = $2 AND m.n = o.n ${BLOCKED}
    WHERE o.broadcast = $3 AND o.state = 'pending' ORDER BY o.n LIMIT $4`,
  unfed: `SELECT ${MEMBER} FROM members m ${BLOCKED}
    WHERE m.audience = $2 AND m.n >= $3 ORDER BY m.n LIMIT $4`,
  fedBefore: 'SELECT n, state FROM outcomes WHERE broadcast = $1 AND n = ANY ($2::bigint[])',
  feed: `INSERT INTO outcomes (broadcast, n, seq, state, reason, at)
    SELECT $1, n, seq, state, reason, $2
    FROM unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[]) AS g(n, seq, state, reason)
    ON CONFLICT (broadcast, n) DO UPDATE SET seq = excluded.seq, state = excluded.state,
    reason = excluded.reason, at = excluded.at`,
  bySeq: `SELECT seq, broadcast, n, state FROM outcomes
    WHERE seq = ANY ($1::bigint[]) AND seq IS NOT NULL`,
  settle: `UPDATE outcomes o SET seq = g.seq, state = g.state, reason = g.reason, at = $1
    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[])
      AS g(broadcast, n, seq, state, reason)
    WHERE o.broadcast = g.broadcast AND o.n = g.n`,
  onRoad: `SELECT n, seq FROM outcomes
    WHERE broadcast = $1 AND state = 'queued' AND n > $2 ORDER BY n LIMIT $3`,
  everyone: `SELECT m.n, m.chat, o.state, o.reason, o.seq, o.at FROM members m
    LEFT JOIN outcomes o ON o.broadcast = $1 AND o.n = m.n
    WHERE m.audience = $2 AND m.n >= $3 ORDER BY m.n LIMIT $4`,
  firstOutcome: 'SELECT min(n) AS n FROM outcomes WHERE broadcast = $1',
  inState: `SELECT m.n, m.chat, o.state, o.reason, o.seq, o.at
    FROM outcomes o JOIN members m ON m.audience = $1 AND m.n = o.n
    WHERE o.broadcast = $2 AND o.state = $3 AND o.n > $4 ORDER BY o.n LIMIT $5`,
  neverFed: 'SELECT n, chat FROM members WHERE audience = $1 AND n >= $2 ORDER BY n LIMIT $3',
  block: `INSERT INTO blocked (account, chat, reason, at)
    SELECT DISTINCT ON (account, chat) account, chat, reason, $1::float8
    FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS g(account, chat, reason, ord)
    ORDER BY account, chat, ord DESC
    ON CONFLICT (account, chat) DO UPDATE SET reason = excluded.reason, at = excluded.at`,
  unblock: `DELETE FROM blocked b USING unnest($1::text[], $2::text[]) AS g(account, chat)
    WHERE b.account = g.account AND b.chat = g.chat`,
  isBlocked: 'SELECT 1 FROM blocked WHERE account = $1 LIMIT 1',
  isAnyBlocked: "SELECT 1 FROM blocked WHERE account > '' LIMIT 1",
  ended: `SELECT id, audience FROM broadcasts
    WHERE ended_at < $1 AND queued = 0 ORDER BY ended_at, id LIMIT 1`,
  dropOutcomes: `DELETE FROM outcomes WHERE broadcast = $1 AND n IN
    (SELECT n FROM outcomes WHERE broadcast = $1 ORDER BY n LIMIT $2)`,
  drop: 'DELETE FROM broadcasts WHERE id = $1',
} as const;
