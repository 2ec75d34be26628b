// Live output in SQL, in the worker, inside the batch's transaction. Must give the same answers as
// memory/streams.ts, word for word.

import { unreachable } from '../../system/assert.ts';
import type { Database, Statement } from '../../system/databases/sqlite.ts';
import { type Kept, NOT_OWNER } from '../ports/ownership.ts';
import type { SaveStream, StreamCommand } from '../ports/streams.ts';
import type { Owners } from './owners.ts';

const COLUMNS = 'id, account, ended_at AS endedAt, text, record';

export const STREAMS_SQL = {
  save: `INSERT INTO streams (id, account, ended_at, text, record) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at, text = excluded.text,
      record = excluded.record
    WHERE ended_at IS NULL AND account = excluded.account`,
  get: `SELECT ${COLUMNS} FROM streams WHERE id = ?`,
  open: `SELECT ${COLUMNS} FROM streams INDEXED BY streams_open
    WHERE ended_at IS NULL AND id > ? ORDER BY id LIMIT ?`,
  prune: `DELETE FROM streams WHERE id IN (
    SELECT id FROM streams INDEXED BY streams_ended
    WHERE ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at, id LIMIT ?)`,
} as const;

export class SqliteStreams {
  readonly #sql: Readonly<Record<keyof typeof STREAMS_SQL, Statement>>;

  readonly #owners: Pick<Owners, 'isOlder'>;

  constructor(db: Database, owners: Pick<Owners, 'isOlder'>) {
    this.#owners = owners;
    const prepared = Object.entries(STREAMS_SQL).map(([name, sql]) => [name, db.prepare(sql)]);
    this.#sql = Object.fromEntries(prepared);
  }

  run(command: StreamCommand): unknown {
    const sql = this.#sql;
    switch (command.kind) {
      case 'save':
        return this.#save(command);
      case 'get': {
        const row = sql.get.get(command.id);
        // The driver's rows have no prototype; what crosses to the main thread are plain objects.
        return row === undefined ? null : { ...row };
      }
      case 'open':
        return sql.open.all(command.after, command.max).map((row) => ({ ...row }));
      case 'prune':
        return Number(sql.prune.run(command.endedBefore, command.max).changes);
      default:
        return unreachable(command);
    }
  }

  #save({ epoch, id, account, endedAt, text, record }: SaveStream): Kept {
    if (this.#owners.isOlder(account, epoch)) return NOT_OWNER;
    const { save, get } = this.#sql;
    const isSaved = Number(save.run(id, account, endedAt, text, record).changes) > 0;
    // It has ended, or is of another account.
    return isSaved || get.get(id)?.account === account ? { kind: 'kept' } : NOT_OWNER;
  }
}
