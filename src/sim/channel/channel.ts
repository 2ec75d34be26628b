// A channel as a platform keeps it: posts that are counted upwards, edited and deleted, and a log of what happened. It
// answers as platforms are known to: pages that are short or empty because what was deleted is counted, changes that
// are too many to be told. Pure: chance and time are given.

import { intBelow, pick, type Random } from '../../system/random.ts';

export interface ChannelPost {
  readonly id: string;
  readonly date: number;
  readonly editedAt: number | null;
  readonly text: string;
  readonly author: string | null;
  readonly groupId: string | null;
  readonly media: readonly ChannelMedia[];
}

export interface ChannelMedia {
  readonly kind: string;
  readonly name: string | null;
  readonly bytes: number | null;
  readonly reference: string | null;
}

interface LogEntry {
  readonly id: number;
  readonly kind: 'new' | 'edited' | 'deleted';
}

export interface ChannelOptions {
  // A page looks at so many ids, whether their posts are there or not; else at so many posts.
  readonly countsDeleted: boolean;
  // More than this since the mark is too long to be told.
  readonly changesMax: number;
  // What is edited or deleted is among so many newest ids.
  readonly touchedNewest: number;
}

export class ModelChannel {
  readonly #random: Random;
  readonly #options: ChannelOptions;
  // By id, ascending.
  readonly #posts = new Map<number, ChannelPost>();
  readonly #log: LogEntry[] = [];
  #lastId = 0;
  #albums = 0;

  constructor(random: Random, options: ChannelOptions) {
    this.#random = random;
    this.#options = options;
  }

  // Sometimes an album, of which each part is a post and the parts need not be neighbours.
  post(now: number): void {
    const isAlbum = this.#random.next() < 0.1;
    if (!isAlbum) {
      this.#add(now, null);
      return;
    }
    this.#albums += 1;
    const groupId = String(this.#albums);
    for (let part = 0; part < 3; part++) {
      this.#add(now, groupId);
      if (this.#random.next() < 0.3) this.#add(now, null);
    }
  }

  edit(now: number): void {
    const post = this.#newestOne();
    if (post === null) return;
    const edits = Number(/ v(\d+)$/.exec(post.text)?.[1] ?? 0) + 1;
    const text = `${post.text.replace(/ v\d+$/, '')} v${edits}`;
    this.#posts.set(Number(post.id), { ...post, text, editedAt: now });
    this.#log.push({ id: Number(post.id), kind: 'edited' });
  }

  // One, or a run of them.
  remove(count: number): void {
    const above = this.#lastId - this.#options.touchedNewest;
    const from = Number(this.#newestOne()?.id ?? 0);
    for (let id = from; id > Math.max(above, from - count); id -= 1) {
      if (this.#posts.delete(id)) this.#log.push({ id, kind: 'deleted' });
    }
  }

  posts(): ChannelPost[] {
    return [...this.#posts.values()];
  }

  history(after: string, limit: number) {
    const from = Number(after);
    const { countsDeleted } = this.#options;
    const above = this.posts().filter(({ id }) => Number(id) > from);
    const posts = countsDeleted
      ? above.filter(({ id }) => Number(id) <= from + limit)
      : above.slice(0, limit);
    return {
      posts: posts.map((post) => this.#asRead(post)),
      newestId: this.#newestId(),
      mark: this.#mark(),
    };
  }

  changes(mark: string, limit: number) {
    const from = Number(mark);
    const left = this.#log.length - from;
    if (left > this.#options.changesMax) return { kind: 'too_long' as const, mark: this.#mark() };
    const to = Math.min(this.#log.length, from + limit);
    const told = this.#log.slice(from, to);
    const changed = new Set(told.filter(({ kind }) => kind !== 'deleted').map(({ id }) => id));
    // As they are now: what was deleted later is not shown any more.
    const posts = [...changed].flatMap((id) => this.#posts.get(id) ?? []);
    return {
      kind: 'changes' as const,
      posts: posts.map((post) => this.#asRead(post)),
      deleted: told.filter(({ kind }) => kind === 'deleted').map(({ id }) => String(id)),
      mark: String(to),
      isLast: to === this.#log.length,
      notBeforeMs: 0,
    };
  }

  // In any order.
  byId(ids: readonly string[]): ChannelPost[] {
    return ids
      .flatMap((id) => this.#posts.get(Number(id)) ?? [])
      .map((post) => this.#asRead(post))
      .reverse();
  }

  #add(now: number, groupId: string | null): void {
    this.#lastId += 1;
    const id = this.#lastId;
    const media =
      groupId === null ? [] : [{ kind: 'photo', name: null, bytes: 1000 + id, reference: null }];
    const text = `post ${id}`;
    const signed = pick(this.#random, [null, 'editor']);
    this.#posts.set(id, {
      id: String(id),
      date: now,
      editedAt: null,
      text,
      author: signed,
      groupId,
      media,
    });
    this.#log.push({ id, kind: 'new' });
  }

  #newestOne(): ChannelPost | null {
    const above = this.#lastId - this.#options.touchedNewest;
    const newest = this.posts().filter(({ id }) => Number(id) > above);
    return newest.length === 0 ? null : newest[intBelow(this.#random, newest.length)]!;
  }

  // References of media are others at each reading.
  #asRead(post: ChannelPost): ChannelPost {
    const reference = String(this.#random.next());
    return { ...post, media: post.media.map((each) => ({ ...each, reference })) };
  }

  #newestId(): string {
    return this.posts().at(-1)?.id ?? '0';
  }

  #mark(): string {
    return String(this.#log.length);
  }
}
