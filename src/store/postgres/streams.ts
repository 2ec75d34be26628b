// Live output in Postgres: what an owner writes goes with the batch, which locks its account's row (the server's part
// is functions/move.ts), all else is one statement each. Must give the same answers as memory/streams.ts, word for
// word.

import { unreachable } from '../../system/assert.ts';
import type { PostgresSql } from '../../system/databases/postgres.ts';
import type { Kept } from '../ports/ownership.ts';
import {
  type SaveStream,
  type StreamCommand,
  type StreamStore,
  streamsOver,
} from '../ports/streams.ts';
import type { WriteCommand } from './batch.ts';
import type { BatchCommit } from './group-commit.ts';

const COLUMNS = 'id, account, ended_at AS "endedAt", text, record';

export const STREAMS_SQL = {
  get: `SELECT ${COLUMNS} FROM streams WHERE id = $1`,
  open: `SELECT ${COLUMNS} FROM streams
    WHERE ended_at IS NULL AND id > $1 ORDER BY id LIMIT $2`,
  prune: `DELETE FROM streams WHERE id IN (
    SELECT id FROM streams
    WHERE ended_at IS NOT NULL AND ended_at < $1 ORDER BY ended_at, id LIMIT $2)`,
} as const;

export function streamsTo(
  commits: BatchCommit,
  ask: (work: (sql: PostgresSql) => Promise<unknown>) => Promise<unknown>,
): StreamStore {
  return streamsOver((command) =>
    command.kind === 'save'
      ? commits.submit(saveCommand(command), (answer) => answer as Kept)
      : ask((sql) => run(sql, command)),
  );
}

function saveCommand({ kind, ...words }: SaveStream): WriteCommand {
  const { account, text, record } = words;
  const bytes = text.length + record.length;
  return { op: 'save_stream', account, run: null, bytes, encode: () => words };
}

async function run(
  sql: PostgresSql,
  command: Exclude<StreamCommand, SaveStream>,
): Promise<unknown> {
  switch (command.kind) {
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
