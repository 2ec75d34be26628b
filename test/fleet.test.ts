// Three real nodes on one Postgres: any of them answers for every account; owners are killed, stopped and frozen.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../src/store/postgres/cluster.fixture.ts';
import { FleetProcesses } from './process/fleet.ts';
import type { Answer, GatewayProcess } from './process/gateway.ts';

const MINUTES = 60_000;
const TAKE_OVER_MS_MAX = 10_000;
// Between two messages of a chat, which takes one a second.
const BETWEEN_MESSAGES_MS = 1_200;
const ACCOUNTS = 9;
const CHATS = 2;

let cluster: Cluster;
let fleet: FleetProcesses;
beforeAll(async () => {
  cluster = await startCluster();
  const databaseUrl = await cluster.database();
  fleet = await FleetProcesses.start({ nodes: 3, databaseUrl, flags: ['--retry-max-ms', '1000'] });
}, 2 * MINUTES);
afterAll(async () => {
  await fleet.stop();
  await cluster.stop();
});

const tokenOf = (account: number) => `${7000 + account}:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`;
const alive = (not: readonly GatewayProcess[] = []) =>
  fleet.nodes.filter((node) => !not.includes(node));

// Every chat's messages one after the other, to whichever node answers; what is not answered goes again with its key.
class Load {
  readonly accepted: string[] = [];
  readonly down: GatewayProcess[] = [];
  // Answers that were no receipt.
  readonly refused: string[] = [];
  readonly #name: string;
  readonly #ends: Promise<void>[] = [];
  #isOver = false;
  #turn = 0;
  #taken = Promise.withResolvers<void>();

  constructor(name: string) {
    this.#name = name;
    for (let a = 0; a < ACCOUNTS; a++) {
      for (let c = 0; c < CHATS; c++) this.#ends.push(this.#chat(a, 100 * (a + 1) + c));
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#ends);
  }

  async #chat(account: number, chat: number): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const text = `${this.#name}:${account}:${chat}:${n}`;
      const to = { platform: 'telegram', account: tokenOf(account), chat };
      while (!(await this.#send(text, { to, body: { text } }))) {}
      this.accepted.push(text);
      this.#taken.resolve();
      this.#taken = Promise.withResolvers();
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MESSAGES_MS));
    }
  }

  async #send(key: string, body: object): Promise<boolean> {
    const nodes = alive(this.down);
    this.#turn += 1;
    const node = nodes[this.#turn % nodes.length]!;
    const headers = { 'idempotency-key': key, 'x-correlation-id': key };
    const answer = await node.ask('POST', '/v1/messages', body, headers).catch(() => null);
    if (answer?.status === 202) return true;
    this.refused.push(`${answer?.status} ${JSON.stringify(answer?.body)}`);
    return false;
  }

  async until(count: number): Promise<void> {
    while (this.accepted.length < count) await this.#taken.promise;
  }
}

// The simulator sees a call before its answer is settled.
async function settledRecords(name: string): Promise<Record<string, unknown>[]> {
  for (;;) {
    const all = await fleet.nodes[0]!.records();
    const own = all.filter(({ correlation }) => String(correlation).startsWith(`${name}:`));
    if (own.every(({ state }) => state !== 'sending' && state !== 'queued')) return own;
  }
}

// All of it arrived, in order, once or marked; never too fast.
async function check(name: string, { accepted }: Load): Promise<void> {
  const records = await settledRecords(name);
  const calls = fleet.calls.filter(({ text }) => text.startsWith(`${name}:`));
  expect(calls.filter(({ cause }) => cause !== null)).toEqual([]);
  expect(new Set(records.map(({ correlation }) => correlation))).toEqual(new Set(accepted));
  expect(records).toHaveLength(accepted.length);
  for (const { correlation, state, doubts } of records) {
    expect({ correlation, state }).toEqual({ correlation, state: 'sent' });
    const copies = calls.filter(({ text }) => text === correlation).length;
    expect(copies).toBeGreaterThan(0);
    expect(doubts).toBeGreaterThanOrEqual(copies - 1);
  }
  for (const [, own] of Map.groupBy(calls, ({ text }) => text.split(':').slice(1, 3).join(':'))) {
    const order = own.map(({ text }) => Number(text.split(':')[3]));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  }
}

const sentOf = (name: string) =>
  new Set(fleet.calls.map(({ text }) => text).filter((text) => text.startsWith(`${name}:`)));
const hasArrived =
  (name: string, { accepted }: Load) =>
  () =>
    accepted.every((text) => sentOf(name).has(text));

// How long each account was silent after that moment, at most.
function longestSilence(since: number): number {
  const byAccount = Map.groupBy(
    fleet.calls.filter(({ arrivedAt }) => arrivedAt >= since),
    ({ text }) => text.split(':')[1],
  );
  return Math.max(
    ...Array.from(byAccount.values(), (calls) =>
      calls.reduce(
        ({ last, most }, { arrivedAt }) => ({
          last: arrivedAt,
          most: Math.max(most, arrivedAt - last),
        }),
        { last: since, most: 0 },
      ),
    ).map(({ most }) => most),
  );
}

async function dropIn(node: GatewayProcess, account: number, chat: number, text: string) {
  const answer = await fetch(`${node.url}/bot${tokenOf(account)}/sendMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat_id: chat, text }),
  });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

interface FollowedSource {
  readonly state: string;
  readonly cursor: { readonly lastId: string };
  readonly lastSuccessAt: string | null;
  readonly trouble: string | null;
  readonly nextLookReason: string;
}

test(
  'a channel that is followed at one node is so at all of them, and one reads it',
  async () => {
    const [one, ...others] = fleet.nodes as [GatewayProcess, ...GatewayProcess[]];
    const order = { source: '@daily_news', kind: 'sandbox' };
    const { body } = await one.ask('POST', '/v1/ingest/sources', order);
    const path = `/v1/ingest/sources/${body.id}`;
    const seen = async (holds: (source: FollowedSource) => boolean) => {
      for (const node of fleet.nodes) {
        for (;;) {
          const { status, body: source } = await node.ask('GET', path);
          if (status === 200 && holds(source as unknown as FollowedSource)) break;
        }
      }
    };
    await seen(({ cursor, lastSuccessAt }) => cursor.lastId !== '0' && lastSuccessAt !== null);
    const states = await Promise.all(
      fleet.nodes.map(async (node) => (await node.ask('GET', path)).body),
    );
    expect(states.map(({ trouble }) => trouble)).toEqual(states.map(() => null));
    const reading = states.filter(({ nextLookReason }) => nextLookReason !== 'elsewhere');
    expect(reading).toHaveLength(1);
    await others[0]!.ask('POST', `${path}/pause`);
    await seen(({ state }) => state === 'paused');
    await others[1]!.ask('DELETE', path);
    for (const node of fleet.nodes) {
      while ((await node.ask('GET', path)).status !== 404) {}
    }
  },
  MINUTES,
);

test('any node answers for any account: REST, drop-in, by delivery, pause', {
  timeout: 2 * MINUTES,
}, async () => {
  for (let a = 0; a < 4; a++) {
    const sent: string[] = [];
    for (const [i, node] of fleet.nodes.entries()) {
      const to = { platform: 'telegram', account: tokenOf(a), chat: 20 + i };
      const message = { to, body: { text: 'hello' }, wait: 20 };
      const waited = await node.ask('POST', '/v1/messages', message);
      expect(waited).toMatchObject({ status: 200, body: { state: 'sent' } });
      sent.push(String(waited.body.id));
      expect(await dropIn(node, a, 30 + i, 'hello')).toMatchObject({
        status: 200,
        body: { ok: true, result: { text: 'hello' } },
      });
    }
    const account = `telegram:${7000 + a}`;
    const [first, second, third] = fleet.nodes as [GatewayProcess, GatewayProcess, GatewayProcess];
    expect((await first.ask('POST', `/v1/accounts/${account}/pause`)).status).toBe(200);
    const to = { account, chat: 40 };
    const waiting = await second.ask('POST', '/v1/messages', { to, body: { text: 'later' } });
    expect(waiting).toMatchObject({ status: 202, body: { state: 'queued', position: 1 } });
    const path = `/v1/messages/${waiting.body.id}`;
    const explained = await third.ask('GET', `${path}/explain`);
    expect(explained).toMatchObject({ status: 200 });
    expect(JSON.stringify(explained.body)).toContain('paused');
    for (const node of fleet.nodes) {
      expect(await node.ask('GET', `/v1/messages/${sent[0]}`)).toMatchObject({ status: 200 });
    }
    expect((await third.ask('DELETE', path)).status).toBe(200);
    expect((await second.ask('POST', `/v1/accounts/${account}/resume`)).status).toBe(200);
  }
});

test('the fleet as one: keys, nodes, events, streams and broadcasts at any node', {
  timeout: 2 * MINUTES,
}, async () => {
  const [first, second, third] = fleet.nodes as [GatewayProcess, GatewayProcess, GatewayProcess];
  const { body: listed } = await second.ask('GET', '/v1/nodes');
  const nodes = listed.nodes as { name: string; self: boolean; answers: boolean }[];
  expect(nodes.map(({ name }) => name)).toEqual(['node-1', 'node-2', 'node-3']);
  expect(nodes.filter(({ self }) => self).map(({ name }) => name)).toEqual(['node-2']);
  expect(nodes.every(({ answers }) => answers)).toBe(true);

  const health = await (await fetch(`${third.url}/health`)).json();
  expect(health).toMatchObject({ node: 'node-3', members: ['node-1', 'node-2', 'node-3'] });

  // A key that one node made is good at the others as soon as they were told.
  const made = await first.ask('POST', '/v1/keys', { name: 'k', role: 'viewer' });
  const authorization = `Bearer ${made.body.secret}`;
  const isGood = async () =>
    (await third.ask('GET', '/v1/accounts', undefined, { authorization })).status === 200;
  while (!(await isGood())) await new Promise((resolve) => setTimeout(resolve, 50));

  const hangUp = new AbortController();
  const events = await fetch(`${first.url}/v1/events`, {
    headers: { authorization: `Bearer ${first.key}` },
    signal: hangUp.signal,
  });
  const heard = new Set<string>();
  const listening = (async () => {
    for await (const chunk of events.body!.pipeThrough(new TextDecoderStream())) {
      for (const [, id] of chunk.matchAll(/"account":"telegram:(\d+)"/g)) heard.add(id!);
    }
  })().catch(() => {});
  for (let round = 0; heard.size < 4; round++) {
    for (let a = 0; a < 4; a++) await dropIn(third, a, 5000 + round, 'to be heard of');
  }
  hangUp.abort();
  await listening;

  for (let a = 0; a < 3; a++) {
    const to = { platform: 'telegram', account: tokenOf(a), chat: 600 };
    const opened = await first.ask('POST', '/v1/streams', { to, text: 'one' });
    expect(opened.status).toBe(201);
    const path = `/v1/streams/${opened.body.id}`;
    expect((await second.ask('PATCH', path, { append: ' two' })).status).toBe(200);
    const final = await third.ask('POST', `${path}/final`, { append: ' three', wait: 20 });
    expect(final).toMatchObject({ status: 200, body: { state: 'done' } });

    const { account, platform } = to;
    const order = { to: { account, platform }, chats: [701, 702, 703] };
    const body = { text: `to all of ${a}` };
    const begun = await second.ask('POST', '/v1/broadcasts', { ...order, body });
    expect(begun.status).toBe(202);
    await fleet.until(
      () => fleet.calls.filter(({ text }) => text === `to all of ${a}`).length === 3,
    );
    const shown = await third.ask('GET', `/v1/broadcasts/${begun.body.id}`);
    expect(shown.status).toBe(200);
  }
});

test('owners are killed again and again under load', { timeout: 3 * MINUTES }, async () => {
  const load = new Load('kill');
  await fleet.until(() => sentOf('kill').size >= ACCOUNTS * CHATS);
  for (const [i, node] of [fleet.nodes[1]!, fleet.nodes[2]!].entries()) {
    load.down.push(node);
    const since = Date.now();
    await node.end('SIGKILL');
    const before = new Set(sentOf('kill'));
    // Every account has sent something new.
    const isTakenOver = () => {
      const fresh = [...sentOf('kill')].filter((text) => !before.has(text));
      return new Set(fresh.map((text) => text.split(':')[1])).size === ACCOUNTS;
    };
    await fleet.until(isTakenOver);
    expect(longestSilence(since)).toBeLessThan(TAKE_OVER_MS_MAX + BETWEEN_MESSAGES_MS);
    await fleet.startNode(i + 1);
    load.down.splice(0);
  }
  await load.end();
  await fleet.until(hasArrived('kill', load));
  await check('kill', load);
});

test('one is stopped under load: what it owns goes over without a gap', {
  timeout: 2 * MINUTES,
}, async () => {
  const load = new Load('stop');
  await fleet.until(() => sentOf('stop').size >= ACCOUNTS * CHATS);
  const [first] = fleet.nodes;
  load.down.push(first!);
  expect((await first!.end('SIGTERM')).code).toBe(0);
  await fleet.startNode(0);
  load.down.splice(0);
  await load.end();
  await fleet.until(hasArrived('stop', load));
  await check('stop', load);
  const calls = fleet.calls.filter(({ text }) => text.startsWith('stop:'));
  expect(calls).toHaveLength(load.accepted.length);
});

test('one is frozen past its lease: when it goes on it sends nothing that is not its own', {
  timeout: 2 * MINUTES,
}, async () => {
  const load = new Load('freeze');
  await fleet.until(() => sentOf('freeze').size >= ACCOUNTS * CHATS);
  const node = fleet.nodes[1]!;
  load.down.push(node);
  node.signal('SIGSTOP');
  const before = new Set(sentOf('freeze'));
  const isTakenOver = () => {
    const fresh = [...sentOf('freeze')].filter((text) => !before.has(text));
    return new Set(fresh.map((text) => text.split(':')[1])).size === ACCOUNTS;
  };
  await fleet.until(isTakenOver);
  node.signal('SIGCONT');
  load.down.splice(0);
  const since = sentOf('freeze').size;
  await fleet.until(() => sentOf('freeze').size >= since + ACCOUNTS * CHATS);
  await load.end();
  await fleet.until(hasArrived('freeze', load));
  await check('freeze', load);
});

test('the database is killed under load: accepting goes on at every node, and all of it is sent in order', {
  timeout: 2 * MINUTES,
}, async () => {
  const load = new Load('away');
  await fleet.until(() => sentOf('away').size >= ACCOUNTS * CHATS);
  await cluster.kill();
  await load.until(load.accepted.length + 5 * ACCOUNTS * CHATS);
  const { body } = await fleet.nodes[0]!.ask('GET', '/health/details');
  expect(body).toMatchObject({ parts: { spill: { status: 'stale', mode: 'away' } } });
  await cluster.start();
  await load.until(load.accepted.length + 3 * ACCOUNTS * CHATS);
  await load.end();
  expect(load.refused).toEqual([]);
  await fleet.until(hasArrived('away', load));
  await check('away', load);
});
