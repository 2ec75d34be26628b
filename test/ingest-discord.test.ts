// Channels of Discord are followed by a real gateway process with a bot it also sends with, over HTTP and with a real
// store: the past, what is new, edits and deletions, kills; waits are kept for both directions.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  DISCORD_SIMULATOR,
  type DiscordCall,
  type DiscordModel,
  type ServedModel,
  serveModel,
} from '../src/sim/sim.ts';
import { GatewayProcess } from './process/gateway.ts';
import { until as lookUntil } from './process/look.ts';
import { Sluice } from './process/sluice.ts';

const BOT = '123456789012345678';
const TOKEN = `${Buffer.from(BOT).toString('base64url')}.Gabcde.${'s'.repeat(30)}`;
const ACCOUNT = `discord:${BOT}`;
const CHANNEL = '555000111222333444';
const ADDRESS = `https://discord.com/channels/1/${CHANNEL}`;
const WIDE = { count: 1_000_000, perMs: 1000 };
const PATIENCE_MS = 60_000;
const until = <T>(ask: () => T | Promise<T>, isThere: (told: T) => boolean): Promise<T> =>
  lookUntil(ask, isThere, { msMax: PATIENCE_MS });
const TEST_MS_MAX = 180_000;
const WAIT_S = 10_800;

let calls: DiscordCall[] = [];
let sim: ServedModel<DiscordModel>;
let gateway: GatewayProcess;

beforeEach(async () => {
  calls = [];
  const onCall = (call: DiscordCall) => void calls.push(call);
  const options = { global: WIDE, createCount: 10_000, editCount: 10_000, readCount: 1_000 };
  sim = await serveModel(DISCORD_SIMULATOR, { host: '127.0.0.1', port: 0, onCall, options });
  gateway = new GatewayProcess('http://127.0.0.1:9', [
    ...['--discord-api', sim.url, '--ingest-pace', 'fixed', '--ingest-interval-s', '1'],
  ]);
});
afterEach(async () => {
  await gateway.end('SIGKILL').catch(() => {});
  gateway.remove();
  await sim.close();
});

// As the bot, straight to the platform.
async function api(verb: string, path: string, body?: object): Promise<{ id: string }> {
  const answer = await fetch(`${sim.url}/api/v10/channels/${CHANNEL}/messages${path}`, {
    method: verb,
    headers: { authorization: `Bot ${TOKEN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answer.status === 204 ? { id: '' } : ((await answer.json()) as { id: string });
}

async function post(count: number, name: string): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await api('POST', '', { content: `${name} ${n}` })).id);
  return ids;
}

interface Post {
  readonly messageId: string;
  readonly text: string;
  readonly date: string;
  readonly deletedAt: string | null;
  readonly versions: number;
}

const sourceOf = async (id: string) => (await gateway.ask('GET', `/v1/ingest/sources/${id}`)).body;
const postsOf = async (id: string) =>
  (await gateway.ask('GET', `/v1/ingest/posts?source=${id}&after=0&limit=1000`)).body
    .posts as Post[];

const there = () =>
  sim.model
    .messagesOf(CHANNEL)
    .filter(({ isDeleted }) => !isDeleted)
    .map(({ id, text }) => [id, text]);
const shown = (posts: readonly Post[]) =>
  posts
    .filter(({ deletedAt }) => deletedAt === null)
    .map(({ messageId, text }) => [messageId, text]);

async function follow(order: object): Promise<string> {
  const { status, body } = await gateway.ask('POST', '/v1/ingest/sources', order);
  expect(status, JSON.stringify(body)).toBe(201);
  return String(body.id);
}

test(
  'the past, what is new, a kill, and a last parse that is too old: the store equals the channel',
  async () => {
    const ids = await post(230, 'past');
    await gateway.start();
    const id = await follow({ source: ADDRESS, kind: 'discord', account: TOKEN });
    expect(await sourceOf(id)).toMatchObject({ account: ACCOUNT, kind: 'discord' });
    await until(
      () => postsOf(id),
      (posts) => posts.length >= 100,
    );
    await gateway.end('SIGKILL');
    await gateway.start();
    const all = await until(
      () => postsOf(id),
      (posts) => posts.length >= 230,
    );
    expect(shown(all)).toEqual(there());
    // The id tells the time.
    expect(Date.now() - Date.parse(all[0]!.date)).toBeLessThan(TEST_MS_MAX);
    await until(
      () => sourceOf(id),
      ({ mode, cursor }) =>
        mode === 'incremental' && (cursor as { lastId: string }).lastId === ids.at(-1),
    );
    const [fresh] = await post(1, 'fresh');
    await until(
      () => postsOf(id),
      (posts) => posts.at(-1)?.messageId === fresh,
    );
    await gateway.end('SIGTERM');
    await api('PATCH', `/${ids[200]}`, { content: 'changed' });
    await api('DELETE', `/${ids[201]}`);
    await post(1, 'meanwhile');
    await gateway.start(['--lpa-max-age-hours', '0.0001']);
    const now = await until(
      () => postsOf(id),
      (posts) => posts.some(({ deletedAt }) => deletedAt !== null) && posts.length === 232,
    );
    expect(shown(now)).toEqual(there());
    expect(now.find(({ messageId }) => messageId === ids[200])).toMatchObject({ versions: 1 });
    expect(calls.filter(({ method }) => method === 'getChannel')).toHaveLength(1);
    // The token lies open nowhere.
    for (const file of readdirSync(gateway.data, { withFileTypes: true })) {
      if (!file.isFile()) continue;
      expect(readFileSync(join(gateway.data, file.name)).includes(TOKEN)).toBe(false);
    }
  },
  TEST_MS_MAX,
);

test(
  'a wait of three hours is kept over a kill; sending goes on, and a channel that is gone is dead',
  async () => {
    await post(5, 'past');
    await gateway.start();
    const to = { platform: 'discord', account: TOKEN, chat: '777' };
    await gateway.ask('POST', '/v1/messages', { to, body: { content: 'hello' } });
    // The only account there is need not be named.
    const id = await follow({ source: CHANNEL, kind: 'discord' });
    await until(
      () => postsOf(id),
      (posts) => posts.length === 5,
    );
    sim.model.freeze(TOKEN, CHANNEL, WAIT_S, Date.now());
    const isWaiting = ({ nextLookReason }: Record<string, unknown>) => nextLookReason === 'wait';
    const { nextLookAt } = await until(() => sourceOf(id), isWaiting);
    expect(Date.parse(String(nextLookAt)) - Date.now()).toBeGreaterThan((WAIT_S - 60) * 1000);
    await gateway.end('SIGKILL');
    const before = calls.filter(({ chat }) => chat === CHANNEL).length;
    await gateway.start();
    await gateway.ask('POST', `/v1/ingest/sources/${id}/run`);
    await until(() => sourceOf(id), isWaiting);
    const { accounts } = (await gateway.ask('GET', '/v1/ingest/accounts')).body;
    expect(accounts).toContainEqual(
      expect.objectContaining({ kind: 'discord', id: ACCOUNT, state: 'waiting' }),
    );
    const sent = { ...to, account: ACCOUNT };
    await gateway.ask('POST', '/v1/messages', { to: sent, body: { content: 'still' } });
    await until(
      () => gateway.records('&chat=777&state=sent'),
      (records) => records.length === 2,
    );
    expect(calls.filter(({ chat }) => chat === CHANNEL)).toHaveLength(before);
    sim.model.setAccess('888', 'gone');
    const gone = await new Sluice(
      ['ingest', 'add', '888', '--kind', 'discord', '--account', ACCOUNT, '--url', gateway.url],
      { SLUICE_KEY: gateway.key },
    ).ended;
    expect(gone, gone.err).toMatchObject({ code: 0 });
    const dead = await until(
      async () => (await gateway.ask('GET', '/v1/ingest/dead')).body.sources as object[],
      (sources) => sources.length > 0,
    );
    expect(dead).toMatchObject([{ source: '888', failure: { reason: 'unknown_channel' } }]);
  },
  TEST_MS_MAX,
);

test(
  'which account reads is checked; one of the sandbox reads the sandbox',
  async () => {
    await gateway.start();
    const ask = (order: object) => gateway.ask('POST', '/v1/ingest/sources', order);
    const none = await ask({ source: CHANNEL, kind: 'discord' });
    expect(none).toMatchObject({ status: 422, body: { problems: [{ path: '/account' }] } });
    const hook = await ask({ source: CHANNEL, kind: 'discord', account: 'webhook/1/sandbox' });
    expect(hook.status, JSON.stringify(hook.body)).toBe(422);
    // A channel of the simulator, read with a bot of it.
    const to = { platform: 'discord', account: '1.sandbox', chat: '42' };
    await gateway.ask('POST', '/v1/messages', { to, body: { content: 'in the sandbox' } });
    const id = await follow({ source: '42', kind: 'discord', account: 'discord:sandbox-1' });
    await until(
      () => postsOf(id),
      (posts) => posts.some(({ text }) => text === 'in the sandbox'),
    );
  },
  TEST_MS_MAX,
);
