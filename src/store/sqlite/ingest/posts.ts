// Posts in SQL: a page is written and found; see ingest.ts.

import { ID_MAX, ID_ZERO, idMinus } from '../../../domain/decimal-id.ts';
import type { SqlRow, Statement } from '../../../system/databases/sqlite.ts';
import type {
  NewPost,
  PageCommit,
  PageCommitted,
  PostPage,
  PostQuery,
  StoredPost,
} from '../../ports/ingest.ts';
import { pageOf, replaces } from '../../post-rules.ts';
import type { IngestStatements } from './statements.ts';

type Sql = IngestStatements<Statement>;

export function commitPage(sql: Sql, page: PageCommit): PageCommitted {
  const { source, lease, progress, at } = page;
  const head = sql.head.get(source);
  if (head === undefined || head.state === 'removed') return { kind: 'gone' };
  if (lease.epoch < Number(sql.epoch.get(lease.name)?.epoch ?? 0)) return { kind: 'not_owner' };
  if (head.revision !== page.revision) return { kind: 'stale' };
  const added: string[] = [];
  let changed = 0;
  for (const post of page.posts) {
    if (addPost(sql, source, post, at)) {
      added.push(post.id);
      const isForwarded = page.forwardSince !== null && post.date >= page.forwardSince;
      if (isForwarded) sql.addForward.run(source, post.id);
    } else if (changePost(sql, source, post, at)) changed += 1;
  }
  const deleted = page.deleted.filter((id) => deletePost(sql, source, id, at)).length;
  const revision = page.revision + 1;
  sql.moveOn.run(progress, revision, page.isDead ? 1 : 0, source);
  return { kind: 'committed', revision, added, changed, deleted };
}

function addPost(sql: Sql, source: number, post: NewPost, at: number): boolean {
  const { id, date, editedAt, text, author, groupId, media, references } = post;
  if (sql.isKnown.get(source, id) !== undefined) return false;
  const content = [text, author, groupId, media, references] as const;
  sql.addPost.run(source, id, date, editedAt, at, ...content);
  return true;
}

function changePost(sql: Sql, source: number, post: NewPost, at: number): boolean {
  const { id, date, editedAt, text, author, groupId, media, references } = post;
  if (!replaces(post, sql.post.get(source, id) as unknown as StoredPost)) return false;
  sql.keepVersion.run(at, source, id);
  sql.replacePost.run(date, editedAt, text, author, groupId, media, references, source, id);
  return true;
}

function deletePost(sql: Sql, source: number, id: string, at: number): boolean {
  if (sql.isThere.get(source, id) === undefined) return false;
  sql.keepVersion.run(at, source, id);
  sql.deletePost.run(at, source, id);
  return true;
}

export function findPosts(sql: Sql, query: PostQuery): PostPage {
  return pageOf(rowsOf(sql, query), query);
}

function rowsOf(sql: Sql, { source, order, cursor }: PostQuery): Iterable<StoredPost> {
  if (order === 'oldest') {
    const after = cursor ?? ID_ZERO;
    if (source === null) return plain(sql.ofAllOldest.iterate(after));
    return plain(sql.ofOneOldest.iterate(source, after));
  }
  const upTo = cursor === null ? ID_MAX : idMinus(cursor, 1);
  if (source === null) return plain(sql.ofAllNewest.iterate(upTo));
  return plain(sql.ofOneNewest.iterate(source, upTo));
}

// The driver's rows have no prototype; what crosses to the main thread are plain objects.
function* plain(rows: Iterable<SqlRow>): Iterable<StoredPost> {
  for (const row of rows) yield { ...row } as unknown as StoredPost;
}

// At most `max` of them, the lowest first; whether there are more.
export function dropPosts(sql: Sql, source: number, max: number): boolean {
  for (const { n, id } of sql.lowestPosts.all(source, max)) {
    sql.dropPost.run(n!);
    sql.dropVersions.run(source, id!);
    sql.dropForward.run(source, id!);
  }
  return sql.hasPosts.get(source) !== undefined;
}
