// One look at one source: the steps of steps.ts, each a call and a commit of what it brought together with the cursor.
// Whatever ends it in between, the next look goes on from the last commit.

import { compareIds, idMinus, idPlus } from '../domain/decimal-id.ts';
import type { Channel, HistoryPage, ReadPost } from '../platforms/history.ts';
import type { IngestStore, NewPost, PageCommitted, StoredSource } from '../store/ports/ingest.ts';
import {
  type Called,
  type CallParts,
  type CallTrouble,
  type OpenReader,
  ReaderCalls,
} from './calls.ts';
import { newActivity, observe } from './plan/activity.ts';
import type { Mode } from './plan/plan.ts';
import { formatProgress, type Progress } from './progress.ts';
import {
  AUDIT_EVERY_MS,
  AUDITED_POSTS,
  AUDITED_POSTS_MAX,
  CALLS_PER_LOOK_MAX,
  CHANGES_REFUSED_MS,
  POSTS_PER_CALL,
} from './settings.ts';
import {
  beginLook,
  type Cursor,
  endAudit,
  isSameCursor,
  missingOf,
  nextStep,
  type Reading,
  type Step,
  type Taken,
  takeChanges,
  takeCheck,
  takeGap,
  takeHistory,
} from './steps.ts';

export interface LookParts extends CallParts {
  readonly store: IngestStore;
  // Told after each commit.
  readonly onPosts: (source: number, ids: readonly string[]) => void;
}

export interface LookAt {
  readonly source: StoredSource;
  readonly progress: Progress;
  readonly mode: Mode;
  readonly open: OpenReader;
  // See PageCommit.
  readonly forwardSince: number | null;
}

export type LookEnd =
  // Of its own accord, or because others wait (`isMore`).
  { readonly kind: 'done'; readonly isMore: boolean; readonly notBefore: number } | CallTrouble;

export class Look {
  added = 0;
  changed = 0;
  deleted = 0;
  // Of the channel, as far as an answer has told.
  newestId: string | null = null;
  progress: Progress;
  revision: number;
  readonly #parts: LookParts;
  readonly #source: StoredSource;
  readonly #mode: Mode;
  readonly #open: OpenReader;
  readonly #forwardSince: number | null;
  readonly #caller: ReaderCalls;
  #notBefore = 0;

  constructor(parts: LookParts, look: LookAt, mayGoOn: () => boolean) {
    this.#parts = parts;
    this.#source = look.source;
    this.progress = look.progress;
    this.revision = look.source.revision;
    this.#mode = look.mode;
    this.#open = look.open;
    this.#forwardSince = look.forwardSince;
    this.#caller = new ReaderCalls(parts, look.open, mayGoOn);
  }

  async run(): Promise<LookEnd> {
    const channel = await this.#channel();
    if (channel.kind !== 'read') return channel;
    const { cursor, auditedAt } = this.progress;
    const { canChanges } = this.#abilities();
    const isAuditDue = !canChanges && this.#parts.clock.now() - (auditedAt ?? 0) >= AUDIT_EVERY_MS;
    let reading = beginLook(cursor, this.#mode, { canChanges, isAuditDue });
    for (let calls = 0; calls < CALLS_PER_LOOK_MAX; calls++) {
      const step = nextStep(reading, this.#abilities());
      if (step.kind === 'done') return { kind: 'done', isMore: false, notBefore: this.#notBefore };
      const next = await this.#make(step, reading, channel.value);
      if (next.kind !== 'read') return next;
      reading = next.value;
      this.newestId = reading.newestId ?? this.newestId;
    }
    return { kind: 'done', isMore: true, notBefore: 0 };
  }

  // Asked for once and kept, because asking by name is what platforms punish most.
  async #channel(): Promise<Called<Channel>> {
    const { store } = this.#parts;
    const key = { reader: this.#open.key, name: this.#source.name };
    const known = await store.channel(key);
    if (known !== null) return { kind: 'read', value: JSON.parse(known) as Channel };
    const { reader } = this.#open;
    const asked = await this.#caller.call('resolve', () => reader.resolve(key.name));
    if (asked.kind === 'read') {
      await store.saveChannel({ ...key, channel: JSON.stringify(asked.value) });
    }
    return asked;
  }

  #abilities() {
    const { reader } = this.#open;
    const refusedMs = this.#parts.clock.now() - (this.progress.changesRefusedAt ?? -Infinity);
    const canChanges = reader.changes !== undefined && refusedMs >= CHANGES_REFUSED_MS;
    return { canChanges, canById: reader.byId !== undefined };
  }

  async #make(
    step: Exclude<Step, { kind: 'done' }>,
    reading: Reading,
    channel: Channel,
  ): Promise<Called<Reading>> {
    const { reader } = this.#open;
    const abilities = this.#abilities();
    switch (step.kind) {
      case 'history': {
        const ask = () => reader.history(channel, step.after, POSTS_PER_CALL);
        const page = await this.#caller.call('history', ask);
        if (page.kind !== 'read') return page;
        return this.#commit(takeHistory(reading, page.value, abilities));
      }
      case 'check': {
        const found = await this.#caller.call('by_id', () => reader.byId!(channel, step.ids));
        if (found.kind !== 'read') return found;
        return this.#commit(takeCheck(reading, found.value, abilities));
      }
      case 'changes': {
        const ask = () => reader.changes!(channel, step.mark, POSTS_PER_CALL);
        const changes = await this.#caller.call('changes', ask);
        // A channel that is gone refuses its pages, too.
        if (changes.kind === 'refused') {
          this.progress = { ...this.progress, changesRefusedAt: this.#parts.clock.now() };
          return this.#commit(takeGap(reading, null));
        }
        if (changes.kind !== 'read') return changes;
        const wish = changes.value.kind === 'changes' ? changes.value.notBeforeMs : 0;
        this.#notBefore = wish === 0 ? 0 : this.#parts.clock.now() + wish;
        return this.#commit(takeChanges(reading, changes.value));
      }
      case 'audit':
        return this.#audit(step.upTo, reading, channel);
    }
  }

  // The newest posts up to an id, compared with what the platform has of them.
  async #audit(upTo: string, reading: Reading, channel: Channel): Promise<Called<Reading>> {
    const isById = this.#open.reader.byId !== undefined;
    const audited = isById
      ? await this.#auditById(upTo, reading, channel)
      : await this.#auditByPages(upTo, reading, channel);
    if (audited.kind !== 'read') return audited;
    this.progress = { ...this.progress, auditedAt: this.#parts.clock.now() };
    const ended = endAudit(reading, this.#abilities());
    return this.#commit({ reading: ended, posts: [], deleted: [] });
  }

  // From the newest downwards, and further than it must as long as it finds something.
  async #auditById(upTo: string, reading: Reading, channel: Channel): Promise<Called<null>> {
    const { reader } = this.#open;
    let top = upTo;
    for (let audited = 0; audited < AUDITED_POSTS_MAX; ) {
      const ids = await this.#known(top, POSTS_PER_CALL);
      if (ids.length === 0) break;
      const found = await this.#caller.call('by_id', () => reader.byId!(channel, ids));
      if (found.kind !== 'read') return found;
      const differences = this.changed + this.deleted;
      const posts = found.value;
      const committed = await this.#commit({ reading, posts, deleted: missingOf(ids, posts) });
      if (committed.kind !== 'read') return committed;
      audited += ids.length;
      if (audited >= AUDITED_POSTS && this.changed + this.deleted === differences) break;
      top = idMinus(ids[0]!, 1);
    }
    return { kind: 'read', value: null };
  }

  #known(upTo: string, max: number): Promise<string[]> {
    return this.#parts.store.knownIds({ source: this.#source.id, upTo, max });
  }

  // By pages over the same ids: what a page shows neighbours of and not itself is gone, and so is what is above the
  // newest id. An empty page proves nothing.
  async #auditByPages(upTo: string, reading: Reading, channel: Channel): Promise<Called<null>> {
    const { reader } = this.#open;
    let left = await this.#known(upTo, AUDITED_POSTS);
    while (left.length > 0) {
      const after = idMinus(left[0]!, 1);
      const ask = () => reader.history(channel, after, POSTS_PER_CALL);
      const page = await this.#caller.call('history', ask);
      if (page.kind !== 'read') return page;
      const { shown, passed } = coverageOf(page.value, after, left);
      const posts = page.value.posts.filter(({ id }) => shown.has(id));
      const deleted = missingOf([...shown], posts);
      const committed = await this.#commit({ reading, posts, deleted });
      if (committed.kind !== 'read') return committed;
      left = left.slice(passed);
    }
    return { kind: 'read', value: null };
  }

  // Rows and cursor in one transaction. What brought nothing and moves nothing is not written.
  async #commit({ reading, posts, deleted }: Taken): Promise<Called<Reading>> {
    const isNews = posts.length > 0 || deleted.length > 0;
    if (!isNews && isSameCursor(reading.cursor, this.progress.cursor)) {
      return { kind: 'read', value: reading };
    }
    const progress = this.#after(reading.cursor, posts);
    const committed = await this.#write(progress, posts, deleted, false);
    if (committed.kind !== 'committed') return { kind: 'stopped' };
    this.added += committed.added.length;
    this.changed += committed.changed;
    this.deleted += committed.deleted;
    this.#parts.counters.posts[this.#mode] += committed.added.length;
    if (committed.added.length > 0) this.#parts.onPosts(this.#source.id, committed.added);
    return { kind: 'read', value: reading };
  }

  #after(cursor: Cursor, posts: readonly ReadPost[]): Progress {
    const now = this.#parts.clock.now();
    const { lastId } = this.progress.cursor;
    const fresh = posts.filter(({ id }) => compareIds(id, lastId) > 0);
    if (fresh.length === 0) return { ...this.progress, cursor };
    const dates = fresh.map(({ date }) => date);
    const before = this.progress.activity ?? newActivity(Math.min(...dates), now);
    const newestDate = Math.max(this.progress.newestDate ?? 0, ...dates);
    const activity = observe(before, dates, now);
    return { ...this.progress, cursor, activity, parsedAt: now, newestDate };
  }

  // What the look has come to; see conclusion.ts.
  async conclude(progress: Progress, isDead: boolean): Promise<void> {
    await this.#write(progress, [], [], isDead);
  }

  async #write(
    progress: Progress,
    posts: readonly ReadPost[],
    deleted: readonly string[],
    isDead: boolean,
  ): Promise<PageCommitted> {
    const { key, epoch } = this.#open;
    const committed = await this.#parts.store.commit({
      source: this.#source.id,
      revision: this.revision,
      progress: formatProgress(progress),
      lease: { name: key, epoch },
      posts: posts.map(newPostOf),
      deleted,
      at: this.#parts.clock.now(),
      isDead,
      forwardSince: this.#forwardSince,
    });
    if (committed.kind === 'committed') {
      this.progress = progress;
      this.revision = committed.revision;
    }
    return committed;
  }
}

// Of these ids, those of which a page tells whether they are there, and how many it has passed.
function coverageOf(
  { posts, newestId, upTo }: HistoryPage,
  after: string,
  ids: readonly string[],
): { shown: ReadonlySet<string>; passed: number } {
  const last = upTo ?? posts.at(-1)?.id ?? after;
  if (newestId !== null && compareIds(newestId, last) <= 0) {
    return { shown: new Set(ids), passed: ids.length };
  }
  const shown = ids.filter((id) => compareIds(id, last) <= 0);
  if (shown.length > 0) return { shown: new Set(shown), passed: shown.length };
  const end = idPlus(after, POSTS_PER_CALL);
  return { shown: new Set(), passed: ids.filter((id) => compareIds(id, end) <= 0).length };
}

export function newPostOf(post: ReadPost): NewPost {
  const { id, date, editedAt, text, author, groupId, media } = post;
  const shown = media.map(({ kind, name, bytes }) => ({ kind, name, bytes }));
  const references = JSON.stringify(media.map(({ reference }) => reference));
  return { id, date, editedAt, text, author, groupId, media: JSON.stringify(shown), references };
}
