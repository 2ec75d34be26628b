// Sums of minutes in SQL, in the worker, inside the batch's transaction. Must give the same answers as
// memory/minutes.ts, word for word.

import { unreachable } from '../../system/assert.ts';
import type { Database, SqlRow, Statement } from '../../system/databases/sqlite.ts';
import type { MinuteCommand } from '../ports/minutes.ts';

export const MINUTES_SQL = {
  save: `INSERT INTO minutes (account, minute, node, sent, failed, dead, waits)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (account, minute, node) DO UPDATE SET sent = excluded.sent,
      failed = excluded.failed, dead = excluded.dead, waits = excluded.waits`,
  since: `SELECT minute, account, node, sent, failed, dead, waits FROM minutes
    WHERE account = ? AND minute >= ? ORDER BY minute, node`,
  prune: `DELETE FROM minutes WHERE (account, minute, node) IN (
    SELECT account, minute, node FROM minutes INDEXED BY minutes_minute
    WHERE minute < ? ORDER BY minute LIMIT ?)`,
} as const;

export class SqliteMinutes {
  readonly #sql: Readonly<Record<keyof typeof MINUTES_SQL, Statement>>;

  constructor(db: Database) {
    const prepared = Object.entries(MINUTES_SQL).map(([name, sql]) => [name, db.prepare(sql)]);
    this.#sql = Object.fromEntries(prepared);
  }

  run(command: MinuteCommand): unknown {
    const sql = this.#sql;
    switch (command.kind) {
      case 'save':
        for (const { account, minute, node, sent, failed, dead, waits } of command.sums) {
          sql.save.run(account, minute, node, sent, failed, dead, JSON.stringify(waits));
        }
        return null;
      case 'since':
        return sql.since.all(command.account, command.minute).map(sumOf);
      case 'prune':
        return Number(sql.prune.run(command.before, command.max).changes);
      default:
        return unreachable(command);
    }
  }
}

function sumOf(row: SqlRow): object {
  return { ...row, waits: JSON.parse(String(row.waits)) };
}
