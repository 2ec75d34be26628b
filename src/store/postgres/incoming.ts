// What comes in, in Postgres. Must give the same answers as memory/incoming.ts, word for word.

import { unreachable } from '../../system/assert.ts';
import type { PostgresSql } from '../../system/databases/postgres.ts';
import type { IncomingCommand, NewIncoming } from '../ports/updates.ts';

const WAITS = `state = 'waiting'`;
const PLACE = `update_order AS "order", update_id AS "updateId"`;

export const INCOMING_SQL = {
  find: `SELECT i.account, i.update_id AS "updateId", i.state FROM incoming i
    JOIN unnest($1::text[], $2::text[]) AS g(account, update_id)
      ON i.account = g.account AND i.update_id = g.update_id`,
  save: `INSERT INTO incoming
      (account, update_id, update_order, at, chat, message_id, voice, state, body)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::float8[], $5::text[], $6::text[],
      $7::text[], $8::text[], $9::text[])
    ON CONFLICT (account, update_id) DO UPDATE SET update_order = excluded.update_order,
      chat = excluded.chat, message_id = excluded.message_id, voice = excluded.voice,
      state = excluded.state, body = excluded.body`,
  since: `SELECT at, chat, message_id AS "messageId", voice FROM incoming
    WHERE account = $1 AND at >= $2 ORDER BY at DESC, update_order DESC, update_id DESC LIMIT $3`,
  waiting: `SELECT account, ${PLACE}, chat, at, attempts, due_at AS "dueAt" FROM incoming
    WHERE ${WAITS} AND (account, update_order, update_id) > ($1, $2, $3)
    ORDER BY account, update_order, update_id LIMIT $4`,
  read: `SELECT ${PLACE}, at, body FROM incoming
    WHERE ${WAITS} AND account = $1 AND (update_order, update_id) > ($2, $3)
    ORDER BY update_order, update_id LIMIT $4`,
  body: `SELECT body FROM incoming WHERE ${WAITS} AND account = $1 AND update_id = $2`,
  done: `UPDATE incoming SET state = 'done', body = ''
    WHERE ${WAITS} AND account = $1 AND update_id = $2`,
  doneBefore: `UPDATE incoming SET state = 'done', body = ''
    WHERE ${WAITS} AND account = $1 AND update_order < $2`,
  retry: `UPDATE incoming SET attempts = $1, due_at = $2
    WHERE ${WAITS} AND account = $3 AND update_id = $4`,
  prune: `WITH old AS (SELECT account, update_order, update_id, state, at FROM incoming
      WHERE at < $1 ORDER BY at, update_order, update_id LIMIT $2),
    dropped AS (DELETE FROM incoming i USING old o
      WHERE i.account = o.account AND i.update_id = o.update_id)
    SELECT account, state FROM old ORDER BY at, update_order, update_id`,
} as const;

export async function runIncoming(sql: PostgresSql, command: IncomingCommand): Promise<unknown> {
  switch (command.kind) {
    case 'record':
      return record(sql, command.batch);
    case 'since': {
      const { account, since, max } = command;
      return (await sql.all(INCOMING_SQL.since, account, since, max)).reverse();
    }
    case 'waiting': {
      const { afterAccount, after, max } = command;
      return sql.all(INCOMING_SQL.waiting, afterAccount, after.order, after.updateId, max);
    }
    case 'read': {
      const { account, after, max } = command;
      return sql.all(INCOMING_SQL.read, account, after.order, after.updateId, max);
    }
    case 'body': {
      const row = await sql.get(INCOMING_SQL.body, command.account, command.updateId);
      return row?.body ?? null;
    }
    case 'done':
      await sql.run(INCOMING_SQL.done, command.account, command.updateId);
      return null;
    case 'doneBefore':
      return sql.run(INCOMING_SQL.doneBefore, command.account, command.order);
    case 'retry': {
      const { account, updateId, attempts, dueAt } = command;
      await sql.run(INCOMING_SQL.retry, attempts, dueAt, account, updateId);
      return null;
    }
    case 'prune': {
      const old = await sql.all(INCOMING_SQL.prune, command.before, command.max);
      const untaken = old.filter(({ state }) => state === 'waiting').map(({ account }) => account);
      return { removed: old.length, untaken };
    }
    default:
      return unreachable(command);
  }
}

// One look-up and one write for the whole batch, in which an update may stand twice.
async function record(sql: PostgresSql, batch: readonly NewIncoming[]): Promise<boolean[]> {
  const known = await sql.all(
    INCOMING_SQL.find,
    batch.map(({ account }) => account),
    batch.map(({ updateId }) => updateId),
  );
  const states = new Map(
    known.map(({ account, updateId, state }) => [`${account}\0${updateId}`, state]),
  );
  const changed = new Map<string, NewIncoming>();
  const isNew = batch.map((one) => {
    const key = `${one.account}\0${one.updateId}`;
    const before = states.get(key);
    if (before !== undefined && (before !== 'seen' || one.state !== 'waiting')) return false;
    states.set(key, one.state);
    // It came when it first did.
    changed.set(key, { ...one, at: changed.get(key)?.at ?? one.at });
    return true;
  });
  if (changed.size > 0) await save(sql, [...changed.values()]);
  return isNew;
}

async function save(sql: PostgresSql, rows: readonly NewIncoming[]): Promise<void> {
  await sql.run(
    INCOMING_SQL.save,
    rows.map(({ account }) => account),
    rows.map(({ updateId }) => updateId),
    rows.map(({ order }) => order),
    rows.map(({ at }) => at),
    rows.map(({ chat }) => chat),
    rows.map(({ messageId }) => messageId),
    rows.map(({ voice }) => voice),
    rows.map(({ state }) => state),
    rows.map(({ body }) => body),
  );
}
