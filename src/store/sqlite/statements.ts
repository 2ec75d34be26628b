// Every statement that writes a delivery, prepared once per connection. All look rows up by their
// primary key or by an index; a test asks the engine for the plan of each.

import { type Database, prepareArrays, type Statement } from '../../system/databases/sqlite.ts';
import { QUEUED_COLUMNS } from './rows.ts';

// What is known of a new delivery, in the order of the wire; its place in the queue comes last.
const NEW_COLUMNS = `seq, account, platform, chat, thread, session, user, correlation, method,
  family, budget, priority, cost, live, final, slot, due_at, expires_at, accepted_at, idempotency_key,
  enter_at, rank, body, held, repeats, row_check`;
const NEW_VALUES = Array(26).fill('?').join(', ');

export const SQL = {
  insert: `INSERT INTO deliveries (${NEW_COLUMNS}) VALUES (${NEW_VALUES})`,
  insertBegun: `INSERT INTO deliveries (seq, account, platform, chat, method, family, budget, priority,
    accepted_at, enter_at, rank, cost, live, final, due_at, expires_at, state, attempts, body,
    held, row_check)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?13, 1, 0, 0, 0, 0, 'sending', 1, ?10, ?11, ?12)`,
  insertLate: `INSERT INTO deliveries (${NEW_COLUMNS}, settled_at, superseded_by, reason, state)
    VALUES (${NEW_VALUES}, ?, ?, ?, 'superseded')`,
  waitingInSlot: `SELECT seq, final, enter_at, rank, due_at FROM deliveries INDEXED BY deliveries_slot
    WHERE account = ? AND slot = ? AND state = 'queued'`,
  findKey: `SELECT i.seq, i.digest, d.state FROM idempotency i JOIN deliveries d ON d.seq = i.seq
    WHERE i.account = ? AND i.key = ? AND i.expires_at > ?`,
  saveKey: `INSERT INTO idempotency (account, key, seq, digest, expires_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (account, key) DO UPDATE
    SET seq = excluded.seq, digest = excluded.digest, expires_at = excluded.expires_at`,

  toBegin: `SELECT state, account, attempts, accepted_at, failures, doubts, cures, chat, thread,
    method, body, row_check FROM deliveries WHERE seq = ?`,
  begin: `UPDATE deliveries SET state = 'sending', attempts = ? WHERE seq = ?`,
  insertAttempt: 'INSERT INTO attempts (seq, n, started_at, waited_for) VALUES (?, ?, ?, ?)',

  toMove: `SELECT seq, state, account, attempts, doubts, slot, final, cures, idempotency_key AS key, held,
    message_id AS messageId
    FROM deliveries WHERE seq = ?`,
  endAttempt: `UPDATE attempts SET ended_at = ?, outcome = ?, reason = ?, detail = ?,
    retry_after_ms = ? WHERE seq = ? AND n = ?`,
  settle: `UPDATE deliveries SET state = ?, settled_at = ?, reason = ?, detail = ?,
    due_at = coalesce(?, due_at), failures = failures + ?, doubts = doubts + ?, message_id = ?,
    held = ? WHERE seq = ?`,
  keepChat: `UPDATE attempts SET chat = (SELECT chat FROM deliveries WHERE seq = ?1)
    WHERE seq = ?1 AND chat IS NULL`,
  cure: 'UPDATE deliveries SET cures = ?, chat = coalesce(?, chat) WHERE seq = ?',
  content: `SELECT seq, chat, thread, method, body, row_check AS "check" FROM deliveries
    WHERE seq = ?`,
  saveBody: 'UPDATE deliveries SET body = ?2 WHERE seq = ?1',
  saveCheck: 'UPDATE deliveries SET row_check = ? WHERE seq = ?',
  saveResult: `INSERT INTO results (seq, result) VALUES (?, ?)
    ON CONFLICT (seq) DO UPDATE SET result = excluded.result`,
  dropResult: 'DELETE FROM results WHERE seq = ?',

  setHeld: 'UPDATE deliveries SET held = ? WHERE seq = ?',
  asked: `SELECT account, method, chat, thread, session, body FROM deliveries
    WHERE seq = ? AND print IS NULL`,
  savePrint: 'UPDATE deliveries SET print = ? WHERE seq = ?',

  moveTo:
    'UPDATE deliveries SET state = ?, settled_at = ?, reason = ?, detail = NULL WHERE seq = ?',
  supersede: `UPDATE deliveries SET state = 'superseded', settled_at = ?, reason = ?, detail = NULL,
    superseded_by = ? WHERE seq = ?`,
  renew: 'UPDATE deliveries SET due_at = 0, failures = 0, message_id = NULL WHERE seq = ?',
  note: `INSERT INTO history (seq, at, from_state, to_state, reason, by) VALUES (?, ?, ?, ?, ?, ?)`,
  told: 'SELECT reason FROM history WHERE seq = ? AND by = ?',
  receipt: `UPDATE deliveries SET state = ?, settled_at = ?, reason = ?, detail = ?, message_id = ?,
    held = ? WHERE seq = ?`,
  queued: `SELECT ${QUEUED_COLUMNS} FROM deliveries WHERE seq = ?`,

  saveLimit: `INSERT INTO limits (account, key, value, updated_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (account, key) DO UPDATE
    SET value = excluded.value, updated_at = excluded.updated_at`,
  dropLimit: 'DELETE FROM limits WHERE account = ? AND key = ?',
  saveAccount: `INSERT INTO accounts (id, platform, sealed, paused, refused, created_at)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET platform = excluded.platform,
    sealed = excluded.sealed, paused = excluded.paused, refused = excluded.refused,
    created_at = excluded.created_at`,

  dropAccount: 'DELETE FROM accounts WHERE id = ?',

  saveFiles: 'INSERT OR IGNORE INTO spooled (seq, id) SELECT ?, value FROM json_each(?)',
  // All of them: the table is as small as the spool.
  spooled: `SELECT s.seq, s.id, d.state FROM spooled s LEFT JOIN deliveries d ON d.seq = s.seq
    WHERE s.seq > 0`,
  dropFiles: 'DELETE FROM spooled WHERE seq = ?',

  toPrune: `SELECT seq, account, state, idempotency_key AS key FROM deliveries
    INDEXED BY deliveries_ended WHERE settled_at < ? AND state <> 'dead' AND state <> 'uncertain'
    ORDER BY settled_at LIMIT ?`,
  deadToPrune: `SELECT seq, account, state, idempotency_key AS key FROM deliveries
    INDEXED BY deliveries_stuck_ended WHERE settled_at < ? AND (state = 'dead' OR state = 'uncertain')
    ORDER BY settled_at LIMIT ?`,
  saveCopy: 'INSERT INTO copies (origin, seq) VALUES (?, ?)',
  dropCopy: 'DELETE FROM copies WHERE seq = ?',
  dropDelivery: 'DELETE FROM deliveries WHERE seq = ?',
  dropAttempts: 'DELETE FROM attempts WHERE seq = ?',
  dropHistory: 'DELETE FROM history WHERE seq = ?',
  dropKey: 'DELETE FROM idempotency WHERE account = ? AND key = ? AND seq = ?',
  saveSeqLast: `UPDATE meta SET value = ? WHERE name = 'seq_last'`,
} as const;

export type Statements = Readonly<Record<keyof typeof SQL, Statement>>;

// Read as arrays: these run on every delivery or feed `queuedOfRow`.
const AS_ARRAYS: readonly (keyof typeof SQL)[] = ['toBegin', 'queued'];

export function prepareAll(db: Database): Statements {
  const names = Object.keys(SQL) as (keyof typeof SQL)[];
  const prepared = names.map((name) => [
    name,
    AS_ARRAYS.includes(name) ? prepareArrays(db, SQL[name]) : db.prepare(SQL[name]),
  ]);
  return Object.fromEntries(prepared) as Statements;
}
