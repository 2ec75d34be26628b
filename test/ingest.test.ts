// Channels are followed by a real gateway process with the real client over TCP and a real store: the first look and
// those after it, a look without news, a kill inside a batch, a last parse that is too old; and where posts go then.

import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  API,
  CODE,
  PHONE,
  type Simulated,
  simulated,
} from '../src/platforms/telegram/history/simulated.fixture.ts';
import { fileBytes } from '../src/sim/mtproto/files.ts';
import type { SimChannel } from '../src/sim/sim.ts';
import { App } from './process/app.ts';
import { GatewayProcess } from './process/gateway.ts';
import { until as lookUntil } from './process/look.ts';
import { Sluice } from './process/sluice.ts';

const NOWHERE = 'http://127.0.0.1:9';
const PATIENCE_MS = 60_000;
const until = <T>(ask: () => T | Promise<T>, isThere: (told: T) => boolean): Promise<T> =>
  lookUntil(ask, isThere, { msMax: PATIENCE_MS });
// Starts of a gateway take seconds where others are at work.
const TEST_MS_MAX = 180_000;

interface Source {
  readonly id: string;
  readonly mode: string;
  readonly cursor: { readonly lastId: string };
  readonly lastSuccessAt: string | null;
  readonly lastPostAt: string | null;
  readonly trouble: string | null;
  readonly gaps: readonly object[];
}

let world: Simulated;
let session: string;
let gateway: GatewayProcess;
let channels = 0n;

beforeAll(async () => {
  world = await simulated();
  session = await world.session();
  // A secret is no flag.
  process.env.SLUICE_MTPROTO_API_HASH = API.hash;
});
afterAll(async () => {
  delete process.env.SLUICE_MTPROTO_API_HASH;
  await world.close();
});

beforeEach(() => {
  gateway = new GatewayProcess(NOWHERE, [
    ...['--mtproto-api-id', String(API.id), '--mtproto-dc', `${world.sim.host}:${world.sim.port}`],
    ...['--mtproto-key', world.access.keyFile!, '--ingest-pace', 'fixed'],
    ...['--ingest-interval-s', '1'],
  ]);
});
afterEach(async () => {
  world.sim.model.clearFaults();
  await gateway.end('SIGKILL').catch(() => {});
  gateway.remove();
});

async function logIn(): Promise<void> {
  const account = { kind: 'mtproto', id: '1', name: 'Reader', session };
  expect(await gateway.ask('POST', '/v1/ingest/accounts', account)).toMatchObject({ status: 201 });
}

function newChannel(posts: number): SimChannel {
  channels += 1n;
  const facts = { id: 7000n + channels, name: `news_${channels}`, title: 'News' };
  const channel = world.sim.model.addChannel(facts);
  for (let n = 1; n <= posts; n++) channel.post({ text: `post ${n}` });
  return channel;
}

// The platform knows whole seconds: what is posted in this one is as new as what follows.
async function nextSecond(): Promise<void> {
  const secondOf = (ms: number) => Math.floor(ms / 1000);
  const from = secondOf(Date.now());
  await until(
    () => Date.now(),
    (now) => secondOf(now) > from,
  );
}

async function follow(channel: SimChannel, more: object = {}): Promise<string> {
  const order = { source: `@${channel.name}`, kind: 'mtproto', ...more };
  const { status, body } = await gateway.ask('POST', '/v1/ingest/sources', order);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id as string;
}

const sourceOf = async (id: string) =>
  (await gateway.ask('GET', `/v1/ingest/sources/${id}`)).body as unknown as Source;

async function postsOf(id: string) {
  const path = `/v1/ingest/posts?source=${id}&after=0&limit=1000`;
  return (await gateway.ask('GET', path)).body.posts as {
    messageId: string;
    text: string;
    deletedAt: string | null;
    versions: number;
  }[];
}

async function metric(line: string): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return Number(found?.slice(line.length + 1) ?? Number.NaN);
}

const idsOf = (channel: SimChannel) => channel.posts().map(({ id }) => String(id));
const readTo = (id: string, channel: SimChannel) =>
  until(
    () => sourceOf(id),
    ({ cursor, lastSuccessAt }) =>
      lastSuccessAt !== null && cursor.lastId === String(channel.lastId),
  );

describe('the four scenarios', { timeout: TEST_MS_MAX }, () => {
  test('first historical, then incremental: new posts, edits and deletions arrive', async () => {
    await gateway.start();
    await logIn();
    const channel = newChannel(230);
    const id = await follow(channel);
    await readTo(id, channel);
    expect((await postsOf(id)).map(({ messageId }) => messageId)).toEqual(idsOf(channel));
    expect(await metric('posts_parsed_total{mode="historical"}')).toBe(230);
    channel.post({ text: 'news' });
    channel.edit(5, 'changed');
    channel.delete([6]);
    await readTo(id, channel);
    const posts = await until(
      () => postsOf(id),
      (all) => all.some(({ deletedAt }) => deletedAt !== null),
    );
    expect(posts.at(-1)).toMatchObject({ text: 'news', versions: 0 });
    expect(posts.find(({ messageId }) => messageId === '5')).toMatchObject({ text: 'changed' });
    expect(await metric('posts_parsed_total{mode="incremental"}')).toBe(1);
    expect(await sourceOf(id)).toMatchObject({ mode: 'incremental' });
    expect(world.sim.model.calls.filter(({ method }) => method.includes('resolve'))).toHaveLength(
      1,
    );
  });

  test('a look without new posts moves no mark', async () => {
    await gateway.start();
    await logIn();
    const channel = newChannel(5);
    const id = await follow(channel);
    const before = await readTo(id, channel);
    const looks = 'parser_empty_looks_total{mode="incremental"}';
    await until(
      () => metric(looks),
      (count) => count >= 2,
    );
    const { cursor, lastPostAt } = await sourceOf(id);
    expect({ cursor, lastPostAt }).toEqual({
      cursor: before.cursor,
      lastPostAt: before.lastPostAt,
    });
    const { body } = await gateway.ask('GET', '/health');
    expect(body.scheduler).toMatchObject({ interval_sec: 1, status: 'ok' });
    expect(await metric('posts_parsed_total{mode="historical"}')).toBe(5);
  });

  test('a kill inside a batch loses nothing and doubles nothing', async () => {
    const { model } = world.sim;
    const channel = newChannel(230);
    const inside = { method: 'messages.getHistory' };
    const hangAfter = (posts: number) => {
      // A page is two calls: it is asked for the newest id, too.
      model.addFault({ ...inside, fault: { kind: 'short_page', posts }, times: 2 });
      model.addFault({ ...inside, fault: { kind: 'delay', ms: 600_000 }, times: 100 });
    };
    hangAfter(40);
    await gateway.start();
    await logIn();
    const id = await follow(channel);
    // The first of all is a note of the platform.
    for (const count of [39, 89]) {
      await until(
        () => postsOf(id),
        (posts) => posts.length >= count,
      );
      expect(await postsOf(id)).toHaveLength(count);
      await gateway.end('SIGKILL');
      model.clearFaults();
      if (count === 39) hangAfter(50);
      await gateway.start();
    }
    await readTo(id, channel);
    expect((await postsOf(id)).map(({ messageId }) => messageId)).toEqual(idsOf(channel));
    // No session lies open in the folder.
    for (const file of readdirSync(gateway.data, { withFileTypes: true })) {
      if (!file.isFile()) continue;
      expect(readFileSync(join(gateway.data, file.name)).includes(session)).toBe(false);
    }
  });

  test('a last parse that is too old forces historical mode', async () => {
    await gateway.start();
    await logIn();
    const channel = newChannel(5);
    const id = await follow(channel);
    await readTo(id, channel);
    await gateway.end('SIGTERM');
    channel.post({ text: 'meanwhile' });
    channel.edit(3, 'changed meanwhile');
    // A third of a second.
    await gateway.start(['--lpa-max-age-hours', '0.0001']);
    const forced = 'parser_mode_forced_total{reason="stale_lpa"}';
    await until(
      () => metric(forced),
      (count) => count >= 1,
    );
    await readTo(id, channel);
    const posts = await until(
      () => postsOf(id),
      (all) => all.some(({ versions }) => versions > 0),
    );
    expect(posts.map(({ text }) => text)).toContain('meanwhile');
    expect(posts.map(({ messageId }) => messageId)).toEqual(idsOf(channel));
  });
});

describe('new posts go on', { timeout: TEST_MS_MAX }, () => {
  test('to a webhook, signed, and not those of the past', async () => {
    const app = new App();
    await app.open();
    await gateway.start();
    await logIn();
    const channel = newChannel(5);
    await nextSecond();
    const id = await follow(channel, { forwardTo: { url: app.url } });
    await readTo(id, channel);
    channel.post({ text: 'news' });
    await app.until(() => app.taken.length > 0);
    await app.close();
    const [{ headers, body }] = app.posts as [(typeof app.posts)[0]];
    expect(JSON.parse(body)).toMatchObject({ source: { id }, post: { text: 'news' } });
    const { signingSecret } = (await gateway.ask('GET', '/v1/ingest/signing')).body;
    const key = Buffer.from(String(signingSecret).replace('whsec_', ''), 'base64');
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const signature = createHmac('sha256', key).update(content).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
  });

  test('into a chat, as a delivery', async () => {
    await gateway.start();
    await logIn();
    const channel = newChannel(1);
    const forwardTo = { platform: 'terminal', account: 'wall', chat: 'desk' };
    await nextSecond();
    const id = await follow(channel, { forwardTo });
    await readTo(id, channel);
    channel.post({ text: 'news for the wall' });
    const found = await until(
      async () => (await gateway.ask('GET', '/v1/messages?chat=desk&preview=true')).body.items,
      (items) => (items as { state: string }[]).some(({ state }) => state === 'sent'),
    );
    expect(found).toMatchObject([{ account: 'terminal:wall', state: 'sent' }]);
  });
});

test('the file of a post is fetched when it is asked for', async () => {
  await gateway.start();
  await logIn();
  const channel = newChannel(1);
  const media = { kind: 'document', name: 'report.pdf', bytes: 1_200_000 } as const;
  const post = channel.post({ text: 'the report', media });
  const id = await follow(channel);
  await readTo(id, channel);
  const path = `${gateway.url}/v1/ingest/posts/${id}/${post.id}/media`;
  const answer = await fetch(path, { headers: { authorization: `Bearer ${gateway.key}` } });
  expect(answer.headers.get('content-disposition')).toContain('report.pdf');
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(bytes.equals(fileBytes(channel, post, media))).toBe(true);
});

test('an account logs in by the command line, and channels are read with it', async () => {
  await gateway.start();
  const env = {
    SLUICE_KEY: gateway.key,
    SLUICE_MTPROTO_API_ID: String(API.id),
    SLUICE_MTPROTO_DC: `${world.sim.host}:${world.sim.port}`,
    SLUICE_MTPROTO_KEY: world.access.keyFile!,
  };
  const answers = `+${PHONE}\n${CODE}\n`;
  const login = new Sluice(['ingest', 'login', '--url', gateway.url], env, { input: answers });
  expect(await login.ended).toMatchObject({
    code: 0,
    out: expect.stringContaining('is logged in'),
  });
  const { accounts } = (await gateway.ask('GET', '/v1/ingest/accounts')).body;
  expect(accounts).toContainEqual(expect.objectContaining({ kind: 'mtproto', state: 'ok' }));
  const channel = newChannel(3);
  const id = await follow(channel);
  await readTo(id, channel);
});

test('without any account it is tried with `sluice sim mtproto`, as that says', async () => {
  const key = join(gateway.folder, 'sim.pem');
  const flags = ['--port', '0', '--key', key, '--channel', '@weather', '--every-s', '1'];
  const sim = new Sluice(['sim', 'mtproto', ...flags]);
  const said = [await sim.said('SLUICE_MTPROTO_DC='), await sim.said('SLUICE_MTPROTO_API_ID=')];
  const env = Object.fromEntries(
    [...said.join(' ').matchAll(/(SLUICE_\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
  );
  const phone = /\+(\d+) with the code (\d+)/.exec(await sim.said('log in as'))!;
  const own = new GatewayProcess(
    NOWHERE,
    ['--ingest-pace', 'fixed', '--ingest-interval-s', '1'],
    env,
  );
  await own.start();
  const { folder } = gateway;
  gateway = own;
  const answers = `+${phone[1]}\n${phone[2]}\n`;
  const asked = ['ingest', 'login', '--url', own.url];
  const login = await new Sluice(asked, { ...env, SLUICE_KEY: own.key }, { input: answers }).ended;
  expect(login, login.err).toMatchObject({ code: 0 });
  const order = { source: '@weather', kind: 'mtproto' };
  const id = String((await own.ask('POST', '/v1/ingest/sources', order)).body.id);
  await until(
    () => postsOf(id),
    (posts) => posts.length > 50,
  );
  sim.kill('SIGTERM');
  expect(await sim.ended).toMatchObject({ code: 0 });
  rmSync(folder, { recursive: true });
});

test('what the gateway’s own bots are told is a source; a jump of ids is a gap', async () => {
  await gateway.start();
  const to = { platform: 'telegram', account: '1:sandbox', chat: '42' };
  await gateway.ask('POST', '/v1/messages', { to, body: { text: 'hello' } });
  const { secret, path } = (await gateway.ask('GET', '/v1/accounts/telegram:sandbox-1/webhook'))
    .body as { secret: string; path: string };
  const order = { source: '@own_news', kind: 'updates' };
  const id = (await gateway.ask('POST', '/v1/ingest/sources', order)).body.id as string;
  const chat = { id: -1001, type: 'channel', title: 'Own', username: 'own_news' };
  for (const [n, messageId] of [5, 6, 9].entries()) {
    const post = {
      message_id: messageId,
      date: 1_790_000_000 + n,
      chat,
      text: `post ${messageId}`,
    };
    const headers = { 'x-telegram-bot-api-secret-token': secret };
    const update = { update_id: 100 + n, channel_post: post };
    expect(await gateway.ask('POST', path, update, headers)).toMatchObject({ status: 200 });
  }
  // Stored when the platform was answered.
  expect((await postsOf(id)).map(({ messageId }) => messageId)).toEqual(['5', '6', '9']);
  expect(await sourceOf(id)).toMatchObject({ gaps: [{ after: '6', before: '9' }] });
});
