// Sources whose posts come by themselves: each is stored before the platform is told that it was taken. What did not
// come is seen by a jump of the ids, and filled from another source of the same channel: that is looked at, and what it
// has between the two ids is copied. Ids that it has not either were never posts, or are gone.

import { compareIds, higherId, ID_ZERO, idPlus } from '../domain/decimal-id.ts';
import type { PushedPost, ReadPost } from '../platforms/history.ts';
import type { IngestStore, NewPost, StoredPost } from '../store/ports/ingest.ts';
import type { Clock } from '../system/clock.ts';
import { CallTurns } from './calls.ts';
import type { IngestCounters } from './counters.ts';
import type { IngestEvent } from './events.ts';
import type { Looks } from './looks.ts';
import { formatProgress, type Gap, type Progress } from './progress.ts';
import { newPostOf } from './run.ts';
import type { Tracked } from './tracked.ts';

export interface PushesParts {
  readonly store: IngestStore;
  readonly clock: Clock;
  readonly counters: IngestCounters;
  readonly looks: Looks;
  readonly onEvent: (event: IngestEvent) => void;
}

// Of one source; beyond it the two oldest become one.
const GAPS_MAX = 100;
const COPIED_TOGETHER = 500;
const TRIES_MAX = 5;

// Another process has moved the source on.
class Stale extends Error {}

export class Pushes {
  readonly #parts: PushesParts;
  readonly #turns = new CallTurns();
  // By source: under which names its channel came, beside the source's own.
  readonly #names = new Map<number, readonly string[]>();

  constructor(parts: PushesParts) {
    this.#parts = parts;
  }

  // Resolves when it is stored. Of channels that nobody follows nothing is kept. `account`: whose update it was.
  async push(account: string, pushed: PushedPost): Promise<void> {
    const { channel, post } = pushed;
    const names = [channel.id, channel.name ?? channel.id];
    for (const tracked of this.#parts.looks.all()) {
      const { source, settings, isPushed } = tracked;
      if (!isPushed || source.state !== 'active') continue;
      if (settings.account !== null && settings.account !== account) continue;
      if (!names.some((name) => isSameName(name, source.name))) continue;
      this.#names.set(source.id, names);
      await this.#turns.take(String(source.id), () => this.#store(tracked, post));
    }
  }

  // Of a fleet, another node may have stored one meanwhile.
  async #store(tracked: Tracked, post: ReadPost): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#take(tracked, post);
        return;
      } catch (error) {
        if (!(error instanceof Stale) || tries === TRIES_MAX) throw error;
        await this.#parts.looks.refresh(tracked);
      }
    }
  }

  // Another source has come to its end: what is missing here may be there.
  async fill(from: Tracked): Promise<void> {
    for (const tracked of this.#parts.looks.all()) {
      if (tracked.progress.gaps.length === 0 || !this.#isSibling(tracked, from)) continue;
      await this.#turns.take(String(tracked.source.id), () => this.#fill(tracked, from));
    }
  }

  async #take(tracked: Tracked, post: ReadPost): Promise<void> {
    const { progress, source } = tracked;
    const { lastId } = progress.cursor;
    const isJump = lastId !== ID_ZERO && compareIds(post.id, idPlus(lastId, 1)) > 0;
    const gap = { after: lastId, before: post.id };
    const gaps = isJump ? bounded([...progress.gaps, gap]) : progress.gaps;
    const added = await this.#commit(tracked, [newPostOf(post)], { ...progress, gaps }, post.date);
    this.#parts.counters.posts.incremental += added;
    if (!isJump) return;
    this.#parts.onEvent({ kind: 'gap', source: source.id, ...gap });
    const sibling = this.#parts.looks.all().find((each) => this.#isSibling(tracked, each));
    if (sibling !== undefined) this.#parts.looks.now(sibling, 'manual');
  }

  async #fill(tracked: Tracked, from: Tracked): Promise<void> {
    const { lastId } = from.progress.cursor;
    for (const gap of tracked.progress.gaps) {
      if (compareIds(idPlus(lastId, 1), gap.before) < 0) continue;
      for (let cursor: string | null = gap.after; cursor !== null; ) {
        const page = await this.#parts.store.posts({
          ...{ source: from.source.id, order: 'oldest', cursor, since: null, text: null },
          max: COPIED_TOGETHER,
        });
        const within = page.posts.filter(({ id }) => compareIds(id, gap.before) < 0);
        const isOver = within.length < page.posts.length || page.next === null;
        await this.#copy(tracked, within, isOver ? gap : null);
        cursor = isOver ? null : page.next;
      }
    }
  }

  #copy(tracked: Tracked, posts: readonly StoredPost[], closed: Gap | null): Promise<number> {
    const { progress } = tracked;
    const gaps = progress.gaps.filter((gap) => gap !== closed);
    const there = posts.filter(({ deletedAt }) => deletedAt === null);
    return this.#commit(tracked, there, { ...progress, gaps }, null);
  }

  // No connection has to be guarded, so no lease is taken: the revision of the source tells whether it was moved on.
  async #commit(
    tracked: Tracked,
    posts: readonly NewPost[],
    progress: Progress,
    date: number | null,
  ): Promise<number> {
    const { store, clock, onEvent } = this.#parts;
    const { source, settings } = tracked;
    const now = clock.now();
    const lastId = posts.reduce((highest, { id }) => higherId(highest, id), progress.cursor.lastId);
    const newestDate =
      date === null ? progress.newestDate : Math.max(progress.newestDate ?? 0, date);
    const moved = { cursor: { ...progress.cursor, lastId }, succeededAt: now, parsedAt: now };
    const next = { ...progress, ...moved, newestDate };
    const committed = await store.commit({
      source: source.id,
      revision: source.revision,
      progress: formatProgress(next),
      lease: { name: source.readerKind, epoch: 1 },
      posts,
      deleted: [],
      at: now,
      isDead: false,
      forwardSince: settings.forwardSince,
    });
    if (committed.kind === 'gone') return 0;
    if (committed.kind === 'stale') throw new Stale('not stored: stale');
    if (committed.kind !== 'committed') throw new Error(`not stored: ${committed.kind}`);
    tracked.progress = next;
    tracked.source = { ...tracked.source, revision: committed.revision };
    const { added } = committed;
    if (added.length > 0) onEvent({ kind: 'posts', source: source.id, ids: added });
    return added.length;
  }

  #isSibling(tracked: Tracked, other: Tracked): boolean {
    if (!tracked.isPushed || other.isPushed || other.source.state !== 'active') return false;
    const names = [tracked.source.name, ...(this.#names.get(tracked.source.id) ?? [])];
    return names.some((name) => isSameName(name, other.source.name));
  }
}

function bounded(gaps: readonly Gap[]): readonly Gap[] {
  if (gaps.length <= GAPS_MAX) return gaps;
  const [first, second, ...others] = gaps;
  return [{ after: first!.after, before: second!.before }, ...others];
}

// `@name`, `name` and an address that ends in it are one.
function isSameName(a: string, b: string): boolean {
  return bareName(a) === bareName(b);
}

function bareName(name: string): string {
  const parts = name.split('/').filter((part) => part !== '');
  return (parts.at(-1) ?? '').replace(/^@/, '').toLowerCase();
}
