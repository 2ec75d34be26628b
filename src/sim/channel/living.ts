// A channel that lives by chance, and answers a reader as platforms are known to: pages that are short or empty because
// what was deleted is counted, changes that are too many to be told, references of media that differ at each reading.

import type { Clock } from '../../system/clock.ts';
import { intBelow, pick, type Random } from '../../system/random.ts';
import { SimChannel, type SimPost } from './channel.ts';
import { differenceOf, historyOf } from './reading.ts';

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

export interface ChannelOptions {
  // A page looks at so many ids, whether their posts are there or not; else at so many posts.
  readonly countsDeleted: boolean;
  // More than this since the mark is too long to be told.
  readonly changesMax: number;
  // What is edited or deleted is among so many newest ids.
  readonly touchedNewest: number;
}

export interface LivingPorts {
  readonly clock: Clock;
  readonly random: Random;
}

const ALBUM_PARTS = 3;

export class LivingChannel {
  readonly #random: Random;
  readonly #options: ChannelOptions;
  readonly #channel: SimChannel;

  constructor(name: string, options: ChannelOptions, ports: LivingPorts) {
    this.#random = ports.random;
    this.#options = options;
    this.#channel = new SimChannel({ id: 1n, name, title: name }, ports);
  }

  // Sometimes an album, of which each part is a post and the parts need not be neighbours.
  post(): void {
    if (this.#random.next() >= 0.1) {
      this.#add(null);
      return;
    }
    const groupId = this.#channel.newGroup();
    for (let part = 0; part < ALBUM_PARTS; part++) {
      this.#add(groupId);
      if (this.#random.next() < 0.3) this.#add(null);
    }
  }

  edit(): void {
    const post = this.#newestOne();
    if (post === null) return;
    const edits = Number(/ v(\d+)$/.exec(post.text)?.[1] ?? 0) + 1;
    this.#channel.edit(post.id, `${post.text.replace(/ v\d+$/, '')} v${edits}`);
  }

  // One, or a run of them.
  remove(count: number): void {
    const from = this.#newestOne()?.id ?? 0;
    const above = Math.max(this.#channel.lastId - this.#options.touchedNewest, from - count);
    this.#channel.delete(
      this.#posts()
        .map(({ id }) => id)
        .filter((id) => id > above && id <= from),
    );
  }

  posts(): ChannelPost[] {
    return this.#posts().map((post) => this.#asRead(post));
  }

  history(after: string, limit: number) {
    const minId = Number(after);
    const query = { offsetId: minId + 1, addOffset: -limit, limit, minId, maxId: 0 };
    const page = historyOf(this.#channel, query, this.#options.countsDeleted);
    const posts = page.filter(({ isService }) => !isService).reverse();
    return {
      posts: posts.map((post) => this.#asRead(post)),
      newestId: String(this.#posts().at(-1)?.id ?? 0),
      mark: String(this.#channel.pts),
    };
  }

  changes(mark: string, limit: number) {
    const found = differenceOf(this.#channel, Number(mark), limit, this.#options.changesMax);
    const next = { mark: String(found.pts) };
    if (found.kind === 'too_long') return { kind: 'too_long' as const, ...next };
    const isAll = found.kind === 'empty';
    const told = isAll ? [] : [...found.posted, ...found.edited.map(({ post }) => post)];
    return {
      kind: 'changes' as const,
      posts: told.filter(({ isService }) => !isService).map((post) => this.#asRead(post)),
      deleted: isAll ? [] : found.deleted.flatMap(({ ids }) => ids.map(String)),
      ...next,
      isLast: isAll || found.isFinal,
      notBeforeMs: 0,
    };
  }

  // In any order.
  byId(ids: readonly string[]): ChannelPost[] {
    return ids
      .map((id) => this.#channel.get(Number(id)))
      .filter((post) => post !== null && !post.isService)
      .map((post) => this.#asRead(post!))
      .reverse();
  }

  #posts(): SimPost[] {
    return this.#channel.posts();
  }

  #add(groupId: bigint | null): void {
    const id = this.#channel.lastId + 1;
    const author = pick(this.#random, [null, 'editor']);
    this.#channel.post({
      text: `post ${id}`,
      ...(author === null ? {} : { author }),
      ...(groupId === null
        ? {}
        : { groupId, media: { kind: 'photo', name: null, bytes: 1000 + id } }),
    });
  }

  #newestOne(): SimPost | null {
    const above = this.#channel.lastId - this.#options.touchedNewest;
    const newest = this.#posts().filter(({ id }) => id > above);
    return newest.length === 0 ? null : newest[intBelow(this.#random, newest.length)]!;
  }

  #asRead({ id, date, editedAt, text, author, groupId, media }: SimPost): ChannelPost {
    return {
      ...{ id: String(id), date, editedAt, text, author },
      groupId: groupId === null ? null : String(groupId),
      media: media === null ? [] : [{ ...media, reference: String(this.#random.next()) }],
    };
  }
}
