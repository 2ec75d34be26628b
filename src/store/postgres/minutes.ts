// Sums of minutes in Postgres, one statement each. Must give the same answers as memory/minutes.ts, word for word.

import { unreachable } from '../../system/assert.ts';
import type { PostgresSql } from '../../system/databases/postgres.ts';
import type { MinuteCommand } from '../ports/minutes.ts';

export const MINUTES_SQL = {
  save: `INSERT INTO minutes (account, minute, node, sent, failed, dead, waits)
    SELECT account, minute, node, sent, failed, dead, waits
    FROM jsonb_to_recordset($1::jsonb) AS s(account text, minute integer, node text, sent bigint,
      failed bigint, dead bigint, waits jsonb)
    ON CONFLICT (account, minute, node) DO UPDATE SET sent = excluded.sent,
      failed = excluded.failed, dead = excluded.dead, waits = excluded.waits`,
  since: `SELECT minute, account, node, sent, failed, dead, waits FROM minutes
    WHERE account = $1 AND minute >= $2 ORDER BY minute, node`,
  prune: `DELETE FROM minutes WHERE (account, minute, node) IN (
    SELECT account, minute, node FROM minutes WHERE minute < $1 ORDER BY minute LIMIT $2)`,
} as const;

export async function runMinutes(sql: PostgresSql, command: MinuteCommand): Promise<unknown> {
  switch (command.kind) {
    case 'save':
      await sql.run(MINUTES_SQL.save, JSON.stringify(command.sums));
      return null;
    case 'since':
      return sql.all(MINUTES_SQL.since, command.account, command.minute);
    case 'prune':
      return sql.run(MINUTES_SQL.prune, command.before, command.max);
    default:
      return unreachable(command);
  }
}
