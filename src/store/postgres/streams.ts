// Live output in Postgres, one statement each. Must give the same answers as memory/streams.ts, word for word.

import { unreachable } from '../../system/assert.ts';
import type { PostgresSql } from '../../system/databases/postgres.ts';
import type { StreamCommand } from '../ports/streams.ts';

const COLUMNS = 'id, account, ended_at AS "endedAt", text, record';

export const STREAMS_SQL = {
  save: `INSERT INTO streams (id, account, ended_at, text, record) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at, text = excluded.text,
      record = excluded.record
    WHERE streams.ended_at IS NULL`,
  get: `SELECT ${COLUMNS} FROM streams WHERE id = $1`,
  open: `SELECT ${COLUMNS} FROM streams
    WHERE ended_at IS NULL AND id > $1 ORDER BY id LIMIT $2`,
  prune: `DELETE FROM streams WHERE id IN (
    SELECT id FROM streams
    WHERE ended_at IS NOT NULL AND ended_at < $1 ORDER BY ended_at, id LIMIT $2)`,
} as const;

export async function runStreams(sql: PostgresSql, command: StreamCommand): Promise<unknown> {
  switch (command.kind) {
    case 'save': {
      const { id, account, endedAt, text, record } = command;
      await sql.run(STREAMS_SQL.save, id, account, endedAt, text, record);
      return null;
    }
    case 'get':
      return sql.get(STREAMS_SQL.get, command.id);
    case 'open':
      return sql.all(STREAMS_SQL.open, command.after, command.max);
    case 'prune':
      return sql.run(STREAMS_SQL.prune, command.endedBefore, command.max);
    default:
      return unreachable(command);
  }
}
