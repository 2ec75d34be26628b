// Posts in Postgres: a page is written and found; see ingest.ts.

import { ID_MAX, ID_ZERO, idMinus } from '../../../domain/decimal-id.ts';
import type { PostgresSql } from '../../../system/databases/postgres.ts';
import type {
  NewPost,
  PageCommit,
  PageCommitted,
  PostPage,
  PostQuery,
  StoredPost,
} from '../../ports/ingest.ts';
import { pageOf, replaces } from '../../post-rules.ts';
import { INGEST_SQL as SQL } from './statements.ts';

export async function commitPage(sql: PostgresSql, page: PageCommit): Promise<PageCommitted> {
  const { source, lease, progress, at } = page;
  const head = await sql.get(SQL.head, source);
  if (head === null || head.state === 'removed') return { kind: 'gone' };
  const { epoch } = (await sql.get(SQL.epoch, lease.name)) ?? { epoch: 0 };
  if (lease.epoch < Number(epoch)) return { kind: 'not_owner' };
  if (head.revision !== page.revision) return { kind: 'stale' };
  const added: string[] = [];
  let changed = 0;
  for (const post of page.posts) {
    if (await addPost(sql, source, post, at)) {
      added.push(post.id);
      const isForwarded = page.forwardSince !== null && post.date >= page.forwardSince;
      if (isForwarded) await sql.run(SQL.addForward, source, post.id);
    } else if (await changePost(sql, source, post, at)) changed += 1;
  }
  let deleted = 0;
  for (const id of page.deleted) if (await deletePost(sql, source, id, at)) deleted += 1;
  const revision = page.revision + 1;
  await sql.run(SQL.moveOn, progress, revision, page.isDead, source);
  return { kind: 'committed', revision, added, changed, deleted };
}

async function addPost(sql: PostgresSql, source: number, post: NewPost, at: number) {
  const { id, date, editedAt, text, author, groupId, media, references } = post;
  if ((await sql.get(SQL.isKnown, source, id)) !== null) return false;
  const content = [text, author, groupId, media, references] as const;
  await sql.run(SQL.addPost, source, id, date, editedAt, at, ...content);
  return true;
}

async function changePost(sql: PostgresSql, source: number, post: NewPost, at: number) {
  const { id, date, editedAt, text, author, groupId, media, references } = post;
  const known = (await sql.get(SQL.post, source, id)) as unknown as StoredPost;
  if (!replaces(post, known)) return false;
  await sql.run(SQL.keepVersion, at, source, id);
  const content = [text, author, groupId, media, references] as const;
  await sql.run(SQL.replacePost, date, editedAt, ...content, source, id);
  return true;
}

async function deletePost(sql: PostgresSql, source: number, id: string, at: number) {
  if ((await sql.get(SQL.isThere, source, id)) === null) return false;
  await sql.run(SQL.keepVersion, at, source, id);
  await sql.run(SQL.deletePost, at, source, id);
  return true;
}

export async function findPosts(sql: PostgresSql, query: PostQuery): Promise<PostPage> {
  const rows = (await rowsOf(sql, query)) as unknown[];
  return pageOf(rows as StoredPost[], query);
}

function rowsOf(sql: PostgresSql, { source, order, cursor }: PostQuery) {
  if (order === 'oldest') {
    const after = cursor ?? ID_ZERO;
    if (source === null) return sql.all(SQL.ofAllOldest, after);
    return sql.all(SQL.ofOneOldest, source, after);
  }
  const upTo = cursor === null ? ID_MAX : idMinus(cursor, 1);
  if (source === null) return sql.all(SQL.ofAllNewest, upTo);
  return sql.all(SQL.ofOneNewest, source, upTo);
}

// At most `max` of them, the lowest first; whether there are more.
export async function dropPosts(sql: PostgresSql, source: number, max: number): Promise<boolean> {
  for (const { n, id } of await sql.all(SQL.lowestPosts, source, max)) {
    await sql.run(SQL.dropPost, Number(n));
    await sql.run(SQL.dropVersions, source, String(id));
    await sql.run(SQL.dropForward, source, String(id));
  }
  return (await sql.get(SQL.hasPosts, source)) !== null;
}
