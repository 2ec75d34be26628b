// Two servers of one fleet, joined in memory: what one does not own the other answers, for whom it was asked.

import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { FleetNode } from '../../cluster/coordination.ts';
import type { PeerAnswer, PeerRequest } from '../../cluster/peers.ts';
import { FLEET_HEADERS, FLEET_PATHS, MOVED_STATUS } from '../../domain/fleet.ts';
import { aNewStream } from '../../streams/stream-state.fixture.ts';
import type { StreamView } from '../../streams/streams.ts';
import { boundKey } from '../auth/bounds.fixture.ts';
import { ACCOUNT, AUTH, type Bench, bench, message, TOKEN } from '../context.fixture.ts';
import { TRIES_MAX } from './forward.ts';
import type { FleetPort, FleetSide, NodeStanding } from './port.ts';

const NEVER = new AbortController().signal;
const SECRET = 'the-secret-of-the-fleet';
const OWNER: FleetNode = {
  ...{ name: 'owner', incarnation: 'i-owner', url: 'http://owner', startedAt: 0, state: 'ready' },
};

// How the owner stands to the other node, where something is asked of all of them.
const STANDING: NodeStanding = { ...OWNER, isSelf: false, view: {} as never };

type Reach = 'answers' | 'moved' | 'unsent' | 'lost';

// `reach`: what becomes of each request to the owner; the last one stays.
async function twoNodes(reach: Reach[] = ['answers'], owns = true) {
  const forwarded: PeerRequest[] = [];
  const portOf = (isHere: boolean): FleetPort => ({
    secret: SECRET,
    isHere: () => isHere,
    isKnown: async () => false,
    whereIs: async () => (isHere ? { kind: 'here' } : { kind: 'there', node: OWNER }),
    claim: async () => (isHere ? { kind: 'here' } : { kind: 'nobody' }),
    next: () => null,
    isStoreAway: () => false,
    self: { url: 'http://self' },
    forward: ({ url }, request) => {
      forwarded.push(request);
      const outcome = reach.length > 1 ? reach.shift()! : reach[0]!;
      if (url === OWNER.url && outcome !== 'answers') return notReached(outcome);
      return injected(url === OWNER.url ? inner : innerOfSelf, request);
    },
    read: async (_node, path, headers) => {
      if (reach[0] !== 'answers') return { kind: 'lost' };
      const asked = { method: 'GET', path, headers, body: null, signal: NEVER } as const;
      forwarded.push(asked);
      const answer = await injected(inner, asked);
      if (answer.kind !== 'answered' || answer.status !== 200) return { kind: 'lost' };
      return { kind: 'answered', value: await json(answer.body) };
    },
    ask: async () => ({ kind: 'answered', value: {} }),
    pause: async () => {},
    view: () => ({ accounts: [] }) as never,
    refresh: async () => {},
    nodes: () => (isHere ? [] : [STANDING]),
    submit: (delivery) => inner.road.submit(delivery),
    move: (order) => inner.road.move(order),
    handOver: async () => null,
    moveTogether: async (orders) => ({
      kind: 'together',
      moved: await inner.road.moveTogether(orders),
    }),
    rates: { grant: async () => 0, usesOf: () => [] },
    look: async () => {},
  });
  const settings = { trustedProxies: ['0.0.0.0/0'] };
  const inner = await bench(settings, [], { fleet: { side: 'inner', port: portOf(owns) } });
  const innerOfSelf = await bench(settings, [], { fleet: { side: 'inner', port: portOf(false) } });
  const outer = await bench({}, [], { fleet: { side: 'outer', port: portOf(false) } });
  return { outer, inner, innerOfSelf, forwarded };
}

async function notReached(kind: Exclude<Reach, 'answers'>): Promise<PeerAnswer> {
  return kind === 'moved' ? { kind, to: null } : { kind };
}

async function injected({ app }: Bench, request: PeerRequest): Promise<PeerAnswer> {
  const { method, path, headers, body } = request;
  const chunks = body instanceof Readable ? await body.toArray() : [];
  const payload = Buffer.isBuffer(body) ? body : Buffer.concat(chunks as Buffer[]);
  const answer = await app.inject({
    ...{ method, url: path, headers: { ...headers, [FLEET_HEADERS.secret]: SECRET } },
    ...(body === null ? {} : { payload }),
  });
  const moved = answer.headers[FLEET_HEADERS.moved];
  if (answer.statusCode === MOVED_STATUS && moved !== undefined) return { kind: 'moved', to: null };
  return {
    kind: 'answered',
    status: answer.statusCode,
    headers: answer.headers as Record<string, string>,
    body: Readable.from([answer.rawPayload]),
  };
}

const post = (at: Bench, extra: object = {}, headers: Record<string, string> = AUTH) =>
  at.app.inject({ method: 'POST', url: '/v1/messages', headers, payload: message(extra) });

describe('the internal listener', () => {
  const asked = { method: 'GET', url: '/v1/accounts' } as const;

  test.each([
    ['no secret', {}],
    ['a wrong one', { [FLEET_HEADERS.secret]: `${SECRET}x` }],
    ['the admin key', AUTH],
  ])('%s: nothing is answered', async (_, headers) => {
    const { inner } = await twoNodes();
    const refused = await inner.app.inject({ ...asked, headers });
    expect(refused.statusCode).toBe(401);
    // For the node that asks to tell from an answer to its caller.
    expect(refused.headers).toHaveProperty(FLEET_HEADERS.stranger);
    const claim = { method: 'POST', url: FLEET_PATHS.claim, headers, payload: {} } as const;
    expect((await inner.app.inject(claim)).statusCode).toBe(401);
  });

  test('what nodes ask each other is not on the public one, whoever asks', async () => {
    const { outer } = await twoNodes();
    const headers = { ...AUTH, [FLEET_HEADERS.secret]: SECRET };
    for (const url of Object.values(FLEET_PATHS)) {
      const answer = await outer.app.inject({ method: 'POST', url, headers, payload: {} });
      expect(answer.statusCode).toBe(404);
    }
  });
});

describe('bounds at the internal listener', () => {
  // More than one address is refused at once, and then one in each 20 ms.
  const REFUSED = 130;
  const NODE = '10.0.0.7';

  test('another node is told that an account is not here as often as it asks', async () => {
    const { innerOfSelf } = await twoNodes();
    const headers = { [FLEET_HEADERS.secret]: SECRET };
    const ask = () =>
      innerOfSelf.app.inject({
        ...{ method: 'POST', url: FLEET_PATHS.claim, headers, remoteAddress: NODE },
        payload: { account: ACCOUNT },
      });
    const answers = await Promise.all(Array.from({ length: REFUSED }, ask));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([MOVED_STATUS]));
  });

  test('a caller is known to the owner by where it came from', async () => {
    const { outer, forwarded } = await twoNodes();
    const call = (remoteAddress: string) =>
      outer.app.inject({
        ...{ method: 'POST', url: `/bot${TOKEN}/sendMessage`, remoteAddress },
        headers: { prefer: 'respond-async' },
        payload: { chat_id: 7, text: 'hello' },
      });
    for (const address of ['203.0.113.5', '127.0.0.1']) await call(address);
    const named = forwarded.map(({ headers }) => headers[FLEET_HEADERS.client]);
    expect(named).toEqual(['203.0.113.5', undefined]);
  });
});

test('a message is accepted by its owner, and its receipt handed back', async () => {
  const { outer, inner } = await twoNodes();
  const answer = await post(outer);
  expect(answer.statusCode).toBe(202);
  expect(answer.json()).toMatchObject({ state: 'queued' });
  expect(answer.headers['x-sluice-delivery']).toBe(answer.json().id);
  expect(inner.road.submitted).toHaveLength(1);
  expect(outer.road.submitted).toHaveLength(0);
});

test('a call of a dialect is forwarded before its body is read, with its token', async () => {
  const { outer, inner, forwarded } = await twoNodes();
  const answer = await outer.app.inject({
    ...{ method: 'POST', url: `/bot${TOKEN}/sendMessage` },
    headers: { prefer: 'respond-async' },
    payload: { chat_id: 7, text: 'hello' },
  });
  expect(answer.statusCode).toBe(202);
  expect(inner.road.submitted).toMatchObject([{ account: ACCOUNT, chat: '7' }]);
  expect(forwarded[0]).toMatchObject({ path: `/bot${TOKEN}/sendMessage` });
});

test('who asks travels with it: its bounds hold there, its key does not leave', async () => {
  const { outer, inner, forwarded } = await twoNodes();
  const { authorization } = await boundKey(outer, 'sender', { chats: ['1'] });
  const refused = await post(outer, {}, { authorization });
  expect(refused.statusCode).toBe(403);
  expect(inner.road.submitted).toHaveLength(0);
  expect(JSON.stringify(forwarded[0]!.headers)).not.toContain(authorization.slice(7));
  // What a caller says of itself is not believed.
  const named = Buffer.from(JSON.stringify({ id: null, role: 'admin' })).toString('base64url');
  const lying = await post(outer, {}, { authorization, [FLEET_HEADERS.holder]: named });
  expect(lying.statusCode).toBe(403);
});

test('moved meanwhile: asked again, and never for ever', async () => {
  const again = await twoNodes(['moved', 'moved', 'answers']);
  expect((await post(again.outer)).statusCode).toBe(202);
  expect(again.forwarded).toHaveLength(3);
  const forEver = await twoNodes(['moved']);
  // Nobody has it long enough: this node's road finds who does, or writes it down without an owner.
  expect((await post(forEver.outer)).statusCode).toBe(202);
  expect(forEver.forwarded).toHaveLength(TRIES_MAX);
  expect(forEver.outer.road.submitted).toHaveLength(1);
});

test('what was forwarded is not forwarded again', async () => {
  const { outer, inner, forwarded } = await twoNodes(['answers'], false);
  expect((await post(outer)).statusCode).toBe(202);
  // All by the first node.
  expect(outer.road.submitted).toHaveLength(1);
  expect(inner.road.submitted).toHaveLength(0);
  expect(forwarded.length).toBeLessThanOrEqual(TRIES_MAX);
});

test('an owner that cannot be reached: it is accepted here, without one', async () => {
  const { outer, innerOfSelf } = await twoNodes(['unsent', 'answers']);
  expect((await post(outer)).statusCode).toBe(202);
  expect(outer.road.submitted).toHaveLength(1);
  // Its body was read: it goes over this node's own listener.
  const dialect = await twoNodes(['unsent', 'answers']);
  const answer = await dialect.outer.app.inject({
    ...{ method: 'POST', url: `/bot${TOKEN}/sendMessage` },
    headers: { prefer: 'respond-async' },
    payload: { chat_id: 7, text: 'hello' },
  });
  expect(answer.statusCode).toBe(202);
  expect(dialect.innerOfSelf.road.submitted).toHaveLength(1);
  expect(innerOfSelf.road.submitted).toHaveLength(0);
});

test('an owner that is lost without an answer: only what is harmless goes again', async () => {
  const once = await twoNodes(['lost', 'answers']);
  const answer = await post(once.outer);
  expect(answer.statusCode).toBe(504);
  expect(answer.json()).toMatchObject({ code: 'owner_silent' });
  expect(once.forwarded).toHaveLength(1);
  const keyed = await twoNodes(['lost', 'answers']);
  const headers = { ...AUTH, 'idempotency-key': 'k' };
  expect((await post(keyed.outer, {}, headers)).statusCode).toBe(202);
});

test('what is of no account that there is, is refused here', async () => {
  const { outer, forwarded } = await twoNodes();
  const url = '/v1/accounts/telegram:999/pause';
  expect((await outer.app.inject({ method: 'POST', url, headers: AUTH })).statusCode).toBe(404);
  expect(forwarded).toHaveLength(0);
});

test('what was done is noted once, by who did it', async () => {
  const { outer, inner } = await twoNodes();
  const url = `/v1/accounts/${ACCOUNT}/pause`;
  const answer = await outer.app.inject({ method: 'POST', url, headers: AUTH });
  expect(answer.statusCode).toBe(200);
  const noted = async (at: Bench) => (await at.guards.audit.page({ before: null, max: 10 })).length;
  expect([await noted(outer), await noted(inner)]).toEqual([0, 1]);
});

describe('streams of all nodes', () => {
  // Each opens some, a second apart; those of `inner` have its account.
  async function opened(reach: Reach) {
    const nodes = await twoNodes([reach]);
    const at = (second: number) => ({ openedAt: second * 1000, changedAt: second * 1000 });
    for (const [i, [node, id, chat]] of (
      [
        [nodes.inner, 'a', '1'],
        [nodes.outer, 'b', '2'],
        [nodes.inner, 'c', '1'],
        [nodes.outer, 'd', '1'],
      ] as const
    ).entries()) {
      const { view } = (await node.live.open(aNewStream({ chat }))) as { view: StreamView };
      node.live.streams.delete(view.id);
      node.live.streams.set(id, { ...view, id, ...at(i) });
    }
    // The owner has it from the other node, where it is not forgotten yet.
    const moved = nodes.outer.live.streams.get('b')!;
    nodes.inner.live.streams.set('b', { ...moved, changedAt: 9_000, units: 9 });
    return nodes;
  }
  const list = async ({ app }: Bench, query = '', headers: Record<string, string> = AUTH) =>
    (await app.inject({ method: 'GET', url: `/v1/streams${query}`, headers })).json().streams;
  const ids = (streams: { id: string }[]) => streams.map(({ id }) => id);

  test('are listed once, the oldest first, under the same filter', async () => {
    const { outer } = await opened('answers');
    const all = await list(outer);
    expect(ids(all)).toEqual(['a', 'b', 'c', 'd']);
    expect(all[1]).toMatchObject({ units: 9 });
    expect(ids(await list(outer, '?chat=1'))).toEqual(['a', 'c', 'd']);
  });

  test('a node that does not answer is left out; what another node asks is not asked on', async () => {
    const { outer, innerOfSelf } = await opened('lost');
    expect(ids(await list(outer))).toEqual(['b', 'd']);
    expect(await list(innerOfSelf, '', { ...AUTH, [FLEET_HEADERS.secret]: SECRET })).toEqual([]);
  });

  test('who asks travels with it, the key does not', async () => {
    const { outer, forwarded } = await opened('answers');
    const { authorization } = await boundKey(outer, 'viewer', { accounts: [ACCOUNT] });
    await list(outer, `?account=${ACCOUNT}`, { authorization });
    const [{ headers }] = forwarded as [PeerRequest];
    const named = Buffer.from(headers[FLEET_HEADERS.holder]!, 'base64url').toString();
    expect(JSON.parse(named)).toMatchObject({ role: 'viewer', scope: { accounts: [ACCOUNT] } });
    expect(JSON.stringify(headers)).not.toContain(authorization.slice(7));
  });
});

describe('the overview', () => {
  test('has what is wrong at another node, by its name', async () => {
    const { outer } = await twoNodes();
    const parts = { journal: { status: 'down', code: 'disk_full' } } as const;
    const { port } = outer.options.fleet as FleetSide;
    const ill = { ...port, nodes: () => [{ ...STANDING, isSelf: true }] };
    const more = { fleet: { side: 'inner', port: ill }, health: async () => parts } as const;
    const inner = await bench({}, [], more);
    const asked = { method: 'POST', path: FLEET_PATHS.view, headers: {}, body: null } as const;
    const answer = await injected(inner, { ...asked, signal: NEVER });
    if (answer.kind !== 'answered') throw new Error(answer.kind);
    const view = (await json(answer.body)) as never;
    const seen = { ...port, nodes: () => [{ ...STANDING, view }] };
    const one = await bench({}, [], { fleet: { side: 'outer', port: seen } });
    const url = '/v1/overview';
    const shown = (await one.app.inject({ method: 'GET', url, headers: AUTH })).json();
    const summary = expect.stringMatching(/^owner: The disk is full/);
    const found = { code: 'disk_full', node: 'owner', summary };
    expect(shown.incidents).toContainEqual(expect.objectContaining(found));
  });
});
