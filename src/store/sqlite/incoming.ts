// What comes in, in SQL, in the worker, inside the batch's transaction. Must give the same answers as
// memory/incoming.ts, word for word.

import { unreachable } from '../../system/assert.ts';
import type { Database, SqlRow, Statement } from '../../system/databases/sqlite.ts';
import type { IncomingCommand, NewIncoming } from '../ports/updates.ts';

const WAITS = `state = 'waiting'`;
const PLACE = `update_order AS "order", update_id AS updateId`;

export const INCOMING_SQL = {
  find: 'SELECT state FROM incoming WHERE account = ? AND update_id = ?',
  insert: `INSERT INTO incoming
    (account, update_id, update_order, at, chat, message_id, voice, state, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  wait: `UPDATE incoming SET update_order = ?, chat = ?, message_id = ?, voice = ?,
    state = 'waiting', body = ? WHERE account = ? AND update_id = ?`,
  since: `SELECT at, chat, message_id AS messageId, voice FROM incoming INDEXED BY incoming_time
    WHERE account = ? AND at >= ? ORDER BY at DESC, update_order DESC, update_id DESC LIMIT ?`,
  waiting: `SELECT account, ${PLACE}, chat, at, attempts, due_at AS dueAt
    FROM incoming INDEXED BY incoming_waiting
    WHERE ${WAITS} AND (account, update_order, update_id) > (?, ?, ?)
    ORDER BY account, update_order, update_id LIMIT ?`,
  read: `SELECT ${PLACE}, at, body FROM incoming INDEXED BY incoming_waiting
    WHERE ${WAITS} AND account = ? AND (update_order, update_id) > (?, ?)
    ORDER BY update_order, update_id LIMIT ?`,
  body: `SELECT body FROM incoming INDEXED BY incoming_update
    WHERE ${WAITS} AND account = ? AND update_id = ?`,
  done: `UPDATE incoming INDEXED BY incoming_update SET state = 'done', body = ''
    WHERE ${WAITS} AND account = ? AND update_id = ?`,
  doneBefore: `UPDATE incoming INDEXED BY incoming_waiting SET state = 'done', body = ''
    WHERE ${WAITS} AND account = ? AND update_order < ?`,
  retry: `UPDATE incoming INDEXED BY incoming_update SET attempts = ?, due_at = ?
    WHERE ${WAITS} AND account = ? AND update_id = ?`,
  toPrune: `SELECT rowid AS row, account, state FROM incoming INDEXED BY incoming_at
    WHERE at < ? ORDER BY at, update_order, update_id LIMIT ?`,
  drop: 'DELETE FROM incoming WHERE rowid = ?',
} as const;

export class SqliteIncoming {
  readonly #sql: Readonly<Record<keyof typeof INCOMING_SQL, Statement>>;

  constructor(db: Database) {
    const prepared = Object.entries(INCOMING_SQL).map(([name, sql]) => [name, db.prepare(sql)]);
    this.#sql = Object.fromEntries(prepared);
  }

  run(command: IncomingCommand): unknown {
    const sql = this.#sql;
    switch (command.kind) {
      case 'record':
        return command.batch.map((one) => this.#record(one));
      case 'since':
        return rowsOf(sql.since.all(command.account, command.since, command.max)).reverse();
      case 'waiting': {
        const { afterAccount, after, max } = command;
        return rowsOf(sql.waiting.all(afterAccount, after.order, after.updateId, max));
      }
      case 'read': {
        const { account, after, max } = command;
        return rowsOf(sql.read.all(account, after.order, after.updateId, max));
      }
      case 'body':
        return sql.body.get(command.account, command.updateId)?.body ?? null;
      case 'done':
        sql.done.run(command.account, command.updateId);
        return null;
      case 'doneBefore':
        return Number(sql.doneBefore.run(command.account, command.order).changes);
      case 'retry': {
        const { account, updateId, attempts, dueAt } = command;
        sql.retry.run(attempts, dueAt, account, updateId);
        return null;
      }
      case 'prune':
        return this.#prune(command.before, command.max);
      default:
        return unreachable(command);
    }
  }

  #record(one: NewIncoming): boolean {
    const { account, updateId, order, at, chat, messageId, voice, state, body } = one;
    const before = this.#sql.find.get(account, updateId)?.state;
    if (before === undefined) {
      this.#sql.insert.run(account, updateId, order, at, chat, messageId, voice, state, body);
      return true;
    }
    if (before !== 'seen' || state !== 'waiting') return false;
    this.#sql.wait.run(order, chat, messageId, voice, body, account, updateId);
    return true;
  }

  #prune(before: number, max: number) {
    const old = this.#sql.toPrune.all(before, max);
    for (const { row } of old) this.#sql.drop.run(row!);
    const untaken = old.filter(({ state }) => state === 'waiting').map(({ account }) => account);
    return { removed: old.length, untaken };
  }
}

// The driver's rows have no prototype; what crosses to the main thread are plain objects.
function rowsOf(rows: readonly SqlRow[]): object[] {
  return rows.map((row) => ({ ...row }));
}
