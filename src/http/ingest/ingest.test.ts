import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PeerRequest } from '../../cluster/peers.ts';
import { FLEET_HEADERS } from '../../domain/fleet.ts';
import { aPost, aService, KIND, posts } from '../../ingest/ingest.fixture.ts';
import { boundKey } from '../auth/bounds.fixture.ts';
import { AUTH, type Bench, bench, ingestDesk, TOKEN } from '../context.fixture.ts';
import type { FleetPort } from '../fleet/port.ts';
import type { NewReaderAccount } from './port.ts';

let at: Bench;
let ingest: ReturnType<typeof aService>;
let saved: NewReaderAccount[];

beforeEach(async () => {
  ingest = aService({ settings: { pace: 'fixed' } });
  saved = [];
  await ingest.service.start();
  const desk = {
    ...ingestDesk(),
    service: ingest.service,
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
    expect((await ask('GET', '/sources?find=B')).body.sources).toMatchObject([{ source: '@b' }]);
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

  test('only an admin has posts sent to an address', async () => {
    const headers = await boundKey(at, 'operator', {});
    const payload = { source: '@news', kind: KIND, forwardTo: { url: 'http://10.0.0.1/' } };
    const url = '/v1/ingest/sources';
    const added = await at.app.inject({ method: 'POST', url, headers, payload });
    expect(added.json()).toMatchObject({ status: 403, code: 'forbidden_role' });
    await add();
    const { forwardTo } = payload;
    const changing = { method: 'PATCH', url: `${url}/1`, headers, payload: { forwardTo } } as const;
    expect((await at.app.inject(changing)).statusCode).toBe(403);
    expect((await ask('GET', '/sources/1')).body.forwardTo).toBeNull();
    expect((await ask('PATCH', '/sources/1', { forwardTo })).status).toBe(200);
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

  test('all of them as a file, oldest first, page by page; for those who may read texts', async () => {
    const file = async (query: string, headers: Record<string, string> = AUTH) =>
      at.app.inject({ method: 'GET', url: `/v1/ingest/export?${query}`, headers });
    const ndjson = await file('source=1');
    const lines = ndjson.body.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).messageId)).toEqual(['1', '2', '3', '4', '10']);
    expect(ndjson.headers['content-disposition']).toBe('attachment; filename="posts-1.ndjson"');
    const csv = await file('format=csv&text=rain');
    expect(csv.headers['content-type']).toContain('text/csv');
    expect(csv.body).toMatch(/^\ufeffsource,messageId,.*\r\n1,10,.*,RAIN today,.*\r\n$/s);
    expect((await file('format=xml')).statusCode).toBe(422);
    expect((await file('', await boundKey(at, 'viewer', {}))).statusCode).toBe(403);
  });

  test('so many files at once, and their places are given back', async () => {
    const gate = Promise.withResolvers<void>();
    const full = Promise.withResolvers<void>();
    const { store } = ingest.service;
    const read = store.posts;
    let reading = 0;
    store.posts = async (query) => {
      reading += 1;
      if (reading === 4) full.resolve();
      await gate.promise;
      return read(query);
    };
    const file = () => at.app.inject({ url: '/v1/ingest/export', headers: AUTH });
    const under = [file(), file(), file(), file()];
    await full.promise;
    expect((await file()).statusCode).toBe(429);
    gate.resolve();
    expect((await Promise.all(under)).map(({ statusCode }) => statusCode)).toEqual([
      200, 200, 200, 200,
    ]);
    await expect.poll(async () => (await file()).statusCode).toBe(200);
  });

  test('a file of one: a download, whatever it says it is; trouble is said', async () => {
    const media = [{ kind: 'document', name: 'räin.html', bytes: 3, reference: 'r' }];
    const withMedia = [aPost(11, { text: 'x', media })];
    ingest.answers.byId = () => ({ kind: 'read', value: withMedia });
    const changes = { kind: 'changes', deleted: [], mark: '2', isLast: true } as const;
    const value = { ...changes, notBeforeMs: 0, posts: withMedia };
    ingest.answers.changes = () => ({ kind: 'read', value });
    await ask('POST', '/sources/1/run');
    await ingest.run(1_000);
    const file = (path: string) =>
      at.app.inject({ url: `/v1/ingest/posts/${path}/media`, headers: AUTH });
    const bytes = Buffer.from('<p>');
    ingest.answers.download = () => ({
      ...{ kind: 'read', value: { bytes, isLast: true, contentType: 'text/html' } },
    });
    const got = await file('1/11');
    expect(got).toMatchObject({ statusCode: 200, body: '<p>' });
    expect(got.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''r%C3%A4in.html",
      'x-content-type-options': 'nosniff',
    });
    expect((await file('1/10')).statusCode).toBe(404);
    expect((await file('1/x')).statusCode).toBe(404);
    const detail = 'it is gone';
    ingest.answers.download = () => ({ kind: 'refused', reason: 'no_file', detail });
    expect((await file('1/11')).json()).toMatchObject({ code: 'media_unavailable', detail });
    ingest.answers.download = () => ({ kind: 'wait', waitMs: 60_000 });
    const waits = await file('1/11');
    expect(waits.json()).toMatchObject({ status: 429, code: 'reader_waits' });
    expect(Number(waits.headers['retry-after'])).toBeGreaterThan(0);
    const viewer = await boundKey(at, 'viewer', {});
    const url = '/v1/ingest/posts/1/11/media';
    expect((await at.app.inject({ url, headers: viewer })).statusCode).toBe(403);
  });

  test('a file of a channel that another node reads comes from that node, whichever is asked', async () => {
    const media = [{ kind: 'document', name: 'a.pdf', bytes: 3, reference: 'r' }];
    const withMedia = [aPost(11, { text: 'x', media })];
    ingest.answers.byId = () => ({ kind: 'read', value: withMedia });
    const changes = { kind: 'changes', deleted: [], mark: '2', isLast: true } as const;
    const value = { ...changes, notBeforeMs: 0, posts: withMedia };
    ingest.answers.changes = () => ({ kind: 'read', value });
    await ask('POST', '/sources/1/run');
    await ingest.run(1_000);
    const piece = { bytes: Buffer.from('PDF'), isLast: true, contentType: null };
    ingest.answers.download = () => ({ kind: 'read', value: piece });
    const elsewhere = async () => ({ kind: 'elsewhere' }) as const;
    const service = Object.assign(Object.create(ingest.service), { media: elsewhere });
    const nodes = ['self', 'idle', 'reader'];
    const asked: string[] = [];
    const port = (others: Record<string, Bench>) =>
      ({
        secret: 'the-secret-of-the-fleet',
        nodes: () => nodes.map((name) => ({ url: name, isSelf: name === 'self' })),
        forward: async ({ url }: { url: string }, { path, headers }: PeerRequest) => {
          asked.push(url);
          const proven = { ...headers, [FLEET_HEADERS.secret]: 'the-secret-of-the-fleet' };
          const answer = await others[url]!.app.inject({ url: path, headers: proven });
          if (answer.headers[FLEET_HEADERS.moved] !== undefined) return { kind: 'moved', to: null };
          const body = Readable.from([answer.rawPayload]);
          return { kind: 'answered', status: answer.statusCode, headers: answer.headers, body };
        },
      }) as unknown as FleetPort;
    const inner = { side: 'inner', port: port({}) } as const;
    const idle = await bench({}, [], { ingest: { ...ingestDesk(), service }, fleet: inner });
    const desk = { ...ingestDesk(), service: ingest.service };
    const reader = await bench({}, [], { ingest: desk, fleet: inner });
    const fleet = { side: 'outer', port: port({ idle, reader }) } as const;
    const outer = await bench({}, [], { ingest: { ...ingestDesk(), service }, fleet });
    const url = '/v1/ingest/posts/1/11/media';
    const got = await outer.app.inject({ url, headers: AUTH });
    expect(got).toMatchObject({ statusCode: 200, body: 'PDF' });
    expect(got.headers['content-disposition']).toContain('a.pdf');
    expect(asked).toEqual(['idle', 'reader']);
    nodes.pop();
    const without = await outer.app.inject({ url, headers: AUTH });
    expect(without.json()).toMatchObject({ code: 'media_unavailable' });
    for (const { app } of [idle, reader, outer]) await app.close();
  });

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
