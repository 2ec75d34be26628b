// Three real nodes on one Postgres: any of them answers for every account; owners are killed, stopped and frozen.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../src/store/postgres/cluster.fixture.ts';
import { FLEET_SECRETS, FleetProcesses } from './process/fleet.ts';
import { type Answer, GatewayProcess } from './process/gateway.ts';
import { until } from './process/look.ts';
import { Sluice } from './process/sluice.ts';
import { tokenOf } from './trial/load.ts';
import { playScenario, SCENARIOS } from './trial/scenarios.ts';

const MINUTES = 60_000;
const FLAGS = ['--retry-max-ms', '1000', '--log', 'warn'];
const STAGE = {
  size: { accounts: 9, chats: 2, betweenMs: 1_200 },
  awayMs: 4_000,
  times: 2,
  takeOverMsMax: 10_000,
  say: () => {},
};

let cluster: Cluster;
let databaseUrl: string;
let fleet: FleetProcesses;
beforeAll(async () => {
  cluster = await startCluster();
  databaseUrl = await cluster.database();
  fleet = await FleetProcesses.start({ nodes: 3, databaseUrl, flags: FLAGS });
}, 2 * MINUTES);
afterAll(async () => {
  await fleet.stop();
  await cluster.stop();
});

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
        await until(
          () => node.ask('GET', path),
          ({ status, body: source }) =>
            status === 200 && holds(source as unknown as FollowedSource),
        );
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
      await until(
        () => node.ask('GET', path),
        ({ status }) => status === 404,
      );
    }
  },
  MINUTES,
);

test('any node answers for any account: REST, drop-in, by delivery, pause', async () => {
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

test('a limit set by hand at any node is the owner’s, and each node tells it', async () => {
  const to = { platform: 'telegram', account: tokenOf(0), chat: 60 };
  await fleet.nodes[0]!.ask('POST', '/v1/messages', { to, body: { text: 'hello' }, wait: 20 });
  const path = '/v1/accounts/telegram:7000/limits';
  const groupMpm = async (node: GatewayProcess) =>
    ((await node.ask('GET', path)).body.settings as { name: string; value: number }[]).find(
      ({ name }) => name === 'group_mpm',
    )?.value;
  for (const [i, node] of fleet.nodes.entries()) {
    expect((await node.ask('PATCH', path, { group_mpm: 10 + i })).status).toBe(200);
    expect(await Promise.all(fleet.nodes.map(groupMpm))).toEqual(fleet.nodes.map(() => 10 + i));
  }
  expect((await fleet.nodes[1]!.ask('PATCH', path, { group_mpm: null })).status).toBe(200);
  expect(await Promise.all(fleet.nodes.map(groupMpm))).toEqual([20, 20, 20]);
});

test('the fleet as one: keys, nodes, events, streams and broadcasts at any node', async () => {
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
  await until(isGood, Boolean);

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

test('who waits, over all nodes; a login of the page that is good at all of them', async () => {
  const [first, second, third] = fleet.nodes as [GatewayProcess, GatewayProcess, GatewayProcess];
  const accounts = [0, 1, 2, 3].map((a) => `telegram:${7000 + a}`);
  const waiting: string[] = [];
  for (const account of accounts) {
    await first.ask('POST', `/v1/accounts/${account}/pause`);
    const to = { account, chat: 50 };
    const { body } = await second.ask('POST', '/v1/messages', { to, body: { text: 'later' } });
    waiting.push(String(body.id));
  }
  for (const node of fleet.nodes) {
    const { body } = await node.ask('GET', '/v1/queue?limit=500');
    const shown = (body.items as { id: string }[]).map(({ id }) => id);
    expect(shown.filter((id) => waiting.includes(id))).toEqual(waiting);
  }
  for (const id of waiting) await third.ask('DELETE', `/v1/messages/${id}`);
  for (const account of accounts) await second.ask('POST', `/v1/accounts/${account}/resume`);

  const login = await fetch(`${first.url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: first.key }),
    redirect: 'manual',
  });
  const cookie = login.headers.get('set-cookie')!.split(';')[0]!;
  const isIn = async ({ url }: GatewayProcess) =>
    (await fetch(`${url}/v1/accounts`, { headers: { cookie } })).status === 200;
  expect(await isIn(first)).toBe(true);
  for (const node of [second, third]) {
    await until(() => isIn(node), Boolean);
  }
});

test('what is frozen at its owner is on the overview of every node', async () => {
  const [first] = fleet.nodes as [GatewayProcess];
  const names = ['961', '962', '963', '964'];
  for (const [a, chat] of names.entries()) {
    expect(await dropIn(first, a, 960, 'known from now on')).toMatchObject({ status: 200 });
    const what = { account: `telegram:${7000 + a}`, chat, seconds: 600 };
    expect((await first.ask('POST', '/v1/limits/freeze', what)).status).toBe(200);
  }
  const shown = async (node: GatewayProcess) => {
    const { freezes } = (await node.ask('GET', '/v1/overview')).body as {
      freezes: { shown: { name: string }[] };
    };
    return freezes.shown.map(({ name }) => name).filter((name) => names.includes(name));
  };
  for (const node of fleet.nodes) {
    const all = await until(
      () => shown(node),
      ({ length }) => length === names.length,
    );
    expect(all.sort()).toEqual(names);
  }
  for (const [a, chat] of names.entries()) {
    const what = { account: `telegram:${7000 + a}`, chat };
    expect((await first.ask('POST', '/v1/limits/thaw', what)).status).toBe(200);
  }
});

test('dead letters are retried at any node, together and in their order', async () => {
  const [first, second, third] = fleet.nodes as [GatewayProcess, GatewayProcess, GatewayProcess];
  const setChat = (chat: number, state: string) =>
    fetch(`${fleet.sim.url}/sim/chats`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ chat: String(chat), state }),
    });
  const accounts = [0, 1, 2, 3];
  for (const a of accounts) await setChat(970 + a, 'blocked');
  const die = async (a: number) => {
    for (let i = 0; i < 3; i++) {
      const to = { platform: 'telegram', account: tokenOf(a), chat: 970 + a };
      const order = { to, body: { text: `letter ${i}` }, wait: 20 };
      const { body } = await first.ask('POST', '/v1/messages', order);
      expect(body).toMatchObject({ state: 'dead' });
    }
  };
  await Promise.all(accounts.map(die));
  for (const a of accounts) await setChat(970 + a, 'open');
  const from = fleet.calls.length;
  const sent = (a: number) =>
    fleet.calls.slice(from).filter(({ chat }) => chat === String(970 + a));
  const { body } = await second.ask('POST', '/v1/dead/retry', { filter: {} });
  expect(body).toMatchObject({ done: 12, failed: 0 });
  await fleet.until(() => accounts.every((a) => sent(a).length === 3));
  const inOrder = [0, 1, 2].map((i) => `letter ${i}`);
  for (const a of accounts) expect(sent(a).map(({ text }) => text)).toEqual(inOrder);
  expect((await third.ask('GET', '/v1/dead')).body.items).toEqual([]);
});

const play = async (name: string) => {
  const stage = { ...STAGE, cluster, redis: null, fleet, machines: null, databaseUrl };
  const scenario = SCENARIOS.find((each) => each.name === name)!;
  return playScenario(stage, scenario);
};

test.each(['kills', 'stop', 'freeze', 'database-killed'])(
  'under load, with nothing lost, out of order, too fast or doubled unmarked: %s',
  {
    timeout: 3 * MINUTES,
  },
  async (name) => {
    expect(await play(name)).toMatchObject({ faults: [] });
  },
);

test('while the database is away health says so, and what waits is counted', async () => {
  await cluster.kill();
  const [first] = fleet.nodes;
  const to = { platform: 'telegram', account: tokenOf(0), chat: 900 };
  const taken = await first!.ask('POST', '/v1/messages', { to, body: { text: 'while away' } });
  expect(taken.status).toBe(202);
  const { body } = await first!.ask('GET', '/health/details');
  expect(body).toMatchObject({ parts: { spill: { status: 'stale', mode: 'away' } } });
  // One that is started in this time waits for the database.
  const last = fleet.nodes[2]!;
  await last.end('SIGKILL');
  const started = fleet.startNode(2);
  await last.hasSaid('the database cannot be reached');
  await cluster.start();
  await started;
  await fleet.until(() => fleet.calls.some(({ text }) => text === 'while away'));
});

// The last one: afterwards there is no fleet any more.
test('back into one process while the fleet runs: it is stopped at the end, and all that waits goes once', async () => {
  const [first, second] = fleet.nodes as [GatewayProcess, GatewayProcess];
  const account = 'telegram:7003';
  expect(await dropIn(first, 3, 949, 'known from now on')).toMatchObject({ status: 200 });
  expect((await first.ask('POST', `/v1/accounts/${account}/pause`)).status).toBe(200);
  const put = async (text: string) => {
    const order = { to: { account, chat: 950 }, body: { text } };
    expect((await second.ask('POST', '/v1/messages', order)).status).toBe(202);
  };
  const texts = ['before 1', 'before 2', 'meanwhile'];
  await put(texts[0]!);
  await put(texts[1]!);
  const single = new GatewayProcess(fleet.sim.url, FLAGS, FLEET_SECRETS);
  const moving = new Sluice([
    'migrate',
    '--to',
    'sqlite',
    '--from',
    databaseUrl,
    '--data',
    single.data,
  ]);
  while (!moving.output.includes('stop all its nodes now')) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await put(texts[2]!);
  for (const node of fleet.nodes) expect(await node.end('SIGTERM')).toMatchObject({ code: 0 });
  expect(await moving.ended).toMatchObject({ code: 0, out: expect.stringContaining('verified') });
  // The database is closed behind it.
  await expect(fleet.startNode(0)).rejects.toThrow(/moved out of it/);
  try {
    await single.start();
    expect(await single.records('&state=queued')).toHaveLength(texts.length);
    expect((await single.ask('POST', `/v1/accounts/${account}/resume`)).status).toBe(200);
    const sent = () => fleet.calls.filter(({ chat }) => chat === '950').map(({ text }) => text);
    await fleet.until(() => sent().length >= texts.length);
    expect(sent()).toEqual(texts);
  } finally {
    await single.end('SIGKILL');
    single.remove();
  }
});
