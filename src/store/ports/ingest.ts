// The port of ingest: which channels are read, how far, and what was read. A page of posts is committed with the
// progress it makes, in one transaction, by whoever holds the lease of its reader. A post is known by source and id;
// one that is read again changes nothing, one that differs leaves its former state as a version. Ids of posts are
// decimal digits (domain/decimal-id.ts). As everywhere in the store, a promise resolves when its effect is durable.

export interface IngestStore {
  // One that is there already (by reader and name) is answered as it is.
  addSource(source: NewSource): Promise<{ readonly isNew: boolean; readonly source: StoredSource }>;
  // null: there is none.
  source(id: number): Promise<StoredSource | null>;
  // In order of id, from just after that one; those that are being removed included.
  sources(page: { after: number; max: number }): Promise<StoredSource[]>;
  // The same without what looks make of them: for those who ask often whether others have changed something.
  sourceHeads(page: { after: number; max: number }): Promise<SourceHead[]>;
  // By hand; null leaves it as it is. One that is being removed stays so.
  changeSource(change: SourceChange): Promise<StoredSource | null>;
  // Of its posts at most `max`, and itself when none is left. Whether there is more to do.
  removeSource(command: { id: number; max: number }): Promise<boolean>;

  commit(page: PageCommit): Promise<PageCommitted>;
  post(key: PostKey): Promise<StoredPost | null>;
  // Its former states, the oldest first.
  versions(query: PostKey & { max: number }): Promise<PostVersion[]>;
  posts(query: PostQuery): Promise<PostPage>;
  // The ids of the newest `max` posts up to that id that are not deleted; ascending.
  knownIds(query: { source: number; upTo: string; max: number }): Promise<string[]>;

  // New posts that were to be forwarded and are not yet, those with the lowest ids first.
  unforwarded(query: { source: number; max: number }): Promise<StoredPost[]>;
  forwarded(posts: { source: number; ids: readonly string[] }): Promise<void>;

  // What a name means to a reader, asked for once. null: not yet.
  channel(key: { reader: string; name: string }): Promise<string | null>;
  saveChannel(channel: StoredChannel): Promise<void>;

  // A wait that is over sooner than one that is known is passed over.
  saveWait(wait: StoredWait): Promise<void>;
  // By hand: someone has logged in.
  dropWait(key: { reader: string; method: string }): Promise<void>;
  // In order of reader and method.
  waits(): Promise<StoredWait[]>;

  // One that is there is replaced.
  saveReader(account: StoredReader): Promise<void>;
  // Whether it was there.
  removeReader(key: { readerKind: string; account: string }): Promise<boolean>;
  // In order of kind and account.
  readers(): Promise<StoredReader[]>;

  // Taken when it is free or its time is over, renewed by whoever holds the token.
  takeLease(request: LeaseRequest): Promise<LeaseAnswer>;
  // By its token alone; whether it was held.
  releaseLease(key: { name: string; token: string }): Promise<boolean>;
}

// `dead`: it fails for good, and waits for a person. `removed`: its posts are being deleted.
export type SourceState = 'active' | 'paused' | 'dead' | 'removed';

export interface NewSource {
  // Which reader reads it.
  readonly readerKind: string;
  // As it was asked for.
  readonly name: string;
  // JSON text; what a person may change.
  readonly settings: string;
  // JSON text; what looks make of it.
  readonly progress: string;
  readonly createdAt: number;
}

export interface StoredSource extends NewSource {
  // Never given twice.
  readonly id: number;
  readonly state: SourceState;
  // Counts commits: one that was made from an older progress is refused.
  readonly revision: number;
}

export type SourceHead = Pick<StoredSource, 'id' | 'state' | 'settings' | 'revision'>;

export interface SourceChange {
  readonly id: number;
  readonly state: Exclude<SourceState, 'removed'> | null;
  readonly settings: string | null;
}

export interface PageCommit {
  readonly source: number;
  readonly revision: number;
  readonly progress: string;
  // Under which it was read; an older one is refused.
  readonly lease: { readonly name: string; readonly epoch: number };
  readonly posts: readonly NewPost[];
  // Ids that are gone; those that were never known are passed over. Applied after the posts.
  readonly deleted: readonly string[];
  readonly at: number;
  // The source is set dead, unless a person has paused it meanwhile.
  readonly isDead: boolean;
  // New posts with a date from then on are noted to be forwarded; null: none.
  readonly forwardSince: number | null;
}

export type PageCommitted =
  | {
      readonly kind: 'committed';
      readonly revision: number;
      // Which were new, as ids, in the order given.
      readonly added: readonly string[];
      readonly changed: number;
      readonly deleted: number;
    }
  // Someone else has moved it on: nothing was changed.
  | { readonly kind: 'stale' }
  | { readonly kind: 'not_owner' }
  // There is no such source, or not for long.
  | { readonly kind: 'gone' };

export interface NewPost {
  readonly id: string;
  readonly date: number;
  readonly editedAt: number | null;
  readonly text: string;
  readonly author: string | null;
  readonly groupId: string | null;
  // JSON text; what it shows.
  readonly media: string;
  // JSON text; how the media are found. It changes from one reading to the next, and makes no version.
  readonly references: string;
}

export interface PostKey {
  readonly source: number;
  readonly id: string;
}

export interface StoredPost extends NewPost {
  readonly source: number;
  // Counts posts of all sources in the order they were stored.
  readonly n: number;
  // null: it is there.
  readonly deletedAt: number | null;
  readonly storedAt: number;
  // How many former states it has.
  readonly versions: number;
}

export interface PostVersion {
  // 0: the first.
  readonly version: number;
  // Until when it was this way.
  readonly until: number;
  readonly editedAt: number | null;
  readonly deletedAt: number | null;
  readonly text: string;
  readonly author: string | null;
  readonly groupId: string | null;
  readonly media: string;
}

// Of one source in order of id, of all in the order they were stored.
export interface PostQuery {
  readonly source: number | null;
  readonly order: 'newest' | 'oldest';
  // From where an earlier page went on; null: from the first.
  readonly cursor: string | null;
  // Posted at or after; null: whenever.
  readonly since: number | null;
  // Contained in the text, whatever its case; null: any.
  readonly text: string | null;
  readonly max: number;
}

export interface PostPage {
  readonly posts: readonly StoredPost[];
  // null: there are no more. A page may have fewer than `max`, even none, and still go on: a search looks at so many
  // posts at a time, because others wait for the same thread.
  readonly next: string | null;
}

export const POSTS_SCANNED_MAX = 2_000;

export interface StoredChannel {
  readonly reader: string;
  readonly name: string;
  // JSON text.
  readonly channel: string;
}

export interface StoredWait {
  // Whose: an account of a platform's reader.
  readonly reader: string;
  readonly method: string;
  readonly until: number;
  readonly at: number;
}

// An account to read with.
export interface StoredReader {
  readonly readerKind: string;
  // The platform's own id of it, and how a person calls it.
  readonly account: string;
  readonly name: string;
  // Its session, sealed; see accounts/.
  readonly sealed: string;
  readonly createdAt: number;
}

export interface LeaseRequest {
  readonly name: string;
  // Random: whoever shows it is who took it, which a host's name does not prove.
  readonly token: string;
  readonly node: string;
  readonly now: number;
  readonly ttlMs: number;
}

export type LeaseAnswer =
  // The epoch is raised by each taking, and not by renewing.
  | { readonly kind: 'held'; readonly epoch: number; readonly isTaken: boolean }
  | { readonly kind: 'busy'; readonly node: string; readonly until: number };

export type IngestCommand =
  | { kind: 'addSource'; source: NewSource }
  | { kind: 'source'; id: number }
  | { kind: 'sources'; after: number; max: number }
  | { kind: 'sourceHeads'; after: number; max: number }
  | ({ kind: 'changeSource' } & SourceChange)
  | { kind: 'removeSource'; id: number; max: number }
  | ({ kind: 'commit' } & PageCommit)
  | ({ kind: 'post' } & PostKey)
  | ({ kind: 'versions'; max: number } & PostKey)
  | ({ kind: 'posts' } & PostQuery)
  | { kind: 'knownIds'; source: number; upTo: string; max: number }
  | { kind: 'unforwarded'; source: number; max: number }
  | { kind: 'forwarded'; source: number; ids: readonly string[] }
  | { kind: 'channel'; reader: string; name: string }
  | ({ kind: 'saveChannel' } & StoredChannel)
  | ({ kind: 'saveWait' } & StoredWait)
  | { kind: 'dropWait'; reader: string; method: string }
  | { kind: 'waits' }
  | ({ kind: 'saveReader' } & StoredReader)
  | { kind: 'removeReader'; readerKind: string; account: string }
  | { kind: 'readers' }
  | ({ kind: 'takeLease' } & LeaseRequest)
  | { kind: 'releaseLease'; name: string; token: string };

// The port over one function that runs a command, however it gets to its store.
export function ingestOver(run: (command: IngestCommand) => Promise<unknown>): IngestStore {
  const ask = <T>(command: IngestCommand) => run(command) as Promise<T>;
  return {
    addSource: (source) => ask({ kind: 'addSource', source }),
    source: (id) => ask({ kind: 'source', id }),
    sources: (page) => ask({ kind: 'sources', ...page }),
    sourceHeads: (page) => ask({ kind: 'sourceHeads', ...page }),
    changeSource: (change) => ask({ kind: 'changeSource', ...change }),
    removeSource: (command) => ask({ kind: 'removeSource', ...command }),
    commit: (page) => ask({ kind: 'commit', ...page }),
    post: (key) => ask({ kind: 'post', ...key }),
    versions: (query) => ask({ kind: 'versions', ...query }),
    posts: (query) => ask({ kind: 'posts', ...query }),
    knownIds: (query) => ask({ kind: 'knownIds', ...query }),
    unforwarded: (query) => ask({ kind: 'unforwarded', ...query }),
    forwarded: (posts) => ask({ kind: 'forwarded', ...posts }),
    channel: (key) => ask({ kind: 'channel', ...key }),
    saveChannel: (channel) => ask({ kind: 'saveChannel', ...channel }),
    saveWait: (wait) => ask({ kind: 'saveWait', ...wait }),
    dropWait: (key) => ask({ kind: 'dropWait', ...key }),
    waits: () => ask({ kind: 'waits' }),
    saveReader: (account) => ask({ kind: 'saveReader', ...account }),
    removeReader: (key) => ask({ kind: 'removeReader', ...key }),
    readers: () => ask({ kind: 'readers' }),
    takeLease: (request) => ask({ kind: 'takeLease', ...request }),
    releaseLease: (key) => ask({ kind: 'releaseLease', ...key }),
  };
}
