// Every role at every door: the routes are asked of the server itself, so that a new one cannot be forgotten here.

import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPage } from '../../dashboard/dashboard.ts';
import { mayAct, ROLES, type Role } from '../../domain/role.ts';
import { NO_SCOPE, type Scope } from '../../keys/keys.ts';
import { createTelegram } from '../../platforms/telegram/telegram.ts';
import type { Inbound } from '../../updates/updates.ts';
import { type Bench, bench, ingestDesk } from '../context.fixture.ts';
import type { HttpSettings } from '../context.ts';
import { routesOf } from '../dialects/drop-in.ts';
import { addPageRoutes, PAGE_ROUTES } from '../page.ts';
import { ROUTES } from '../route-list.ts';
import { type Access, accessOf, type Reach } from './access.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const ADMITTED = 299;
const { dialect } = createTelegram({ transport: null as never });
const LISTED = [...ROUTES, ...routesOf(dialect!), ...PAGE_ROUTES];
const REACHES: Reach[] = [...new Set(LISTED.map(({ access }) => access.reach))];

let near: Bench;
let far: Bench;
const routes: { method: Method; url: string; declared: Access | undefined }[] = [];

// The same server; whoever has passed its guards is told so, and nothing is done.
async function guardsOnly(settings: Partial<HttpSettings> = {}): Promise<Bench> {
  // Webhooks have a secret of their own, which is right here.
  const updates = { admits: () => true } as unknown as Inbound;
  const at = await bench(settings, [], { updates, ingest: ingestDesk() });
  at.app.addHook('onRoute', (route: RouteOptions) => {
    const guards = [route.preHandler ?? []].flat();
    const admit: (typeof guards)[number] = (_request, reply) => {
      void reply.code(ADMITTED).serializer(String).send('admitted');
    };
    route.preHandler = [...guards, admit];
    for (const method of [route.method].flat()) {
      const declared = route.config?.access;
      routes.push({ method: method as Method, url: route.url, declared });
    }
  });
  addPageRoutes(at.app, openPage({ log: { warn: () => {} }, read: async () => new Map() }));
  await at.app.ready();
  return at;
}

beforeAll(async () => {
  near = await guardsOnly();
  routes.length = 0;
  far = await guardsOnly({ host: '0.0.0.0' });
});
afterAll(() => Promise.all([near.app.close(), far.app.close()]));

async function keyOf(at: Bench, role: Role, scope: Partial<Scope> = {}): Promise<string> {
  const request = { kind: 'key', name: role, role, expiresAt: null } as const;
  const made = await at.guards.keyring.create({ ...request, scope: { ...NO_SCOPE, ...scope } });
  if (made.kind !== 'created') throw new Error(made.kind);
  return made.secret;
}

async function ask(at: Bench, { method, url }: (typeof routes)[number], key: string | null) {
  const headers = {
    host: '127.0.0.1',
    'content-type': 'application/json',
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  };
  const path = url
    .replace(':platform', 'telegram')
    .replace(/:\w+/g, 'x')
    .replace('*', '42:sandbox/getMe');
  const payload = method === 'GET' ? {} : { payload: '{}' };
  const { statusCode, body } = await at.app.inject({ method, url: path, headers, ...payload });
  return statusCode === ADMITTED ? 'admitted' : (JSON.parse(body).code as string);
}

test('every route is listed and says who may use it, and the lists name no other', () => {
  const listed = LISTED.flatMap(({ method, url, access }) =>
    [method].flat().map((verb) => ({ route: `${verb} ${url}`, access })),
  );
  const served = routes.map(({ method, url, declared }) => ({
    route: `${method} ${url}`,
    access: declared,
  }));
  const byRoute = (a: { route: string }, b: { route: string }) => a.route.localeCompare(b.route);
  expect(served.toSorted(byRoute)).toEqual(listed.toSorted(byRoute));
  expect(new Set(served.map(({ route }) => route)).size).toBe(served.length);
});

test('a route that says nothing is the admin’s alone, and none with bounds', async () => {
  expect(accessOf(undefined)).toEqual({ role: 'admin', reach: 'whole' });
  expect(accessOf({})).toEqual({ role: 'admin', reach: 'whole' });
  const at = await bench();
  at.app.get('/v1/new', async () => 'reached');
  const asked = { method: 'GET', url: '/v1/new', declared: undefined } as const;
  expect(await ask(at, asked, null)).toBe('unauthorized');
  expect(await ask(at, asked, await keyOf(at, 'operator'))).toBe('forbidden_role');
  expect(await ask(at, asked, await keyOf(at, 'admin', { perMinute: 9 }))).toBe('forbidden_scope');
  await at.app.close();
});

describe('each role on each route', () => {
  test.each([null, ...ROLES])('%s', async (role) => {
    for (const at of [near, far]) {
      const key = role === null ? null : await keyOf(at, role);
      for (const route of routes) {
        const { role: asked } = route.declared!;
        const needed = asked === 'watcher' ? (at === near ? 'anyone' : 'viewer') : asked;
        const answer = await ask(at, route, key);
        const name = `${role} ${route.method} ${route.url}`;
        if (needed === 'anyone') expect(answer, name).toBe('admitted');
        else if (role === null) expect(answer, name).toBe('unauthorized');
        else expect(answer, name).toBe(mayAct(role, needed) ? 'admitted' : 'forbidden_role');
      }
    }
  });
});

describe('a key with bounds, whatever its role', () => {
  test.each<[string, Partial<Scope>, string[]]>([
    ['an account', { accounts: ['telegram:7'] }, ['open', 'draft']],
    ['a chat', { chats: ['7'] }, ['open', 'draft']],
    ['a method', { methods: ['sendMessage'] }, ['open', 'draft', 'query', 'screen']],
    ['a rate', { perMinute: 1000 }, REACHES.filter((reach) => reach !== 'whole') as string[]],
  ])('bound to %s', async (_name, scope, reached) => {
    const key = await keyOf(far, 'admin', scope);
    for (const route of routes) {
      const { role, reach } = route.declared!;
      const within = role === 'anyone' || reached.includes(reach);
      const name = `${route.method} ${route.url} ${reach}`;
      expect(await ask(far, route, key), name).toBe(within ? 'admitted' : 'forbidden_scope');
    }
  });
});
