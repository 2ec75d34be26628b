// Every role at every door: the routes are asked of the server itself, so that a new one cannot be forgotten here.

import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageRoutes } from '../../dashboard/dashboard.ts';
import { mayAct, ROLES, type Role } from '../../domain/role.ts';
import { NO_SCOPE, type Scope } from '../../keys/keys.ts';
import type { Inbound } from '../../updates/updates.ts';
import { type Bench, bench } from '../context.fixture.ts';
import type { IntakeSettings } from '../context.ts';
import { ACCESS, accessOf, type Reach } from './access.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const ADMITTED = 299;
const REACHES: Reach[] = [...new Set(Object.values(ACCESS).map(({ reach }) => reach))];

let near: Bench;
let far: Bench;
const routes: { method: Method; url: string }[] = [];

// The same server; whoever has passed its guards is told so, and nothing is done.
async function guardsOnly(settings: Partial<IntakeSettings> = {}): Promise<Bench> {
  // Webhooks have a secret of their own, which is right here.
  const updates = { admits: () => true } as unknown as Inbound;
  const at = await bench(settings, [], { updates });
  at.app.addHook('onRoute', (route: RouteOptions) => {
    const guards = [route.preHandler ?? []].flat();
    const admit: (typeof guards)[number] = (_request, reply) => {
      void reply.code(ADMITTED).serializer(String).send('admitted');
    };
    route.preHandler = [...guards, admit];
    for (const method of [route.method].flat()) {
      routes.push({ method: method as Method, url: route.url });
    }
  });
  pageRoutes(at.app, { log: { warn: () => {} }, read: async () => new Map() });
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
  const path = url.replace(/:\w+/g, 'x').replace('*', '42:sandbox/getMe');
  const payload = method === 'GET' ? {} : { payload: '{}' };
  const { statusCode, body } = await at.app.inject({ method, url: path, headers, ...payload });
  return statusCode === ADMITTED ? 'admitted' : (JSON.parse(body).code as string);
}

test('every route says who may use it, and the table names no other', () => {
  const declared = Object.keys(ACCESS);
  const served = routes.filter(({ url }) => url !== '/bot*').map((r) => `${r.method} ${r.url}`);
  expect(served.filter((route) => !declared.includes(route))).toEqual([]);
  const unknown = declared.filter((route) => !served.includes(route) && route !== 'GET /bot*');
  expect(unknown).toEqual([]);
});

test('a route that says nothing is the admin’s alone, and none with bounds', () => {
  expect(accessOf('GET', '/v1/new')).toEqual({ role: 'admin', reach: 'whole' });
});

describe('each role on each route', () => {
  test.each([null, ...ROLES])('%s', async (role) => {
    for (const at of [near, far]) {
      const key = role === null ? null : await keyOf(at, role);
      for (const route of routes) {
        const { role: asked } = accessOf(route.url === '/bot*' ? 'GET' : route.method, route.url);
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
  test.each([
    ['an account', { accounts: ['telegram:7'] }, ['open', 'draft']],
    ['a chat', { chats: ['7'] }, ['open', 'draft']],
    ['a method', { methods: ['sendMessage'] }, ['open', 'draft', 'query', 'terminal']],
    ['a rate', { perMinute: 1000 }, REACHES.filter((reach) => reach !== 'whole') as string[]],
  ])('bound to %s', async (_name, scope, reached) => {
    const key = await keyOf(far, 'admin', scope);
    for (const route of routes) {
      const { role, reach } = accessOf(route.url === '/bot*' ? 'GET' : route.method, route.url);
      const within = role === 'anyone' || reached.includes(reach);
      const name = `${route.method} ${route.url} ${reach}`;
      expect(await ask(far, route, key), name).toBe(within ? 'admitted' : 'forbidden_scope');
    }
  });
});
