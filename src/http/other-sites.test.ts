// What a browser may be made to ask by a page of another site: nothing, on every route that the server has.

import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPage } from '../dashboard/dashboard.ts';
import { type Access, accessOf } from './auth/access.ts';
import { AUTH, type Bench, bench, ingestDesk, TOKEN } from './context.fixture.ts';
import { addPageRoutes } from './page.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';

const LINKED = ['GET /', 'GET /docs', 'GET /login'];
const OTHERS = ['cross-site', 'same-site', 'same-origin, cross-site', ''];
const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const ASKED = 299;

let at: Bench;
// Which requests have got past the wall.
const reached: string[] = [];
const routes: { method: Method; url: string; access: Access }[] = [];

beforeAll(async () => {
  at = await bench({}, [], { ingest: ingestDesk() });
  at.app.addHook('onRoute', (route: RouteOptions) => {
    const methods = [route.method].flat() as Method[];
    const access = accessOf(route.config);
    for (const method of methods) routes.push({ method, url: route.url, access });
    route.preParsing = (request, reply) => {
      reached.push(`${request.method} ${request.routeOptions.url}`);
      void reply.code(ASKED).serializer(String).send('asked');
    };
  });
  addPageRoutes(at.app, openPage({ log: { warn: () => {} }, read: async () => new Map() }));
  await at.app.ready();
});
afterAll(() => at.app.close());

function ask(method: Method, url: string, headers: object) {
  const path = url
    .replace('*', `${TOKEN}/getMe`)
    .replace(/:\w+/g, (name) => (url.includes('*') ? name : 'x'));
  return at.app.inject({ method, url: path, headers: { ...AUTH, ...headers } });
}

test('every route is closed to other sites, but for those that may be linked to', async () => {
  expect(routes.length).toBeGreaterThan(50);
  for (const { method, url, access } of routes) {
    for (const site of OTHERS) {
      const name = `${method} ${url} ${site}`;
      reached.length = 0;
      const { statusCode, body } = await ask(method, url, { 'sec-fetch-site': site });
      expect(statusCode, name).toBe(403);
      expect(reached, name).toEqual([]);
      const linked = await ask(method, url, { 'sec-fetch-site': site, ...NAVIGATION });
      const mayBe = LINKED.includes(`${method} ${url}`);
      expect(linked.statusCode === ASKED, `${name} linked`).toBe(mayBe);
      expect(access.linked === true && method === 'GET', name).toBe(mayBe);
      if (method === 'HEAD') continue;
      // Each in its own words.
      const isDialect = url.startsWith('/bot') || url.startsWith('/file/bot');
      const answer = JSON.parse(body);
      if (isDialect) expect(answer, name).toMatchObject({ ok: false, error_code: 403 });
      else expect(answer.code, name).toBe('cross_site');
    }
  }
});

test('the page itself, people and programs are let in', async () => {
  const asking = [{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, {}];
  for (const { method, url } of routes) {
    for (const headers of asking) {
      const answer = await ask(method, url, headers);
      // A webhook is asked for its secret before anything is read, and nobody has one here.
      if (method === 'POST' && url.startsWith('/webhook/')) {
        expect(answer.json().code).toBe('not_found');
      } else expect(answer.statusCode, `${method} ${url}`).toBe(ASKED);
    }
  }
});

test.each(['iframe', 'embed', 'object', 'image', 'script', 'empty'])(
  'what may be linked to may not be put into a page as %s',
  async (dest) => {
    for (const url of ['/', '/docs', '/login?token=x']) {
      for (const mode of ['navigate', 'no-cors', 'cors']) {
        const headers = { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
        const answer = await ask('GET', url, { ...headers, 'sec-fetch-site': 'cross-site' });
        expect(answer.statusCode, `${url} ${mode}`).toBe(403);
      }
    }
  },
);

test('a route that nobody thought of is closed to other sites', async () => {
  const headers = { 'sec-fetch-site': 'cross-site', ...NAVIGATION };
  expect(accessOf({}).linked).toBeUndefined();
  expect((await ask('GET', '/no/such/route', headers)).json().code).toBe('cross_site');
});

describe('every answer', () => {
  const hostile = '<script>alert(1)</script>';

  async function plain() {
    const made = await bench();
    made.answer = {
      kind: 'answered',
      status: 200,
      headers: {
        'content-type': 'text/html',
        'content-disposition': 'inline; filename="a.html"',
        'content-security-policy': "script-src 'unsafe-inline'",
        'x-content-type-options': 'sniff',
      },
      body: hostile,
    };
    addPageRoutes(made.app, openPage({ log: { warn: () => {} }, read: async () => new Map() }));
    return made;
  }

  test('is taken for what it is called, and is in no frame', async () => {
    const made = await plain();
    const urls = [
      ...['/', '/docs', '/login', '/login?token=x', '/health', '/metrics', '/openapi.json'],
      ...['/v1/messages', '/v1/none', '/nothing', '/%zz', '/bot%zz/getMe', '/bot1:x/getMe'],
      ...[`/bot${TOKEN}/getMe`, `/bot${TOKEN}/sendMessage`, `/file/bot${TOKEN}/a.html`],
    ];
    for (const url of urls) {
      const { headers } = await made.app.inject({ url, headers: AUTH });
      expect(headers['x-content-type-options'], url).toBe('nosniff');
      expect(headers['content-security-policy'], url).toContain("frame-ancestors 'none'");
    }
    await made.app.close();
  });

  test('that a platform gave cannot run in the page’s origin, whatever its headers say', async () => {
    const made = await plain();
    for (const url of [`/bot${TOKEN}/getMe`, `/file/bot${TOKEN}/a.html`]) {
      const answer = await made.app.inject({ url });
      expect([answer.statusCode, answer.body]).toEqual([200, hostile]);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.headers['content-security-policy']).toBe(
        "sandbox; default-src 'none'; frame-ancestors 'none'",
      );
    }
    await made.app.close();
  });

  test.each([
    ['inline; filename="a.html"', 'attachment'],
    ['attachment; filename="a.html"', 'attachment; filename="a.html"'],
    ['attachments', 'attachment'],
    [undefined, 'attachment'],
  ])('a file said to be %j is saved', async (given, expected) => {
    const made = await plain();
    const said: Record<string, string> =
      given === undefined ? {} : { 'content-disposition': given };
    made.answer = { kind: 'answered', status: 200, headers: said, body: 'x' };
    const { headers } = await made.app.inject(`/file/bot${TOKEN}/a.html`);
    expect(headers['content-disposition']).toBe(expected);
    await made.app.close();
  });
});
