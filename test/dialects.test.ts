// The API of a platform that nobody but this test knows, served as a drop-in beside the others: one line registers it.
// Its credential stands in a header and its target in the path, and it has words of its own for everything.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../src/app/gateway.ts';
import { configOf } from '../src/config/config.ts';
import { platformContract } from '../src/platforms/platform.contract.ts';
import type { OutgoingCall } from '../src/platforms/platform.ts';
import { PLATFORMS } from '../src/platforms/registry.ts';
import { Notebook } from './platforms/paper.ts';
import { paperApiOn, paperWithApi } from './platforms/paper-api.ts';

const PEN = 'desk';
const KEY = 'the-admin-key-of-this-test';
const HELLO = { method: 'sendMessage', params: { chat_id: 5, text: 'hello' } };
const BODY_BYTES_MAX = 4096;

platformContract('paper with an API', async () => {
  const notebook = new Notebook();
  return {
    platform: paperWithApi(notebook, []),
    credential: PEN,
    secret: PEN,
    accountId: PEN,
    message: { method: 'write', params: { page: 'one', ink: 'hello' }, chat: 'one', thread: null },
    edit: { method: 'rewrite', params: { page: 'one', line: 1, ink: 'new' } },
    read: { method: 'read', params: {} },
    request: {
      head: {
        verb: 'POST',
        url: '/paper/v1/pages/one/lines',
        headers: { authorization: `Pen ${PEN}` },
      },
      body: { ink: 'hello' },
    },
    retryAfterMs: 0,
    next: (weather) => {
      notebook.isTorn = weather === 'refused';
    },
  };
}, ['fine', 'refused']);

const folder = mkdtempSync(join(tmpdir(), 'sluice-dialects-'));
const notebook = new Notebook();
const passed: OutgoingCall[] = [];
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  const config = configOf({
    ...{ data: folder, log: 'silent', port: 0, adminKey: KEY },
    bodyBytesMax: BODY_BYTES_MAX,
  });
  const platforms = [...PLATFORMS, paperApiOn(notebook, passed)];
  gateway = await createGateway(config, { platforms });
  url = await gateway.listen();
});

beforeEach(() => {
  notebook.lines.length = 0;
  passed.length = 0;
});

afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

function ask(verb: string, path: string, body?: string, more: Record<string, string> = {}) {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { authorization: `Pen ${PEN}`, ...type, ...more };
  return fetch(`${url}/paper/v9/pages${path}`, { method: verb, headers, body: body ?? null });
}

test('a message goes over the road and is answered with the platform’s own answer', async () => {
  const answer = await ask('POST', '/one/lines', '{"ink":"hello"}');
  expect(answer.status).toBe(201);
  expect(await answer.json()).toEqual({ line: 1 });
  expect(answer.headers.get('x-sluice-delivery')).toMatch(/^\w{5}-\w+$/);
  expect(notebook.lines).toEqual(['one: hello']);
  const changed = await ask('PATCH', '/one/lines/1', '{"ink":"better"}');
  expect(changed.status).toBe(201);
});

test('headers wish the same as everywhere', async () => {
  const early = await ask('POST', '/one/lines', '{"ink":"x"}', { prefer: 'respond-async' });
  expect(early.status).toBe(202);
  expect(early.headers.get('preference-applied')).toBe('respond-async');
  expect(await early.json()).toEqual({ line: expect.stringMatching(/^later-\d+$/) });
  const wrong = await ask('POST', '/one/lines', '{"ink":"x"}', { 'x-sluice-ttl': 'soon' });
  expect(wrong.status).toBe(400);
  expect(await wrong.json()).toMatchObject({ complaint: expect.stringMatching(/^X-Sluice-TTL/) });
});

test('what sends nothing is passed on, and files are', async () => {
  const read = await ask('GET', '/one/lines');
  expect(await read.json()).toEqual([]);
  expect(passed).toMatchObject([{ credential: PEN, method: 'read' }]);
  expect([read.headers.get('x-ink-left'), read.headers.get('x-own')]).toEqual(['7', null]);
  const photo = await ask('GET', '/one/photo');
  expect(await photo.text()).toBe('a photo of one');
  expect(photo.headers.get('content-disposition')).toBe('attachment');
});

test.each([
  ['no credential', 'POST', '/one/lines', '{"ink":"x"}', { authorization: '' }, 422],
  [
    'a credential of another dialect',
    'POST',
    '/one/lines',
    '{"ink":"x"}',
    penOf('41:sandbox'),
    422,
  ],
  ['a virtual one that is wrong', 'POST', '/one/lines', '{"ink":"x"}', penOf('sluice-x'), 401],
  ['no JSON', 'POST', '/one/lines', '{"ink"', {}, 400],
  ['too much', 'POST', '/one/lines', `{"ink":"${'x'.repeat(BODY_BYTES_MAX)}"}`, {}, 413],
  ['a verb it does not know', 'DELETE', '/one/lines', undefined, {}, 405],
  ['a call that is none', 'POST', '/one/lines', '"a text"', {}, 400],
  ['a path that is none', 'POST', '/one$/lines', '{}', {}, 404],
  ['an address that is none', 'POST', '/one%/lines', '{}', {}, 404],
  ['another site', 'POST', '/one/lines', '{}', { 'sec-fetch-site': 'cross-site' }, 403],
])('%s is refused in its words', async (_name, verb, path, body, headers, status) => {
  const answer = await ask(verb, path, body, headers);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toEqual({ complaint: expect.any(String), status });
  expect(notebook.lines).toEqual([]);
});

function penOf(credential: string): Record<string, string> {
  return { authorization: `Pen ${credential}` };
}

test('the same call from inside the process has the same answer', async () => {
  const params = { page: 'two', ink: 'from here' };
  const call = { platform: 'paper', token: PEN, method: 'write', params };
  expect(await gateway.call(call)).toEqual({ line: 1 });
  expect(await gateway.call({ ...call, method: 'read' })).toBeNull();
  expect(await gateway.call({ ...call, params: { ink: 'x' } })).toMatchObject({ status: 400 });
  expect(notebook.lines).toEqual(['two: from here']);
});

test('a virtual token of another platform’s account is nobody here', async () => {
  await gateway.call({ ...{ platform: 'telegram', token: '41:sandbox' }, ...HELLO });
  const made = await fetch(`${url}/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'lent', virtual: true, account: 'telegram:sandbox-41' }),
  });
  const { secret } = (await made.json()) as { secret: string };
  expect((await fetch(`${url}/bot${secret}/getMe`)).status).toBe(200);
  const answer = await ask('POST', '/one/lines', '{"ink":"x"}', penOf(secret));
  expect(answer.status).toBe(401);
  expect(await answer.text()).not.toContain(secret);
  expect(notebook.lines).toEqual([]);
});

test('the other dialects are served as before', async () => {
  const answer = await fetch(`${url}/bot41:sandbox/getMe`);
  expect(await answer.json()).toMatchObject({ ok: true, result: { id: 41 } });
});
