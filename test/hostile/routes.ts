// Every route there is, with the role it asks for and its examples: without a key, with the wrong
// one, with too small a role, from another site, and with bodies, queries and ids that nobody should send.

import type { Example } from '../../src/http/route.ts';
import { ROUTES as ALL } from '../../src/http/route-list.ts';
import { intBelow, pick, type Random } from '../../src/system/random.ts';
import {
  type Arms,
  type Attack,
  head,
  JSON_TYPE,
  type KeyName,
  type Maker,
  nested,
  refused,
  request,
} from './attack.ts';

interface Route {
  readonly verb: string;
  readonly pattern: string;
  readonly role: string;
  readonly examples: readonly Example[];
}

// Routes of a key: the open ones and the dialects have attacks of their own.
const ROUTES: readonly Route[] = ALL.map(({ method, url, access, examples }) => ({
  verb: method,
  pattern: url,
  role: access.role,
  examples: Object.values(examples),
})).filter(({ role }) => role !== 'anyone' && role !== 'watcher');

const ROLES: readonly string[] = ['viewer', 'sender', 'operator', 'admin'];
const below = (role: string): KeyName[] =>
  ROLES.slice(0, Math.max(0, ROLES.indexOf(role))) as KeyName[];
const OTHER_SITES = ['cross-site', 'same-site'];

const bearer = (key: string) => `Authorization: Bearer ${key}`;

function pathOf(random: Random, { pattern }: Route, { others, account }: Arms): string {
  const ids = [others.queued, others.dead, others.stream, others.broadcast, account, 'nobody'];
  return pattern.replaceAll(/:\w+/g, () => encodeURIComponent(pick(random, ids)));
}

function asExample(random: Random, route: Route, arms: Arms, headers: readonly string[]): Buffer {
  const example = route.examples.length === 0 ? null : pick(random, route.examples);
  const query = new URLSearchParams(example?.query ?? {}).toString();
  const path = pathOf(random, route, arms) + (query === '' ? '' : `?${query}`);
  if (example?.body !== undefined) {
    return request(route.verb, path, [...headers, JSON_TYPE], JSON.stringify(example.body));
  }
  if (example?.text !== undefined) {
    const type = `Content-Type: ${example.text.type}`;
    return request(route.verb, path, [...headers, type], example.text.content);
  }
  return Buffer.from(head(route.verb, path, headers));
}

const noKey: Maker = (random, arms) => {
  const route = pick(random, ROUTES);
  const headers = pick<string[]>(random, [
    [],
    ['Authorization: Bearer '],
    ['Authorization: Bearer undefined'],
    ['Authorization: Basic YWRtaW46YWRtaW4='],
    [`Authorization: ${arms.keys.admin}`],
    [bearer(arms.keys.revoked)],
    [bearer(arms.chatToken)],
    [bearer(arms.token)],
    [bearer(`${arms.keys.admin}x`)],
    [bearer('x'.repeat(8000))],
    ['Cookie: sluice=1; session=admin', 'X-CSRF-Token: 1'],
    [`Cookie: sluice_session=${'a'.repeat(43)}`],
  ]);
  const bytes = asExample(random, route, arms, headers);
  return refused('problem', `no key (${route.verb} ${route.pattern})`, bytes, 401);
};

const smallRole: Maker = (random, arms) => {
  const route = pick(
    random,
    ROUTES.filter(({ role }) => below(role).length > 0),
  );
  const key = pick(random, below(route.role));
  const bytes = asExample(random, route, arms, [bearer(arms.keys[key])]);
  return refused(
    'problem',
    `too small a role (${key}, ${route.verb} ${route.pattern})`,
    bytes,
    403,
  );
};

const otherSite: Maker = (random, arms) => {
  const site = `Sec-Fetch-Site: ${pick(random, OTHER_SITES)}`;
  const more = pick<string[]>(random, [
    [],
    ['Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: image'],
    ['Origin: http://127.0.0.1:9', 'Sec-Fetch-Mode: cors'],
    ['Origin: null'],
  ]);
  if (intBelow(random, 2) === 0) {
    const path = `/bot${arms.token}/sendMessage?chat_id=${arms.otherChat}&text=x`;
    const bytes = head('GET', path, [site, ...more]);
    return refused('bare', 'another site (the dialect)', bytes, 403);
  }
  const route = pick(random, ROUTES);
  const bytes = asExample(random, route, arms, [bearer(arms.keys.admin), site, ...more]);
  return refused('problem', `another site (${route.verb} ${route.pattern})`, bytes, 403);
};

// A batch is answered message by message, and is no attack when one of them is.
const isWhole = (body: unknown) => body !== undefined && !Array.isArray(body);

const WRITES = ROUTES.filter(({ verb, examples }) => {
  return verb !== 'GET' && examples.some(({ body }) => isWhole(body));
});

// One member of the example that is not what it should be, at its top or in what it holds.
function mutated(random: Random, arms: Arms, body: unknown): string {
  const text = JSON.stringify(body).replaceAll('"chat":42', `"chat":${arms.otherChat}`);
  return pick(random, [
    () => nested(random, text),
    () => text.slice(0, -1 - intBelow(random, Math.max(1, text.length - 2))),
    () => `${text}${text}`,
    () => `{"unknownMember":${text}}`,
    () => '42',
    () => 'null',
    () => `"${text.replaceAll('"', '\\"')}"`,
    () => text.replace('{', '{"unknownMember":1,'),
    () => text.replace('{', `{"__proto__":{"role":"admin"},`),
    () => text.replace('{', `{"constructor":{"prototype":{}},`),
    () => Buffer.from(text, 'utf16le').toString('latin1'),
  ])();
}

const brokenBody: Maker = (random, arms): Attack => {
  const route = pick(random, WRITES);
  const example = pick(
    random,
    route.examples.filter(({ body }) => isWhole(body)),
  );
  const body = mutated(random, arms, example.body);
  const path = pathOf(random, route, arms);
  const type = intBelow(random, 8) === 0 ? 'Content-Type: application/xml' : JSON_TYPE;
  const bytes = request(route.verb, path, [bearer(arms.keys.admin), type], body);
  return refused('problem', `broken body (${route.verb} ${route.pattern})`, bytes);
};

const brokenQuery: Maker = (random, arms) => {
  const route = pick(
    random,
    ROUTES.filter(({ verb, pattern }) => verb === 'GET' && QUERIED.includes(pattern)),
  );
  const query = pick(random, [
    'unknownParameter=1',
    'limit=-1',
    'limit=99999999999999999999',
    'limit=1e3',
    `cursor=${'x'.repeat(3000)}`,
    `account=${'9'.repeat(9000)}`,
    'chat[]=1',
    'limit=1&limit=2',
    '__proto__=1',
  ]);
  const path = `${route.pattern}?${query}`;
  const bytes = head('GET', path, [bearer(arms.keys.admin)]);
  return refused('problem', `broken query (GET ${route.pattern})`, bytes);
};
const QUERIED = ['/v1/messages', '/v1/dead', '/v1/keys', '/v1/audit', '/v1/queue', '/v1/limits'];

const brokenId: Maker = (random, arms) => {
  const route = pick(
    random,
    ROUTES.filter(({ pattern }) => /:(id|name)/.test(pattern) && !pattern.includes('audiences')),
  );
  const id = pick(random, [
    '%00',
    '..%2f..%2fetc',
    'x'.repeat(3000),
    '%ff',
    `${'9'.repeat(4000)}`,
    "'%3B--",
    'aaaaa-1',
    'telegram%3A',
    '%F0%9F%92%A9',
  ]);
  const path = route.pattern.replaceAll(/:\w+/g, id);
  const headers = [bearer(arms.keys.admin)];
  const example = route.examples.find(({ body }) => body !== undefined);
  const bytes =
    example === undefined
      ? Buffer.from(head(route.verb, path, headers))
      : request(route.verb, path, [...headers, JSON_TYPE], JSON.stringify(example.body));
  return refused('problem', `no such thing (${route.verb} ${route.pattern})`, bytes);
};

const noRoute: Maker = (random, arms) => {
  const [verb, path] = pick(random, [
    ['GET', '/v1'],
    ['GET', '/v1/messages/'],
    ['POST', '/health'],
    ['PATCH', '/v1/messages'],
    ['GET', '/.env'],
    ['GET', '/page/..%2f..%2fpackage.json'],
    ['GET', '/page/%2e%2e/%2e%2e/data/admin-key'],
    ['GET', `/${'a/'.repeat(3000)}`],
    ['TRACE', '/v1/messages'],
    ['POST', '/webhook/nowhere/1'],
  ] as const);
  const bytes = head(verb, path, [bearer(arms.keys.admin)]);
  return refused('problem', `no such route (${verb} ${path.slice(0, 40)})`, bytes);
};

const wrongLogin: Maker = (random) => {
  const body = pick(random, [
    JSON.stringify({ key: 'x'.repeat(1 + intBelow(random, 500)) }),
    JSON.stringify({ key: ['a'] }),
    '{}',
    nested(random),
  ]);
  return pick(random, [
    refused('problem', 'wrong login', request('POST', '/login', [JSON_TYPE], body)),
    refused('bare', 'wrong link', head('GET', `/login?token=${'x'.repeat(43)}&confirmed=yes`)),
  ]);
};

export const ROUTE_ATTACKS: readonly Maker[] = [
  noKey,
  smallRole,
  otherSite,
  brokenBody,
  brokenBody,
  brokenQuery,
  brokenId,
  noRoute,
  wrongLogin,
];
