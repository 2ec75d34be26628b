// Every route with every kind of bound: the routes are asked of the server itself, and each is aimed at what lies
// outside the bound (refused, and nothing is done) and at what lies inside (let through). How a route is aimed follows
// from what it says that it reaches; a route that takes drafts needs a row here, and is missed without.

import type { RouteOptions } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AccountId } from '../../domain/ids.ts';
import { mayAct, ROLES, type Role } from '../../domain/role.ts';
import type { Scope } from '../../keys/keys.ts';
import { createTerminal, Screens } from '../../platforms/terminal/terminal.ts';
import { virtualClock } from '../../system/virtual-clock.ts';
import { ACCOUNT, AUTH, type Bench, bench, ingestDesk, START } from '../context.fixture.ts';
import { type Access, accessOf, type Reach } from './access.ts';
import { boundKey, sentBy, virtualToken } from './bounds.fixture.ts';

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
interface Served {
  readonly method: Verb;
  readonly url: string;
  readonly access: Access;
}
interface Request extends Omit<Served, 'access'> {
  readonly payload?: string | object;
  readonly headers?: Readonly<Record<string, string>>;
}
// Something of each kind that belongs to one account and chat.
interface Place {
  readonly account: AccountId;
  readonly chat: string;
  readonly message: string;
  readonly dead: string;
  readonly stream: string;
}

const OTHER_ACCOUNT = 'telegram:43';
const OWN_CHAT = '-100';
const OTHER_CHAT = '7';
const TEXT = { 'content-type': 'text/plain' };

// Bodies of routes that are about the place in their path; and whole requests where they are drafted.
const BODIES: Readonly<Record<string, object>> = {
  'PATCH /v1/streams/:id': { append: 'x' },
  'POST /v1/streams/:id/final': {},
  'PATCH /v1/dead/:id': { body: { text: 'edited' } },
};
const DRAFTS: Readonly<Record<string, (place: Place) => Omit<Request, 'method'>>> = {
  'POST /v1/messages': ({ account, chat }) => ({
    url: '/v1/messages',
    payload: { to: { account, chat }, body: { text: 'x' } },
  }),
  'POST /v1/streams': ({ account, chat }) => ({
    url: '/v1/streams',
    payload: { to: { account, chat }, text: 'x' },
  }),
  'PUT /v1/streams': ({ account, chat }) => ({
    url: `/v1/streams?account=${account}&chat=${chat}`,
    payload: 'x',
    headers: TEXT,
  }),
};

let at: Bench;
let routes: Served[];
let places: { own: Place; otherChat: Place; otherAccount: Place };

beforeEach(async () => {
  routes = [];
  const terminal = createTerminal(new Screens(virtualClock(START)));
  at = await bench({ wait: { kind: 'async' } }, [terminal], { ingest: ingestDesk() });
  at.app.addHook('onRoute', ({ method, url, config }: RouteOptions) => {
    const access = accessOf(config);
    for (const verb of [method].flat()) routes.push({ method: verb as Verb, url, access });
  });
  await at.app.ready();
  at.live.streamsMax = 100;
  await at.accounts.identify('telegram', '43:good-token');
  places = {
    own: await furnish(ACCOUNT, OWN_CHAT),
    otherChat: await furnish(ACCOUNT, OTHER_CHAT),
    otherAccount: await furnish(OTHER_ACCOUNT, OWN_CHAT),
  };
});
afterEach(() => at.app.close());

async function furnish(account: AccountId, chat: string): Promise<Place> {
  const post = async (url: string, payload: object) =>
    (await at.app.inject({ method: 'POST', url, headers: AUTH, payload })).json().id as string;
  const to = { account, chat };
  const dead = await post('/v1/messages', { to, body: { text: 'dead' } });
  await at.road.die(at.road.submitted.length, 'chat_not_found');
  const message = await post('/v1/messages', { to, body: { text: 'waits' } });
  const stream = await post('/v1/streams', { to, text: 'begun' });
  return { account, chat, message, dead, stream };
}

// Everything that a request could have changed.
async function state(): Promise<string> {
  const { ledger, sandboxes } = at.options;
  const sandbox = sandboxes.get('telegram');
  const deliveries = await ledger.search({}, { limit: 500, before: null });
  return JSON.stringify([
    ...[deliveries, sentBy(at), at.live.changes, [...at.live.streams.values()]],
    ...[[...at.road.paused], at.accounts.list(), sandbox!.newestByChat(100)],
    await at.broadcasts.list({ before: null, max: 100 }),
    await at.broadcasts.audiences({ after: '', max: 100 }),
    (await at.guards.keyring.list({ after: '', max: 1000 })).map(({ usedAt: _, ...key }) => key),
  ]);
}

function aimed(route: Served, place: Place): Request {
  const name = `${route.method} ${route.url}`;
  const { reach } = route.access;
  const payload = BODIES[name] ?? (route.method === 'GET' ? undefined : {});
  const isDead = route.url.startsWith('/v1/dead/');
  const ids: Partial<Record<Reach, string>> = {
    message: place.message,
    message_change: isDead ? place.dead : place.message,
    stream: place.stream,
    stream_change: place.stream,
    account: place.account,
  };
  if (reach === 'draft') {
    expect(DRAFTS, `${name} takes drafts and is not aimed`).toHaveProperty([name]);
    return { method: route.method, ...DRAFTS[name]!(place) };
  }
  const path = route.url.replace(':chat', place.chat).replace(/:\w+/g, ids[reach] ?? place.message);
  const names = `account=${encodeURIComponent(place.account)}&chat=${place.chat}`;
  const url =
    reach === 'query'
      ? `${path}?${names}`
      : reach === 'screen'
        ? `${path}?account=${place.account.split(':')[1]}`
        : path;
  return { method: route.method, url, ...(payload === undefined ? {} : { payload }) };
}

async function ask({ method, url, payload, headers }: Request, key: object) {
  return at.app.inject({
    ...{ method, url, headers: { ...headers, ...key } as Record<string, string> },
    ...(payload === undefined ? {} : { payload }),
  });
}

// Routes that ask for a key, and reach something by it.
function guarded(): Served[] {
  return routes.filter((route) => {
    const { role, reach } = route.access;
    return role !== 'anyone' && role !== 'watcher' && reach !== 'open';
  });
}

const READS: readonly Reach[] = ['message', 'stream', 'query', 'screen'];

test('there are routes, and every one that takes drafts is aimed', () => {
  expect(guarded().length).toBeGreaterThan(30);
  const drafting = routes.filter((route) => route.access.reach === 'draft');
  expect(drafting.map(({ method, url }) => `${method} ${url}`).sort()).toEqual(
    Object.keys(DRAFTS).sort(),
  );
});

// A route is open to keys with bounds, or without a key, by being named here as well.
test('these routes alone reach nothing of any account', () => {
  const open = routes.filter((route) => route.access.reach === 'open' && route.url !== '/bot*');
  const named = open.map(({ method, url }) => `${method} ${url}`);
  expect(named.sort()).toEqual([
    ...['GET /docs', 'GET /file/bot*', 'GET /health', 'GET /health/details', 'GET /login'],
    ...['GET /metrics', 'GET /openapi.json', 'GET /v1/me', 'GET /v1/reasons'],
    ...['GET /webhook/:platform/:account', 'HEAD /file/bot*', 'POST /login'],
    // What its tools do is asked for by calls of REST with the same key: see test/mcp.test.ts.
    ...['POST /logout', 'POST /mcp', 'POST /webhook/:platform/:account'],
  ]);
});

describe('outside its bounds every route refuses, and does nothing', () => {
  test.each<[string, Partial<Scope>, keyof typeof places]>([
    ['accounts', { accounts: [ACCOUNT, 'terminal:42'] }, 'otherAccount'],
    ['chats', { chats: [OWN_CHAT] }, 'otherChat'],
    ['methods', { methods: ['sendPhoto'] }, 'own'],
    ['all of them', { accounts: [ACCOUNT], chats: [OWN_CHAT], methods: ['getMe'] }, 'otherChat'],
  ])('bound to %s', async (kind, scope, aim) => {
    const key = await boundKey(at, 'admin', scope);
    const before = await state();
    for (const route of guarded()) {
      const { reach } = route.access;
      // What is read is not bound by methods.
      if (kind === 'methods' && READS.includes(reach)) continue;
      const answer = await ask(aimed(route, places[aim]), key);
      const name = `${route.method} ${route.url}: ${answer.body.slice(0, 200)}`;
      expect([403, 404], name).toContain(answer.statusCode);
      expect(answer.json().code, name).toBe('forbidden_scope');
    }
    expect(await state()).toBe(before);
  });

  test('each message of a batch and each observer', async () => {
    const key = await boundKey(at, 'sender', { chats: [OWN_CHAT] });
    const to = (chat: string) => ({ account: ACCOUNT, chat });
    const text = { body: { text: 'x' } };
    const batch = [
      { to: to(OTHER_CHAT), ...text },
      { to: to(OWN_CHAT), ...text },
      { to: { origin: to(OWN_CHAT), observers: [to(OTHER_CHAT)] }, ...text },
      { to: { origin: to(OTHER_CHAT), observers: [to(OWN_CHAT)] }, ...text },
    ];
    at.road.submitted.length = 0;
    const answer = await ask({ method: 'POST', url: '/v1/messages', payload: batch }, key);
    expect(answer.json().map(({ status }: { status: number }) => status)).toEqual([
      403, 202, 202, 403,
    ]);
    expect(answer.json()[2].observers).toMatchObject([{ code: 'forbidden_scope' }]);
    expect(at.road.submitted.map(({ chat }) => chat)).toEqual([OWN_CHAT, OWN_CHAT]);
  });

  test('of streams each observer', async () => {
    const key = await boundKey(at, 'sender', { chats: [OWN_CHAT] });
    const origin = { account: ACCOUNT, chat: OWN_CHAT };
    const payload = { to: { origin, observers: [{ ...origin, chat: OTHER_CHAT }] } };
    at.live.opened.length = 0;
    await ask({ method: 'POST', url: '/v1/streams', payload }, key);
    expect(await Promise.all(at.live.opened[0]!.observers!)).toEqual([null]);
  });
});

describe('inside its bounds', () => {
  const INSIDE: [string, Partial<Scope>][] = [
    ['accounts', { accounts: [ACCOUNT] }],
    ['chats', { chats: [OWN_CHAT] }],
    ['methods', { methods: ['sendMessage', 'editMessageText'] }],
  ];
  const MEANT: readonly Reach[] = [
    'draft',
    'message',
    'message_change',
    'stream',
    'stream_change',
    'query',
  ];

  test.each(INSIDE)('bound to %s', async (kind, scope) => {
    const key = await boundKey(at, 'admin', scope);
    for (const route of guarded()) {
      const { reach, lasting } = route.access;
      const isMeant = MEANT.includes(reach) || (kind === 'accounts' && reach === 'account');
      // Lasting answers are asked over a socket, below.
      if (!isMeant || (lasting === true && route.method === 'GET')) continue;
      const place = await furnish(ACCOUNT, OWN_CHAT);
      const count = at.road.submitted.length;
      const answer = await ask(aimed(route, place), key);
      const name = `${route.method} ${route.url}: ${answer.body.slice(0, 200)}`;
      expect(answer.statusCode, name).toBeLessThan(300);
      for (const { chat } of at.road.submitted.slice(count)) expect(chat).toBe(OWN_CHAT);
      await cancelAll();
    }
  });

  test.each(INSIDE)('events of what it is bound to, bound to %s', async (kind, scope) => {
    const key = await boundKey(at, 'viewer', scope);
    const base = await at.app.listen({ host: '127.0.0.1', port: 0 });
    const status = async (query: string) => {
      const caller = new AbortController();
      const answer = await fetch(`${base}/v1/events${query}`, {
        headers: key,
        signal: caller.signal,
      });
      caller.abort();
      return answer.status;
    };
    const own = `?account=${ACCOUNT}&chat=${OWN_CHAT}`;
    expect(await status(own)).toBe(200);
    const others = { accounts: `?account=${OTHER_ACCOUNT}`, chats: `?chat=${OTHER_CHAT}` };
    if (kind === 'accounts' || kind === 'chats') {
      expect(await status(others[kind])).toBe(403);
      expect(await status('')).toBe(403);
      expect(await status(`${own}&chat=${OTHER_CHAT}&account=${OTHER_ACCOUNT}`)).toBe(403);
    }
  });

  async function cancelAll(): Promise<void> {
    const page = { limit: 500, before: null };
    for (const { seq } of await at.options.ledger.search({ state: 'queued' }, page)) {
      const order = { to: 'cancelled', reason: 'cancelled', by: 'test', body: null } as const;
      await at.road.move({ ...order, seq, at: START, queueMax: 0 });
    }
  }
});

test('a role that is too low does nothing, wherever it aims', async () => {
  for (const role of ROLES.filter((each) => each !== 'admin')) {
    const key = await boundKey(at, role, {});
    const before = await state();
    for (const route of guarded()) {
      const needed = route.access.role as Role;
      if (mayAct(role, needed)) continue;
      const answer = await ask(aimed(route, places.own), key);
      const name = `${role}: ${route.method} ${route.url}`;
      expect([answer.statusCode, answer.json().code], name).toEqual([403, 'forbidden_role']);
    }
    expect(await state()).toBe(before);
  }
});

test('the dialect: a token reaches its own account and chat by either of its routes', async () => {
  const token = await virtualToken(at, { chats: [OWN_CHAT] });
  const before = await state();
  for (const url of [
    `/bot${token}/sendMessage?chat_id=${OTHER_CHAT}&text=x`,
    `/bot${token}/getUpdates?chat_id=${OWN_CHAT}`,
    `/file/bot${token}/a.jpg`,
  ]) {
    expect((await at.app.inject(url)).statusCode, url).toBe(403);
  }
  const other = token.replace(/^42/, '43');
  expect((await at.app.inject(`/bot${other}/getMe`)).statusCode).toBe(401);
  expect(await state()).toBe(before);
  expect(
    (await at.app.inject(`/bot${token}/sendMessage?chat_id=${OWN_CHAT}&text=x`)).statusCode,
  ).toBe(202);
});
