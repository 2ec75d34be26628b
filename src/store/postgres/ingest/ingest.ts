// Ingest in Postgres, each command one transaction under the lock of the port: numbers of posts are a cursor, so they
// must come to light in their order. Must give the same answers as memory/ingest.ts, word for word.

import { unreachable } from '../../../system/assert.ts';
import type { PostgresSql } from '../../../system/databases/postgres.ts';
import type {
  IngestCommand,
  LeaseAnswer,
  LeaseRequest,
  NewSource,
  SourceChange,
} from '../../ports/ingest.ts';
import { commitPage, dropPosts, findPosts } from './posts.ts';
import { INGEST_SQL as SQL } from './statements.ts';

export async function runIngest(sql: PostgresSql, command: IngestCommand): Promise<unknown> {
  switch (command.kind) {
    case 'addSource':
      return addSource(sql, command.source);
    case 'source':
      return sql.get(SQL.source, command.id);
    case 'sources':
      return sql.all(SQL.sources, command.after, command.max);
    case 'sourceHeads':
      return sql.all(SQL.sourceHeads, command.after, command.max);
    case 'changeSource':
      return changeSource(sql, command);
    case 'removeSource':
      return removeSource(sql, command.id, command.max);
    case 'commit':
      return commitPage(sql, command);
    case 'post':
      return sql.get(SQL.post, command.source, command.id);
    case 'versions':
      return sql.all(SQL.versions, command.source, command.id, command.max);
    case 'posts':
      return findPosts(sql, command);
    case 'knownIds': {
      const { source, upTo, max } = command;
      return (await sql.all(SQL.knownIds, source, upTo, max)).map(({ id }) => id).reverse();
    }
    case 'channel':
      return (await sql.get(SQL.channel, command.reader, command.name))?.channel ?? null;
    case 'saveChannel':
      await sql.run(SQL.saveChannel, command.reader, command.name, command.channel);
      return null;
    case 'saveWait':
      await sql.run(SQL.saveWait, command.reader, command.method, command.until, command.at);
      return null;
    case 'dropWait':
      await sql.run(SQL.dropWait, command.reader, command.method);
      return null;
    case 'waits':
      return sql.all(SQL.waits);
    case 'takeLease':
      return takeLease(sql, command);
    case 'releaseLease':
      return (await sql.run(SQL.releaseLease, command.name, command.token)) === 1;
    case 'unforwarded':
      return sql.all(SQL.unforwarded, command.source, command.max);
    case 'forwarded':
      for (const id of command.ids) await sql.run(SQL.dropForward, command.source, id);
      return null;
    case 'saveReader': {
      const { readerKind, account, name, sealed, createdAt } = command;
      await sql.run(SQL.saveReader, readerKind, account, name, sealed, createdAt);
      return null;
    }
    case 'removeReader':
      return (await sql.run(SQL.removeReader, command.readerKind, command.account)) === 1;
    case 'readers':
      return sql.all(SQL.readers);
    default:
      return unreachable(command);
  }
}

async function addSource(
  sql: PostgresSql,
  { readerKind, name, settings, progress, createdAt }: NewSource,
) {
  const known = await sql.get(SQL.sourceNamed, readerKind, name);
  if (known !== null) return { isNew: false, source: known };
  await sql.run(SQL.addSource, readerKind, name, settings, progress, createdAt);
  return { isNew: true, source: await sql.get(SQL.sourceNamed, readerKind, name) };
}

async function changeSource(sql: PostgresSql, { id, state, settings }: SourceChange) {
  await sql.run(SQL.changeSource, state, settings, id);
  return sql.get(SQL.source, id);
}

async function removeSource(sql: PostgresSql, id: number, max: number): Promise<boolean> {
  const isMore = await dropPosts(sql, id, max);
  await sql.run(isMore ? SQL.setRemoved : SQL.dropSource, id);
  return isMore;
}

async function takeLease(
  sql: PostgresSql,
  { name, token, node, now, ttlMs }: LeaseRequest,
): Promise<LeaseAnswer> {
  const row = (await sql.get(SQL.lease, name)) as LeaseRow | null;
  const until = now + ttlMs;
  if (row !== null && row.token === token) {
    await sql.run(SQL.saveLease, name, token, row.node, row.epoch, until);
    return { kind: 'held', epoch: row.epoch, isTaken: false };
  }
  if (row !== null && row.token !== null && now < row.until) {
    return { kind: 'busy', node: row.node, until: row.until };
  }
  const epoch = (row?.epoch ?? 0) + 1;
  await sql.run(SQL.saveLease, name, token, node, epoch, until);
  return { kind: 'held', epoch, isTaken: true };
}

interface LeaseRow {
  readonly token: string | null;
  readonly node: string;
  readonly epoch: number;
  readonly until: number;
}
