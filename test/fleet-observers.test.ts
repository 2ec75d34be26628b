// A stream on an account of one real node, observed from an account of another, and fed through a third: whichever of
// the owners is killed in the middle, both chats end with the final text, in one message that only ever grew.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../src/store/postgres/cluster.fixture.ts';
import { FleetProcesses } from './process/fleet.ts';
import type { GatewayProcess } from './process/gateway.ts';
import { until } from './process/look.ts';
import { tokenOf } from './trial/load.ts';

const MINUTES = 60_000;
const ACCOUNTS = 9;
// Who is asked by a node that was killed says so, or is silent: such requests are repeated.
const REPEATED = [503, 504];

let cluster: Cluster;
let fleet: FleetProcesses;
beforeAll(async () => {
  cluster = await startCluster();
  const databaseUrl = await cluster.database();
  fleet = await FleetProcesses.start({ nodes: 3, databaseUrl, flags: ['--log', 'warn'] });
}, 2 * MINUTES);
afterAll(async () => {
  await fleet.stop();
  await cluster.stop();
});

interface Scene {
  // Of the nodes, by their place: the owners of the stream's account and of its observer's, and one that has neither.
  readonly origin: number;
  readonly observer: number;
  readonly tokens: readonly [string, string];
  readonly asked: GatewayProcess;
  // Of the stream that is open.
  chats: readonly [string, string];
  path: string;
}

let rounds = 0;
let scene: Scene;
const killed = new Set<number>();

// Both messages are there, and the owners know their numbers: of a first message that is in flight when its owner is
// killed two may come.
beforeEach(async () => {
  for (const i of killed) await fleet.startNode(i);
  killed.clear();
  await Promise.all(fleet.nodes.map((node) => fleet.seesAll(node)));
  const [a, b] = (await until(ownedApart, (found) => found !== null))!;
  const other = [0, 1, 2].find((i) => i !== a.node && i !== b.node)!;
  scene = {
    ...{ origin: a.node, observer: b.node, asked: fleet.nodes[other]! },
    ...{ tokens: [tokenOf(a.account), tokenOf(b.account)], chats: ['', ''], path: '' },
  };
  await open('one');
  await until(numbered, (all) => all.length === 2 && all.every((number) => number !== null));
}, MINUTES);

async function open(text: string): Promise<void> {
  rounds += 1;
  const { tokens, asked } = scene;
  scene.chats = [`${1_000 + rounds}`, `${2_000 + rounds}`];
  const target = { platform: 'telegram' };
  const [origin, observer] = tokens.map((account, i) => {
    return { ...target, account, chat: scene.chats[i] };
  });
  const order = { to: { origin, observers: [observer] }, text, transport: 'edit', idle: 4 };
  const key = { 'idempotency-key': `round ${rounds}` };
  const post = () => asked.ask('POST', '/v1/streams', order, key);
  const opened = await until(post, ({ status }) => !REPEATED.includes(status));
  expect([200, 201]).toContain(opened.status);
  scene.path = `/v1/streams/${opened.body.id}`;
}

// Two accounts of two nodes, as the simulator sees who sends for each; null: all are one's just now.
async function ownedApart() {
  const owned: { account: number; node: number }[] = [];
  for (let account = 0; account < ACCOUNTS; account++) {
    const text = `who has ${account}, ${fleet.calls.length}`;
    const to = { platform: 'telegram', account: tokenOf(account), chat: 900 };
    await fleet.nodes[0]!.ask('POST', '/v1/messages', { to, body: { text }, wait: 20 });
    await fleet.until(() => fleet.calls.some((call) => call.text === text));
    const { node } = fleet.calls.find((call) => call.text === text)!;
    const other = owned.find((each) => each.node !== node);
    if (other !== undefined) return [other, { account, node }] as const;
    owned.push({ account, node });
  }
  return null;
}

interface Listed {
  readonly id: string;
  readonly account: string;
  readonly openedAt: string;
  readonly messages: readonly { readonly messageId: string | null }[];
}

async function listed(node: GatewayProcess, query = ''): Promise<readonly Listed[]> {
  return (await node.ask('GET', `/v1/streams${query}`)).body.streams as readonly Listed[];
}

// The platform's numbers of the messages that all streams of the scene have made, wherever they are.
async function numbered(): Promise<unknown[]> {
  const streams = await listed(scene.asked);
  return streams.map(({ messages }) => messages[0]?.messageId ?? null);
}

async function kill(...nodes: number[]): Promise<void> {
  for (const i of nodes) killed.add(i);
  await Promise.all(nodes.map((i) => fleet.nodes[i]!.end('SIGKILL')));
}

// As a producer would: with all of the text, so that it may say it again.
async function say(text: string): Promise<void> {
  const patched = () => scene.asked.ask('PATCH', scene.path, { replace: text });
  const { status } = await until(patched, (answer) => !REPEATED.includes(answer.status));
  expect(status).toBe(200);
}

async function finish(text: string): Promise<void> {
  const asked = () => scene.asked.ask('POST', `${scene.path}/final`, { replace: text });
  const answer = await until(asked, ({ status }) => !REPEATED.includes(status));
  expect(answer.status).toBe(200);
}

interface SeenCall {
  readonly chat: string;
  readonly text: string;
  readonly acceptedAt: number | null;
}

const texts = async (chat: string): Promise<string[]> => {
  const answer = await fetch(`${fleet.sim.url}/sim/messages?chat=${chat}`);
  return ((await answer.json()) as { text: string }[]).map(({ text }) => text);
};

const bothShow = async (text: string) => {
  for (const chat of scene.chats)
    await until(
      () => texts(chat),
      ([shown]) => shown === text,
    );
};

// One message each, which grew and never shrank, and nothing that is left open.
async function bothEndWith(text: string): Promise<void> {
  await bothShow(text);
  await until(numbered, (open) => open.length === 0);
  const { calls } = (await (await fetch(`${fleet.sim.url}/sim/calls?since=0`)).json()) as {
    calls: SeenCall[];
  };
  for (const chat of scene.chats) {
    expect(await texts(chat)).toEqual([text]);
    const shown = calls.filter((call) => call.chat === chat && call.acceptedAt !== null);
    const lengths = shown.map((call) => call.text.length);
    expect(lengths).toEqual(lengths.toSorted((one, other) => one - other));
  }
}

test('the observer’s owner sends what the observer is shown', async () => {
  const [call] = fleet.calls.filter(({ chat }) => chat === scene.chats[1]);
  expect(call).toMatchObject({ text: 'one', node: scene.observer });
  await say('one two');
  await bothShow('one two');
  await finish('one two three');
  await bothEndWith('one two three');
});

test('every node lists both, the older first, and finds each by its account', async () => {
  const accounts = scene.tokens.map((token) => `telegram:${token.split(':')[0]}`);
  for (const node of fleet.nodes) {
    const all = await listed(node);
    expect(all.map(({ account }) => account)).toEqual(accounts);
    expect(scene.path).toBe(`/v1/streams/${all[0]!.id}`);
    for (const [i, account] of accounts.entries())
      expect(await listed(node, `?account=${account}`)).toMatchObject([{ id: all[i]!.id }]);
    expect(await listed(node, '?chat=1')).toEqual([]);
    const overview = () => node.ask('GET', '/v1/overview');
    await until(overview, ({ body }) => body.streams === 2);
  }
  await finish('one two');
  await bothEndWith('one two');
});

test('the owner of the stream is killed: the observer goes on with its next owner', async () => {
  await say('one two');
  await kill(scene.origin);
  await say('one two three');
  await bothShow('one two three');
  await finish('one two three four');
  await bothEndWith('one two three four');
});

test('it is killed as soon as it has answered that the final is on disk', async () => {
  await say('one two');
  await finish('one two three');
  await kill(scene.origin);
  await bothEndWith('one two three');
});

test('the owner of the observer is killed: its next one goes on with the same message', async () => {
  await say('one two');
  await bothShow('one two');
  await kill(scene.observer);
  await say('one two three');
  await finish('one two three four');
  await bothEndWith('one two three four');
});

test('both are killed, and the producer never comes back', async () => {
  await say('one two');
  await kill(scene.origin, scene.observer);
  await bothEndWith('one two');
});

test('an observer whose account nobody has when the stream is opened follows with the next owner', async () => {
  await finish('one two');
  await bothEndWith('one two');
  await kill(scene.observer);
  await open('three');
  await say('three four');
  await finish('three four five');
  await bothEndWith('three four five');
});
