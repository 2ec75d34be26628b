// Every statement about broadcasts. Each finds what it needs by an index, whatever the size of the audience.

const COLUMNS = `id, account, platform, audience, name, correlation, method, body, priority,
  not_before AS notBefore, key, state, total, cursor, queued, sent, dead, skipped, cancelled, uncertain,
  created_at AS createdAt, ended_at AS endedAt`;
const MEMBER = `m.n, m.chat, m.fields, b.at AS blockedAt`;
const BLOCKED = 'LEFT JOIN blocked b ON b.account = ?1 AND b.chat = m.chat';

export const BROADCAST_SQL = {
  byKey: `SELECT id, digest FROM broadcasts INDEXED BY broadcasts_key
    WHERE account = ? AND key = ? AND key IS NOT NULL`,
  live: `SELECT count(*) AS count FROM broadcasts INDEXED BY broadcasts_live
    WHERE ended_at IS NULL AND id > ?`,
  insert: `INSERT INTO broadcasts (account, platform, audience, name, correlation, method, body,
    priority, not_before, key, digest, total, created_at, state, cursor)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', 1)`,
  get: `SELECT ${COLUMNS} FROM broadcasts WHERE id = ?`,
  list: `SELECT ${COLUMNS} FROM broadcasts WHERE id < ? ORDER BY id DESC LIMIT ?`,
  unfinished: `SELECT ${COLUMNS} FROM broadcasts INDEXED BY broadcasts_unfinished
    WHERE (ended_at IS NULL OR queued > 0) AND id > ? ORDER BY id LIMIT ?`,
  change: 'UPDATE broadcasts SET state = ?, ended_at = ? WHERE id = ?',
  count: `UPDATE broadcasts SET queued = queued + ?, sent = sent + ?, dead = dead + ?,
    skipped = skipped + ?, cancelled = cancelled + ?, uncertain = uncertain + ?,
    cursor = max(cursor, ?) WHERE id = ?`,
  cancelWithdrawn: `UPDATE outcomes SET state = 'cancelled', reason = NULL, at = ?
    WHERE broadcast = ? AND state = 'pending'`,
  hasWithdrawn: `SELECT 1 FROM outcomes INDEXED BY outcomes_state
    WHERE broadcast = ? AND state = 'pending' LIMIT 1`,
  withdrawn: `SELECT ${MEMBER} FROM outcomes o INDEXED BY outcomes_state
    CROSS JOIN members m ON m.audience = ?2 AND m.n = o.n ${BLOCKED}
    WHERE o.broadcast = ?3 AND o.state = 'pending' ORDER BY o.n LIMIT ?4`,
  unfed: `SELECT ${MEMBER} FROM members m ${BLOCKED}
    WHERE m.audience = ?2 AND m.n >= ?3 ORDER BY m.n LIMIT ?4`,
  outcome: 'SELECT state FROM outcomes WHERE broadcast = ? AND n = ?',
  feed: `INSERT INTO outcomes (broadcast, n, seq, state, reason, at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (broadcast, n) DO UPDATE SET seq = excluded.seq, state = excluded.state,
    reason = excluded.reason, at = excluded.at`,
  bySeq: `SELECT broadcast, n, state FROM outcomes INDEXED BY outcomes_seq
    WHERE seq = ? AND seq IS NOT NULL`,
  settle: `UPDATE outcomes SET seq = ?, state = ?, reason = ?, at = ?
    WHERE broadcast = ? AND n = ?`,
  onRoad: `SELECT n, seq FROM outcomes INDEXED BY outcomes_state
    WHERE broadcast = ? AND state = 'queued' AND n > ? ORDER BY n LIMIT ?`,
  everyone: `SELECT m.n, m.chat, o.state, o.reason, o.seq, o.at FROM members m
    LEFT JOIN outcomes o ON o.broadcast = ?1 AND o.n = m.n
    WHERE m.audience = ?2 AND m.n >= ?3 ORDER BY m.n LIMIT ?4`,
  firstOutcome: 'SELECT min(n) AS n FROM outcomes WHERE broadcast = ?',
  inState: `SELECT m.n, m.chat, o.state, o.reason, o.seq, o.at
    FROM outcomes o INDEXED BY outcomes_state CROSS JOIN members m ON m.audience = ?1 AND m.n = o.n
    WHERE o.broadcast = ?2 AND o.state = ?3 AND o.n > ?4 ORDER BY o.n LIMIT ?5`,
  neverFed: 'SELECT n, chat FROM members WHERE audience = ? AND n >= ? ORDER BY n LIMIT ?',
  block: `INSERT INTO blocked (account, chat, reason, at) VALUES (?, ?, ?, ?)
    ON CONFLICT (account, chat) DO UPDATE SET reason = excluded.reason, at = excluded.at`,
  unblock: 'DELETE FROM blocked WHERE account = ? AND chat = ?',
  isBlocked: 'SELECT 1 FROM blocked WHERE account = ? LIMIT 1',
  isAnyBlocked: "SELECT 1 FROM blocked WHERE account > '' LIMIT 1",
  ended: `SELECT id, audience FROM broadcasts INDEXED BY broadcasts_ended
    WHERE ended_at < ? AND queued = 0 ORDER BY ended_at, id LIMIT 1`,
  dropOutcomes: `DELETE FROM outcomes WHERE broadcast = ?1 AND n IN
    (SELECT n FROM outcomes WHERE broadcast = ?1 ORDER BY n LIMIT ?2)`,
  drop: 'DELETE FROM broadcasts WHERE id = ?',
} as const;
