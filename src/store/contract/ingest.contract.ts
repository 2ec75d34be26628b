// What every store must do for ingest.

import { describe, expect, test } from 'vitest';
import {
  type NewPost,
  type PageCommit,
  POSTS_SCANNED_MAX,
  type PostQuery,
} from '../ports/ingest.ts';
import type { Harness } from './journal.fixture.ts';

// More than a number can tell from its neighbours.
const FAR = '9007199254740993';
const NEXT = '9007199254740994';
const LEASE = { name: 'page', epoch: 1 };
const aSource = (name = '@news') => ({
  ...{ readerKind: 'page', name, settings: '{"weight":1}', progress: '{}', createdAt: 1_000.5 },
});

function aPost(id: string, changes: Partial<NewPost> = {}): NewPost {
  const content = {
    text: `post ${id}`,
    author: null,
    groupId: null,
    media: '[]',
    references: '[]',
  };
  return { id, date: 1_000, editedAt: null, ...content, ...changes };
}

function aPage(changes: Partial<PageCommit> = {}): PageCommit {
  const of = { source: 1, revision: 0, progress: '{"last":"2"}', lease: LEASE };
  return {
    ...of,
    posts: [],
    deleted: [],
    at: 5_000,
    isDead: false,
    forwardSince: null,
    ...changes,
  };
}

const ALL: PostQuery = {
  ...{ source: null, order: 'oldest', cursor: null, since: null, text: null, max: 100 },
};

export function ingest(store: () => Harness): void {
  const all = () => store().journal.ingest;
  const ids = async (query: Partial<PostQuery>) => {
    const { posts, next } = await all().posts({ ...ALL, ...query });
    return [...posts.map(({ id }) => id), next];
  };

  describe('sources of ingest', () => {
    test('are kept, found by page, and added once', async () => {
      const { isNew, source } = await all().addSource(aSource());
      expect(isNew).toBe(true);
      expect(source).toEqual({ ...aSource(), id: 1, state: 'active', revision: 0 });
      expect((await all().addSource(aSource('@other'))).source.id).toBe(2);
      expect(await all().addSource({ ...aSource(), settings: '{}' })).toEqual({
        ...{ isNew: false, source },
      });
      await store().reopen();
      expect(await all().source(1)).toEqual(source);
      expect(await all().source(3)).toBeNull();
      expect((await all().sources({ after: 0, max: 1 })).map(({ id }) => id)).toEqual([1]);
      expect((await all().sources({ after: 1, max: 9 })).map(({ id }) => id)).toEqual([2]);
      const whole = await all().sources({ after: 0, max: 9 });
      const heads = whole.map(({ id, state, settings, revision }) => ({
        ...{ id, state, settings, revision },
      }));
      expect(await all().sourceHeads({ after: 0, max: 9 })).toEqual(heads);
      expect(await all().sourceHeads({ after: 1, max: 9 })).toEqual(heads.slice(1));
    });

    test('are changed by hand, in parts', async () => {
      await all().addSource(aSource());
      const paused = await all().changeSource({ id: 1, state: 'paused', settings: null });
      expect(paused).toMatchObject({ state: 'paused', settings: '{"weight":1}' });
      const heavy = await all().changeSource({ id: 1, state: null, settings: '{"weight":2}' });
      expect(heavy).toMatchObject({ state: 'paused', settings: '{"weight":2}' });
      expect(await all().changeSource({ id: 7, state: 'active', settings: null })).toBeNull();
    });

    test('are removed piece by piece, and take nothing more meanwhile', async () => {
      await all().addSource(aSource());
      const posts = ['1', '2', '10'].map((id) => aPost(id));
      await all().commit(aPage({ posts, deleted: ['2'] }));
      expect(await all().removeSource({ id: 1, max: 2 })).toBe(true);
      expect(await ids({})).toEqual(['10', null]);
      expect(await all().commit(aPage({ revision: 1 }))).toEqual({ kind: 'gone' });
      const change = { id: 1, state: 'active', settings: null } as const;
      expect(await all().changeSource(change)).toMatchObject({ state: 'removed' });
      expect(await all().removeSource({ id: 1, max: 2 })).toBe(false);
      expect(await all().removeSource({ id: 1, max: 2 })).toBe(false);
      expect(await all().source(1)).toBeNull();
      expect(await all().versions({ source: 1, id: '2', max: 9 })).toEqual([]);
      // Neither its number nor those of its posts come again.
      expect((await all().addSource(aSource())).source.id).toBe(2);
      await all().commit(aPage({ source: 2, posts: [aPost('1')] }));
      expect(await all().post({ source: 2, id: '1' })).toMatchObject({ n: 4 });
    });
  });

  describe('a page of posts', () => {
    test('is stored with its progress, and found after a restart', async () => {
      await all().addSource(aSource());
      const full = aPost(FAR, { editedAt: 1_500.5, author: 'ü', groupId: '77', media: '[{}]' });
      const posts = [aPost('2'), full];
      expect(await all().commit(aPage({ posts }))).toEqual({
        ...{ kind: 'committed', revision: 1, added: ['2', FAR], changed: 0, deleted: 0 },
      });
      await store().reopen();
      expect(await all().source(1)).toMatchObject({ progress: '{"last":"2"}', revision: 1 });
      expect(await all().post({ source: 1, id: FAR })).toEqual({
        ...{ ...full, source: 1, n: 2, deletedAt: null, storedAt: 5_000, versions: 0 },
      });
      expect(await all().post({ source: 1, id: NEXT })).toBeNull();
    });

    test('that is read again changes nothing; one that is new is told', async () => {
      await all().addSource(aSource());
      await all().commit(aPage({ posts: [aPost('1'), aPost('2')] }));
      const again = aPage({
        revision: 1,
        posts: [aPost('2', { references: '["new"]' }), aPost('3')],
      });
      expect(await all().commit(again)).toMatchObject({ added: ['3'], changed: 0 });
      expect(await ids({})).toEqual(['1', '2', '3', null]);
      expect(await all().post({ source: 1, id: '2' })).toMatchObject({ versions: 0 });
    });

    test('an edit and a deletion leave what was before as versions', async () => {
      await all().addSource(aSource());
      await all().commit(aPage({ posts: [aPost('1'), aPost('2')] }));
      const edited = aPost('1', { text: 'better', editedAt: 2_000 });
      await all().commit(aPage({ revision: 1, posts: [edited], at: 6_000 }));
      const gone = aPage({ revision: 2, deleted: ['1', '9'], at: 7_000 });
      expect(await all().commit(gone)).toMatchObject({ deleted: 1 });
      expect(await all().commit({ ...gone, revision: 3 })).toMatchObject({ deleted: 0 });
      const post = await all().post({ source: 1, id: '1' });
      expect(post).toMatchObject({
        text: 'better',
        deletedAt: 7_000,
        versions: 2,
        storedAt: 5_000,
      });
      const rest = { author: null, groupId: null, media: '[]', deletedAt: null };
      const versions = [
        { ...rest, version: 0, until: 6_000, text: 'post 1', editedAt: null },
        { ...rest, version: 1, until: 7_000, text: 'better', editedAt: 2_000 },
      ];
      expect(await all().versions({ source: 1, id: '1', max: 9 })).toEqual(versions);
      expect(await all().versions({ source: 1, id: '1', max: 1 })).toEqual(versions.slice(0, 1));
    });

    test('what is older than known is passed over; one that is back is there again', async () => {
      await all().addSource(aSource());
      await all().commit(aPage({ posts: [aPost('1', { text: 'b', editedAt: 2_000 })] }));
      const older = aPage({ revision: 1, posts: [aPost('1', { text: 'a' })] });
      expect(await all().commit(older)).toMatchObject({ changed: 0 });
      await all().commit(aPage({ revision: 2, deleted: ['1'] }));
      const back = aPage({ revision: 3, posts: [aPost('1', { text: 'b', editedAt: 2_000 })] });
      expect(await all().commit(back)).toMatchObject({ changed: 1 });
      const post = await all().post({ source: 1, id: '1' });
      expect(post).toMatchObject({ text: 'b', deletedAt: null, versions: 2 });
    });

    test('is refused whole where another has moved on, or the lease is another’s', async () => {
      await all().addSource(aSource());
      const lease = { name: 'page', node: 'n', now: 0, ttlMs: 10 };
      await all().takeLease({ ...lease, token: 'a' });
      await all().commit(aPage({ posts: [aPost('1')] }));
      expect(await all().commit(aPage({ posts: [aPost('2')] }))).toEqual({ kind: 'stale' });
      await all().takeLease({ ...lease, token: 'b', now: 10 });
      const late = aPage({ revision: 1, posts: [aPost('2')], progress: 'late' });
      expect(await all().commit(late)).toEqual({ kind: 'not_owner' });
      expect(await all().commit({ ...late, source: 9 })).toEqual({ kind: 'gone' });
      expect(await all().source(1)).toMatchObject({ revision: 1, progress: '{"last":"2"}' });
      expect(await ids({})).toEqual(['1', null]);
      const now = { ...late, lease: { name: 'page', epoch: 2 } };
      expect(await all().commit(now)).toMatchObject({ kind: 'committed' });
    });

    test('may set its source dead, unless it is paused', async () => {
      await all().addSource(aSource());
      await all().addSource(aSource('@paused'));
      await all().changeSource({ id: 2, state: 'paused', settings: null });
      for (const source of [1, 2]) await all().commit(aPage({ source, isDead: true }));
      const states = (await all().sources({ after: 0, max: 9 })).map(({ state }) => state);
      expect(states).toEqual(['dead', 'paused']);
    });
  });

  describe('posts are found', () => {
    async function twoSources() {
      for (const name of ['@a', '@b']) await all().addSource(aSource(name));
      const some = ['9', '10', '2'].map((id) => aPost(id, { date: Number(id) * 10 }));
      await all().commit(aPage({ posts: some }));
      await all().commit(aPage({ source: 2, posts: [aPost('5', { text: 'GRÜN ist' })] }));
    }

    test('of one source by id, of all as they were stored, in both directions', async () => {
      await twoSources();
      expect(await ids({ source: 1 })).toEqual(['2', '9', '10', null]);
      expect(await ids({ source: 1, order: 'newest' })).toEqual(['10', '9', '2', null]);
      expect(await ids({})).toEqual(['9', '10', '2', '5', null]);
      expect(await ids({ order: 'newest' })).toEqual(['5', '2', '10', '9', null]);
      expect(await ids({ source: 3 })).toEqual([null]);
    });

    test('page by page', async () => {
      await twoSources();
      expect(await ids({ source: 1, max: 2 })).toEqual(['2', '9', '9']);
      expect(await ids({ source: 1, max: 2, cursor: '9' })).toEqual(['10', null]);
      expect(await ids({ source: 1, max: 2, order: 'newest', cursor: '10' })).toEqual([
        ...['9', '2', null],
      ]);
      expect(await ids({ max: 2 })).toEqual(['9', '10', '2']);
      expect(await ids({ max: 2, cursor: '2' })).toEqual(['2', '5', null]);
      expect(await ids({ max: 1, order: 'newest', cursor: '2' })).toEqual(['9', null]);
    });

    test('by text, whatever its case, and by date', async () => {
      await twoSources();
      expect(await ids({ text: 'grün' })).toEqual(['5', null]);
      expect(await ids({ text: 'POST 1' })).toEqual(['10', null]);
      expect(await ids({ text: '%' })).toEqual([null]);
      expect(await ids({ source: 1, since: 90 })).toEqual(['9', '10', null]);
    });

    test('a search goes on where it has looked at enough', async () => {
      await all().addSource(aSource());
      const many = Array.from({ length: POSTS_SCANNED_MAX + 1 }, (_, i) => aPost(String(i + 1)));
      await all().commit(aPage({ posts: [...many, aPost('9999', { text: 'found' })] }));
      const next = String(POSTS_SCANNED_MAX);
      expect(await ids({ source: 1, text: 'found' })).toEqual([next]);
      expect(await ids({ source: 1, text: 'found', cursor: next })).toEqual(['9999', null]);
    });

    test('the newest ids up to one, without those that are gone', async () => {
      await all().addSource(aSource());
      const posts = ['1', '2', '9', '10', '11', FAR].map((id) => aPost(id));
      await all().commit(aPage({ posts, deleted: ['9'] }));
      const known = (upTo: string, max: number) => all().knownIds({ source: 1, upTo, max });
      expect(await known('10', 2)).toEqual(['2', '10']);
      expect(await known(FAR, 9)).toEqual(['1', '2', '10', '11', FAR]);
      expect(await known('0', 9)).toEqual([]);
    });
  });

  describe('posts to forward', () => {
    test('are the new ones from a date on, until they are said to be forwarded', async () => {
      await all().addSource(aSource());
      const posts = ['9', '8', '10', '11'].map((id) => aPost(id, { date: 100 * Number(id) }));
      await all().commit(aPage({ posts: posts.slice(0, 1) }));
      await all().commit(aPage({ revision: 1, posts, forwardSince: 1_000 }));
      await store().reopen();
      const waiting = async (max = 9) =>
        (await all().unforwarded({ source: 1, max })).map(({ id }) => id);
      expect(await waiting()).toEqual(['10', '11']);
      expect(await waiting(1)).toEqual(['10']);
      const [first] = await all().unforwarded({ source: 1, max: 1 });
      expect(first).toEqual(await all().post({ source: 1, id: '10' }));
      await all().forwarded({ source: 1, ids: ['10', '7'] });
      expect(await waiting()).toEqual(['11']);
      expect(await all().removeSource({ id: 1, max: 9 })).toBe(false);
      expect(await waiting()).toEqual([]);
    });
  });

  describe('what ingest remembers beside', () => {
    test('accounts to read with, by kind and id', async () => {
      const one = { readerKind: 'm', account: '2', name: 'Ann', sealed: 'v1.x', createdAt: 5.5 };
      await all().saveReader(one);
      await all().saveReader({ ...one, account: '1' });
      await all().saveReader({ ...one, sealed: 'v1.y' });
      await store().reopen();
      const kept = { ...one, sealed: 'v1.y' };
      expect(await all().readers()).toEqual([{ ...one, account: '1' }, kept]);
      expect(await all().removeReader({ readerKind: 'm', account: '1' })).toBe(true);
      expect(await all().removeReader({ readerKind: 'm', account: '1' })).toBe(false);
      expect(await all().readers()).toEqual([kept]);
    });

    test('channels by reader and name', async () => {
      const key = { reader: 'page', name: '@news' };
      expect(await all().channel(key)).toBeNull();
      await all().saveChannel({ ...key, channel: '{"id":"5"}' });
      await store().reopen();
      expect(await all().channel(key)).toBe('{"id":"5"}');
      expect(await all().channel({ ...key, reader: 'other' })).toBeNull();
    });

    test('waits by reader and method: the longest, also after a restart', async () => {
      const wait = { reader: 'm:1', method: 'history', until: 9_000.5, at: 1_000 };
      await all().saveWait(wait);
      await all().saveWait({ ...wait, until: 8_000, at: 2_000 });
      await all().saveWait({ ...wait, reader: 'a', method: 'x' });
      await all().saveWait({ ...wait, method: 'by_id' });
      await store().reopen();
      expect(await all().waits()).toEqual([
        { ...wait, reader: 'a', method: 'x' },
        { ...wait, method: 'by_id' },
        wait,
      ]);
      await all().dropWait({ reader: 'm:1', method: 'by_id' });
      expect((await all().waits()).map(({ method }) => method)).toEqual(['x', 'history']);
    });

    test('a lease is its token’s until it is over or released', async () => {
      const lease = (token: string, now: number, node = 'host') =>
        all().takeLease({ name: 'm:1', token, node, now, ttlMs: 100 });
      expect(await lease('a', 0)).toEqual({ kind: 'held', epoch: 1, isTaken: true });
      // The same host's name proves nothing.
      expect(await lease('b', 99)).toEqual({ kind: 'busy', node: 'host', until: 100 });
      expect(await lease('a', 50)).toEqual({ kind: 'held', epoch: 1, isTaken: false });
      await store().reopen();
      expect(await lease('b', 149)).toMatchObject({ kind: 'busy', until: 150 });
      expect(await lease('b', 150)).toEqual({ kind: 'held', epoch: 2, isTaken: true });
      expect(await lease('a', 160)).toMatchObject({ kind: 'busy' });
      expect(await all().releaseLease({ name: 'm:1', token: 'a' })).toBe(false);
      expect(await all().releaseLease({ name: 'm:1', token: 'b' })).toBe(true);
      expect(await all().releaseLease({ name: 'm:1', token: 'b' })).toBe(false);
      expect(await lease('a', 161)).toEqual({ kind: 'held', epoch: 3, isTaken: true });
    });
  });
}
