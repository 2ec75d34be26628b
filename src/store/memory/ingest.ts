// Ingest in memory: the specification. Every question is answered by looking at everything of its source.

import { compareIds } from '../../domain/decimal-id.ts';
import { unreachable } from '../../system/assert.ts';
import type {
  IngestCommand,
  NewPost,
  NewSource,
  PageCommit,
  PageCommitted,
  PostPage,
  PostQuery,
  SourceChange,
  SourceState,
  StoredPost,
  StoredReader,
} from '../ports/ingest.ts';
import { pageOf, placeOf, replaces } from '../post-rules.ts';
import { type MemoryDisk, pairKey } from './disk.ts';
import type { IngestDisk } from './ingest-disk.ts';
import { isFenced, releaseLease, takeLease } from './leases.ts';

export function runIngest({ ingest: disk }: MemoryDisk, command: IngestCommand): unknown {
  switch (command.kind) {
    case 'addSource':
      return addSource(disk, command.source);
    case 'source':
      return disk.sources.get(command.id) ?? null;
    case 'sources':
      return sourcesAfter(disk, command);
    case 'sourceHeads':
      return sourcesAfter(disk, command).map(({ id, state, settings, revision }) => {
        return { id, state, settings, revision };
      });
    case 'changeSource':
      return changeSource(disk, command);
    case 'removeSource':
      return removeSource(disk, command.id, command.max);
    case 'commit':
      return commit(disk, command);
    case 'post':
      return disk.posts.get(command.source)?.get(command.id) ?? null;
    case 'versions': {
      const { source, id, max } = command;
      return (disk.versions.get(pairKey(String(source), id)) ?? []).slice(0, max);
    }
    case 'posts':
      return findPosts(disk, command);
    case 'knownIds': {
      const { source, upTo, max } = command;
      const there = [...(disk.posts.get(source)?.values() ?? [])].filter(
        ({ id, deletedAt }) => deletedAt === null && compareIds(id, upTo) <= 0,
      );
      const ids = there.map(({ id }) => id).sort(compareIds);
      return ids.slice(Math.max(0, ids.length - max));
    }
    case 'unforwarded':
      return unforwarded(disk, command.source).slice(0, command.max);
    case 'forwarded':
      for (const id of command.ids) disk.forwards.get(command.source)?.delete(id);
      return null;
    case 'channel':
      return disk.channels.get(pairKey(command.reader, command.name)) ?? null;
    case 'saveChannel':
      disk.channels.set(pairKey(command.reader, command.name), command.channel);
      return null;
    case 'saveWait': {
      const { reader, method, until, at } = command;
      const key = pairKey(reader, method);
      const known = disk.waits.get(key)?.until ?? -Infinity;
      if (until > known) disk.waits.set(key, { reader, method, until, at });
      return null;
    }
    case 'dropWait':
      disk.waits.delete(pairKey(command.reader, command.method));
      return null;
    case 'waits':
      return [...disk.waits.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, wait]) => wait);
    case 'saveReader':
      return saveReader(disk, command);
    case 'removeReader':
      return disk.readers.delete(pairKey(command.readerKind, command.account));
    case 'readers':
      return [...disk.readers.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
    case 'takeLease':
      return takeLease(disk.leases, command);
    case 'releaseLease':
      return releaseLease(disk.leases, command.name, command.token);
    default:
      return unreachable(command);
  }
}

function sourcesAfter({ sources }: IngestDisk, { after, max }: { after: number; max: number }) {
  return [...sources.values()].filter(({ id }) => id > after).slice(0, max);
}

function addSource(disk: IngestDisk, added: NewSource) {
  const { readerKind, name, settings, progress, createdAt } = added;
  for (const source of disk.sources.values()) {
    if (source.readerKind === readerKind && source.name === name) return { isNew: false, source };
  }
  disk.sourceLast += 1;
  const state: SourceState = 'active';
  const id = disk.sourceLast;
  const source = { id, readerKind, name, state, settings, progress, revision: 0, createdAt };
  disk.sources.set(id, source);
  disk.posts.set(id, new Map());
  disk.forwards.set(id, new Set());
  return { isNew: true, source };
}

function changeSource(disk: IngestDisk, { id, state, settings }: SourceChange) {
  const source = disk.sources.get(id);
  if (source === undefined) return null;
  if (source.state === 'removed') return source;
  const changed = {
    ...source,
    state: state ?? source.state,
    settings: settings ?? source.settings,
  };
  disk.sources.set(id, changed);
  return changed;
}

function removeSource(disk: IngestDisk, id: number, max: number): boolean {
  const source = disk.sources.get(id);
  if (source === undefined) return false;
  const posts = disk.posts.get(id)!;
  for (const post of [...posts.keys()].sort(compareIds).slice(0, max)) {
    posts.delete(post);
    disk.versions.delete(pairKey(String(id), post));
    disk.forwards.get(id)!.delete(post);
  }
  disk.sources.set(id, { ...source, state: 'removed' });
  if (posts.size > 0) return true;
  disk.posts.delete(id);
  disk.forwards.delete(id);
  disk.sources.delete(id);
  return false;
}

function commit(disk: IngestDisk, page: PageCommit): PageCommitted {
  const source = disk.sources.get(page.source);
  if (source === undefined || source.state === 'removed') return { kind: 'gone' };
  if (isFenced(disk.leases, page.lease)) return { kind: 'not_owner' };
  if (source.revision !== page.revision) return { kind: 'stale' };
  const { progress, at } = page;
  const added: string[] = [];
  let changed = 0;
  for (const post of page.posts) {
    const put = putPost(disk, page.source, post, at);
    if (put === 'added') added.push(post.id);
    const isForwarded = page.forwardSince !== null && post.date >= page.forwardSince;
    if (put === 'added' && isForwarded) disk.forwards.get(source.id)!.add(post.id);
    if (put === 'changed') changed += 1;
  }
  const deleted = page.deleted.filter((id) => deletePost(disk, page.source, id, at)).length;
  const revision = page.revision + 1;
  const state = page.isDead && source.state === 'active' ? 'dead' : source.state;
  disk.sources.set(source.id, { ...source, state, progress, revision });
  return { kind: 'committed', revision, added, changed, deleted };
}

function saveReader(disk: IngestDisk, reader: StoredReader): null {
  const { readerKind, account, name, sealed, createdAt } = reader;
  const key = pairKey(readerKind, account);
  disk.readers.set(key, { readerKind, account, name, sealed, createdAt });
  return null;
}

function unforwarded(disk: IngestDisk, source: number): StoredPost[] {
  const posts = disk.posts.get(source);
  const ids = [...(disk.forwards.get(source) ?? [])].sort(compareIds);
  return ids.map((id) => posts!.get(id)!);
}

function putPost(disk: IngestDisk, source: number, post: NewPost, at: number) {
  const posts = disk.posts.get(source)!;
  const known = posts.get(post.id);
  const { id, date, editedAt, text, author, groupId, media, references } = post;
  const content = { date, editedAt, text, author, groupId, media, references };
  if (known === undefined) {
    disk.postLast += 1;
    const fresh = { deletedAt: null, storedAt: at, versions: 0 };
    posts.set(id, { source, id, n: disk.postLast, ...content, ...fresh });
    return 'added';
  }
  if (!replaces(post, known)) return 'same';
  keepVersion(disk, known, at);
  posts.set(id, { ...known, ...content, deletedAt: null, versions: known.versions + 1 });
  return 'changed';
}

function deletePost(disk: IngestDisk, source: number, id: string, at: number): boolean {
  const posts = disk.posts.get(source)!;
  const known = posts.get(id);
  if (known === undefined || known.deletedAt !== null) return false;
  keepVersion(disk, known, at);
  posts.set(id, { ...known, deletedAt: at, versions: known.versions + 1 });
  return true;
}

function keepVersion(disk: IngestDisk, known: StoredPost, until: number): void {
  const { versions: version, editedAt, deletedAt, text, author, groupId, media } = known;
  const key = pairKey(String(known.source), known.id);
  const former = { version, until, editedAt, deletedAt, text, author, groupId, media };
  disk.versions.set(key, [...(disk.versions.get(key) ?? []), former]);
}

function findPosts(disk: IngestDisk, query: PostQuery): PostPage {
  const { source, order, cursor } = query;
  const direction = order === 'oldest' ? 1 : -1;
  const of = source === null ? [...disk.posts.values()] : [disk.posts.get(source) ?? new Map()];
  const rows = of
    .flatMap((posts): StoredPost[] => [...posts.values()])
    .filter((post) => cursor === null || direction * compareIds(placeOf(query, post), cursor) > 0)
    .sort((a, b) => direction * compareIds(placeOf(query, a), placeOf(query, b)));
  return pageOf(rows, query);
}
