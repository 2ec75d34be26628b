// Audiences in Postgres. Must give the same answers as memory/audiences.ts, word for word.

import type { AccountId } from '../../domain/ids.ts';
import { unreachable } from '../../system/assert.ts';
import type { PostgresRow, PostgresSql } from '../../system/databases/postgres.ts';
import { namesIn } from '../../system/json.ts';
import { ChatSet } from '../chat-set.ts';
import type { AudienceCommand } from '../memory/audiences.ts';
import type { FillCommand, StoredAudience } from '../ports/broadcasts.ts';

const COLUMNS = 'id, account, name, count, fields, created_at AS "createdAt"';

export const AUDIENCE_SQL = {
  count: `SELECT count(*) AS count FROM audiences WHERE state = 'sealed'`,
  open: `INSERT INTO audiences (name, state, count, fields, created_at)
    VALUES ($1, 'open', 0, '[]', $2) RETURNING id`,
  state: 'SELECT state, name, count FROM audiences WHERE id = $1',
  add: `INSERT INTO members (audience, n, chat, fields)
    SELECT $1, $2 + ord, chat, fields
    FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS g(chat, fields, ord)`,
  grow: 'UPDATE audiences SET count = $1 WHERE id = $2',
  seal: `UPDATE audiences SET state = 'sealed', account = $1, fields = $2 WHERE id = $3 AND state = 'open'`,
  drop: `UPDATE audiences SET state = 'dropped' WHERE id = $1 AND state = 'open'`,
  dropOpen: `UPDATE audiences SET state = 'dropped' WHERE state = 'open' AND created_at < $1`,
  get: `SELECT ${COLUMNS} FROM audiences WHERE id = $1`,
  named: `SELECT ${COLUMNS} FROM audiences
    WHERE name = $1 AND state = 'sealed'`,
  list: `SELECT ${COLUMNS} FROM audiences
    WHERE name > $1 AND state = 'sealed' ORDER BY name LIMIT $2`,
  unname: 'UPDATE audiences SET name = NULL WHERE id = $1',
  dropUnneeded: `UPDATE audiences SET state = 'dropped' WHERE id = $1 AND name IS NULL
    AND NOT EXISTS (SELECT 1 FROM broadcasts WHERE audience = audiences.id)`,
  dropped: `SELECT id FROM audiences WHERE state = 'dropped' ORDER BY id LIMIT 1`,
  sweep: `DELETE FROM members WHERE audience = $1 AND n IN
    (SELECT n FROM members WHERE audience = $1 ORDER BY n DESC LIMIT $2)`,
  remove: 'DELETE FROM audiences WHERE id = $1',
} as const;

// Of those that this process fills. A fill that failed leaves too many in it; its audience is dropped.
export type FilledChats = Map<number, ChatSet>;

export async function runAudiences(
  sql: PostgresSql,
  chats: FilledChats,
  command: AudienceCommand,
): Promise<unknown> {
  switch (command.kind) {
    case 'open': {
      const { count } = (await sql.get(AUDIENCE_SQL.count))!;
      if (Number(count) >= command.audiencesMax) return null;
      return (await sql.get(AUDIENCE_SQL.open, command.name, command.at))!.id;
    }
    case 'fill':
      return fill(sql, chats, command);
    case 'seal':
      return seal(sql, chats, command.audience, command.fields);
    case 'drop':
      chats.delete(command.audience);
      await sql.run(AUDIENCE_SQL.drop, command.audience);
      return null;
    case 'dropOpen':
      await sql.run(AUDIENCE_SQL.dropOpen, command.before);
      return null;
    case 'named':
      return named(sql, command.name);
    case 'audiences':
      return (await sql.all(AUDIENCE_SQL.list, command.after, command.max)).map(audienceOf);
    case 'forget':
      return unname(sql, command.name);
    default:
      return unreachable(command);
  }
}

// Of one that is sealed, or open and without a name; null: it is not so.
export async function countOf(
  sql: PostgresSql,
  audience: number,
  as: 'sealed' | 'unnamed',
): Promise<number | null> {
  const row = await sql.get(AUDIENCE_SQL.state, audience);
  if (row === null) return null;
  const isSo = as === 'sealed' ? row.state === 'sealed' : row.state === 'open' && row.name === null;
  return isSo ? Number(row.count) : null;
}

// `account`: whose broadcast it was made for.
export async function markSealed(
  sql: PostgresSql,
  chats: FilledChats,
  audience: number,
  { account, fields }: { account: AccountId | null; fields: readonly string[] },
): Promise<void> {
  chats.delete(audience);
  await sql.run(AUDIENCE_SQL.seal, account, JSON.stringify(fields), audience);
}

export async function sweepAudiences(sql: PostgresSql, max: number): Promise<number> {
  let left = max;
  while (left > 0) {
    const dropped = await sql.get(AUDIENCE_SQL.dropped);
    if (dropped === null) break;
    const id = Number(dropped.id);
    left -= await sql.run(AUDIENCE_SQL.sweep, id, left);
    if (left === 0) break;
    await sql.run(AUDIENCE_SQL.remove, id);
    left -= 1;
  }
  return max - left;
}

async function fill(
  sql: PostgresSql,
  filled: FilledChats,
  { audience, members }: FillCommand,
): Promise<{ added: number; repeated: number }> {
  const row = await sql.get(AUDIENCE_SQL.state, audience);
  if (row?.state !== 'open') return { added: 0, repeated: 0 };
  const before = Number(row.count);
  const chats = filled.get(audience) ?? new ChatSet();
  filled.set(audience, chats);
  const fresh = members.filter(({ chat }) => chats.add(chat));
  await sql.run(
    AUDIENCE_SQL.add,
    audience,
    before,
    fresh.map(({ chat }) => chat),
    fresh.map(({ fields }) => fields),
  );
  await sql.run(AUDIENCE_SQL.grow, before + fresh.length, audience);
  return { added: fresh.length, repeated: members.length - fresh.length };
}

async function seal(
  sql: PostgresSql,
  chats: FilledChats,
  audience: number,
  fields: readonly string[],
): Promise<StoredAudience | null> {
  const row = await sql.get(AUDIENCE_SQL.state, audience);
  if (row?.state !== 'open') return null;
  if (row.name !== null) await unname(sql, String(row.name));
  await markSealed(sql, chats, audience, { account: null, fields });
  return audienceOf((await sql.get(AUDIENCE_SQL.get, audience))!);
}

async function named(sql: PostgresSql, name: string): Promise<StoredAudience | null> {
  const row = await sql.get(AUDIENCE_SQL.named, name);
  return row === null ? null : audienceOf(row);
}

async function unname(sql: PostgresSql, name: string): Promise<boolean> {
  const old = await named(sql, name);
  if (old === null) return false;
  await sql.run(AUDIENCE_SQL.unname, old.id);
  await sql.run(AUDIENCE_SQL.dropUnneeded, old.id);
  return true;
}

function audienceOf(row: PostgresRow): StoredAudience {
  return { ...(row as unknown as StoredAudience), fields: namesIn(String(row.fields)) };
}
