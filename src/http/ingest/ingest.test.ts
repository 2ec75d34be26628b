import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aPost, aService, KIND, posts } from '../../ingest/ingest.fixture.ts';
import { AUTH, type Bench, bench, TOKEN } from '../context.fixture.ts';
import type { NewReaderAccount } from './port.ts';

let at: Bench;
let ingest: ReturnType<typeof aService>;
let saved: NewReaderAccount[];

beforeEach(async () => {
  ingest = aService({ settings: { pace: 'fixed' } });
  saved = [];
  await ingest.service.start();
  const desk = {
    service: ingest.service,
    kinds: [KIND],
    signingSecret: 'whsec_x',
    accounts: async () =>
      (await ingest.service.accounts()).map((each) => ({ ...each, name: null })),
    saveAccount: async (account: NewReaderAccount) => {
      saved.push(account);
      return account.kind === KIND;
    },
    removeAccount: async () => false,
  };
  at = await bench({}, [], { ingest: desk });
});
afterEach(() => at.app.close());

type Verb = 'GET' | 'POST' | 'PATCH' | 'DELETE';
async function ask(method: Verb, url: string, payload?: object) {
  const body = payload === undefined ? {} : { payload };
  const answer = await at.app.inject({ method, url: `/v1/ingest${url}`, headers: AUTH, ...body });
  return { status: answer.statusCode, body: answer.json() };
}
const add = (more: object = {}) =>
  ask('POST', '/sources', { source: '@news', kind: KIND, ...more });

describe('sources', () => {
  test('are added once, shown, changed, paused, resumed and removed', async () => {
    expect(await add({ priority: 4 })).toMatchObject({
      status: 201,
      body: { id: '1', priority: 4 },
    });
    expect(await add()).toMatchObject({ status: 200, body: { id: '1', priority: 4 } });
    expect((await ask('PATCH', '/sources/1', { priority: 2 })).body).toMatchObject({ priority: 2 });
    expect((await ask('POST', '/sources/1/pause')).body).toMatchObject({ state: 'paused' });
    expect((await ask('GET', '/sources?state=active')).body).toEqual({ sources: [], next: null });
    expect((await ask('POST', '/sources/1/resume')).body).toMatchObject({ state: 'active' });
    expect(await ask('POST', '/sources/1/run')).toMatchObject({ status: 202 });
    expect((await ask('DELETE', '/sources/1')).body).toEqual({ id: '1', removed: true });
    expect(await ask('GET', '/sources/1')).toMatchObject({
      ...{ status: 404, body: { code: 'unknown_source' } },
    });
  });

  test('come in pages', async () => {
    for (const name of ['a', 'b', 'c']) await add({ source: `@${name}` });
    const first = (await ask('GET', '/sources?limit=2')).body;
    expect(first).toMatchObject({ sources: [{ id: '1' }, { id: '2' }], next: '2' });
    const rest = (await ask('GET', '/sources?limit=2&cursor=2')).body;
    expect(rest).toMatchObject({ sources: [{ source: '@c' }], next: null });
  });

  test.each([
    [{ kind: 'other' }, '/kind'],
    [{ priority: 0 }, '/priority'],
    [{ priorty: 1 }, '/priorty'],
    [{ forwardTo: { url: 'https://u:p@example.com/' } }, '/forwardTo/url'],
    [{ forwardTo: { url: 'file:///etc/passwd' } }, '/forwardTo/url'],
  ])('%j is refused, with the place', async (more, path) => {
    const { status, body } = await add(more);
    expect(status).toBe(422);
    expect(JSON.stringify(body.problems)).toContain(path);
    expect(ingest.service.list()).toEqual([]);
  });

  test('a token to forward with is not kept with the source', async () => {
    const { body } = await add({ forwardTo: { platform: 'telegram', account: TOKEN, chat: 7 } });
    expect(body.forwardTo).toEqual({ account: 'telegram:42', chat: '7', thread: null });
    expect(JSON.stringify(await ingest.service.store.sources({ after: 0, max: 9 }))).not.toContain(
      TOKEN,
    );
    const noted = await at.journal.audit.page({ before: null, max: 99 });
    expect(noted).toHaveLength(1);
    expect(JSON.stringify(noted)).not.toContain(TOKEN);
    expect((await ask('PATCH', '/sources/1', { forwardTo: null })).body.forwardTo).toBeNull();
  });

  test('dead ones are listed, and looked at again', async () => {
    const detail = 'no such name';
    ingest.answers.resolve = () => ({ kind: 'refused', reason: 'no_channel', detail });
    await add();
    await ingest.run(1_000);
    const dead = (await ask('GET', '/dead')).body.sources;
    expect(dead).toMatchObject([{ id: '1', state: 'dead', failure: { reason: 'no_channel' } }]);
    const retried = await ask('POST', '/dead/retry', { ids: ['1', '9'] });
    expect(retried.body).toEqual({ retried: 1, unknown: ['9'] });
    expect((await ask('GET', '/sources/1')).body).toMatchObject({ state: 'active' });
  });
});

describe('posts', () => {
  beforeEach(async () => {
    const all = [...posts(1, 4), aPost(10, { text: 'RAIN today' })];
    ingest.answers.history = (after) => ({
      kind: 'read',
      value: { posts: after === '0' ? all : [], newestId: '10', mark: '1' },
    });
    await add();
    await ingest.run(1_000);
  });
  const found = async (query: string) =>
    (await ask('GET', `/posts?${query}`)).body.posts.map((post: { messageId: string }) =>
      Number(post.messageId),
    );

  test('newest first; above an id, oldest first; by text; by pages', async () => {
    expect(await found('source=1')).toEqual([10, 4, 3, 2, 1]);
    expect(await found('source=1&after=2')).toEqual([3, 4, 10]);
    expect(await found('text=rain')).toEqual([10]);
    expect(await found('after=2100-01-01T00:00:00Z')).toEqual([]);
    const { next } = (await ask('GET', '/posts?source=1&limit=2')).body;
    expect(await found(`source=1&limit=2&cursor=${next}`)).toEqual([3, 2]);
  });

  test.each(['after=5', 'after=soon', 'source=1&after=5&order=newest', 'since=1', 'limit=x'])(
    '%s is refused',
    async (query) => expect(await ask('GET', `/posts?${query}`)).toMatchObject({ status: 422 }),
  );

  test('one, with its former states', async () => {
    const edited = [aPost(3, { text: 'changed', editedAt: 9e12 })];
    const changes = {
      kind: 'changes',
      deleted: [],
      mark: '2',
      isLast: true,
      notBeforeMs: 0,
    } as const;
    ingest.answers.changes = () => ({ kind: 'read', value: { ...changes, posts: edited } });
    await ask('POST', '/sources/1/run');
    await ingest.run(1_000);
    expect((await ask('GET', '/sources/1/posts/3')).body).toMatchObject({
      ...{ text: 'changed', versions: 1, history: [{ text: 'post 3' }] },
    });
    for (const path of ['/sources/1/posts/99', '/sources/1/posts/x', '/sources/x/posts/1']) {
      expect(await ask('GET', path)).toMatchObject({ status: 404 });
    }
  });
});

test('a session is kept where accounts log in, and shown nowhere', async () => {
  const account = { kind: KIND, id: '5', session: 'secret session' };
  expect(await ask('POST', '/accounts', account)).toEqual({
    ...{ status: 201, body: { kind: KIND, id: '5' } },
  });
  expect(saved).toEqual([{ ...account, name: '' }]);
  expect(await ask('POST', '/accounts', { ...account, kind: 'x' })).toMatchObject({ status: 422 });
  const noted = await at.journal.audit.page({ before: null, max: 99 });
  const shown = [await ask('GET', '/accounts'), at.logged, noted];
  expect(JSON.stringify(shown)).not.toContain('secret session');
});

test('health tells how the scheduler stands', async () => {
  await ingest.run(1);
  const { scheduler, status } = (await at.app.inject('/health/details')).json();
  expect(scheduler).toMatchObject({ interval_sec: 300, lock_owner: null, status: 'ok' });
  expect(scheduler.last_tick_ts).toBeGreaterThan(1_700_000_000);
  expect(status).toBe('ok');
  await ingest.service.stop(0);
  const stopped = await at.app.inject('/health/details');
  expect(stopped.statusCode).toBe(503);
  expect((await at.app.inject('/health')).statusCode).toBe(200);
});
