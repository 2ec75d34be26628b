// The gateway between a real client library and a simulated Discord, over HTTP: a whole message's life, in the words
// that the library expects.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiscordAPIError, REST } from '@discordjs/rest';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/app/gateway.ts';
import { configOf } from '../../src/config/config.ts';
import {
  DISCORD_SIMULATOR,
  type DiscordCall,
  type DiscordModel,
  type FaultScript,
  type ServedModel,
  scriptedFaults,
  serveModel,
} from '../../src/sim/sim.ts';

const KEY = 'the-admin-key-of-this-test';
const BOT = '123456789012345678';
const TOKEN = `${Buffer.from(BOT).toString('base64url')}.Gabcde.${'s'.repeat(30)}`;

const folder = mkdtempSync(join(tmpdir(), 'sluice-discord-'));
const calls: DiscordCall[] = [];
let faults: FaultScript;
let sim: ServedModel<DiscordModel>;
let gateway: Gateway;
let url: string;
let rest: REST;
let channelCount = 0;
let channel: string;

beforeAll(async () => {
  faults = scriptedFaults([]);
  const onCall = (call: DiscordCall) => {
    if (call.method !== 'getMe') calls.push(call);
  };
  sim = await serveModel(DISCORD_SIMULATOR, { host: '127.0.0.1', port: 0, faults, onCall });
  const config = configOf({
    ...{ data: folder, log: 'silent', port: 0, adminKey: KEY },
    discordApi: sim.url,
  });
  gateway = await createGateway(config);
  url = await gateway.listen();
  rest = new REST({ api: `${url}/api`, version: '10' }).setToken(TOKEN);
});

beforeEach(() => {
  calls.length = 0;
  channelCount += 1;
  channel = `2222222222222${String(10_000 + channelCount)}`;
});

afterAll(async () => {
  await gateway.close();
  await sim.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Shown {
  readonly id: string;
  readonly content: string;
  readonly attachments: { filename: string; size: number }[];
}

const path = (rest: string) => `/channels/${channel}${rest}` as const;
const send = (body: object) => rest.post(path('/messages'), { body }) as Promise<Shown>;
const shown = () => sim.model.messagesOf(channel).filter(({ isDeleted }) => !isDeleted);
const texts = () => shown().map(({ text }) => text);

function api(method: string, route: string, body?: object) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const sent = body === undefined ? null : JSON.stringify(body);
  return fetch(`${url}${route}`, { method, headers, body: sent });
}

describe('a client of the platform', () => {
  test('sends, edits, reacts, reads and deletes as it always does', async () => {
    const message = await send({ content: 'hello' });
    expect(message).toMatchObject({ content: 'hello', channel_id: channel });
    const edited = await rest.patch(path(`/messages/${message.id}`), { body: { content: 'new' } });
    expect(edited).toMatchObject({ id: message.id, content: 'new' });
    const emoji = encodeURIComponent('👍');
    await rest.put(path(`/messages/${message.id}/reactions/${emoji}/@me`));
    expect(shown()[0]!.reactions.get('👍')?.has(BOT)).toBe(true);
    const read = await rest.get(path('/messages'));
    expect(read).toMatchObject([{ id: message.id, content: 'new' }]);
    await rest.delete(path(`/messages/${message.id}`));
    expect(texts()).toEqual([]);
    expect(calls.map(({ status }) => status)).toEqual([200, 200, 204, 200, 204]);
  });

  test('uploads files', async () => {
    const files = [{ name: 'cat.txt', data: Buffer.from('meow') }];
    const made = rest.post(path('/messages'), { body: { content: 'a cat' }, files });
    const message = (await made) as Shown;
    expect(message.attachments).toMatchObject([{ filename: 'cat.txt', size: 4 }]);
    expect(texts()).toEqual(['a cat']);
  });

  test('opens a thread, and a post of a forum, and writes in it', async () => {
    const thread = (await rest.post(path('/threads'), {
      body: { name: 'a thread', type: 11 },
    })) as {
      id: string;
    };
    await rest.post(`/channels/${thread.id}/messages`, { body: { content: 'in it' } });
    expect(sim.model.messagesOf(thread.id).map(({ text }) => text)).toEqual(['in it']);
    const body = { name: 'a post', message: { content: 'first' } };
    expect(await rest.post(path('/threads'), { body })).toMatchObject({
      message: { content: 'first' },
    });
  });

  test('is told what the platform said, with its code', async () => {
    const tooLong = send({ content: 'x'.repeat(2001) });
    await expect(tooLong).rejects.toMatchObject({ status: 400, code: 50035 });
    await expect(send({ content: '' })).rejects.toBeInstanceOf(DiscordAPIError);
    sim.model.setChat(channel, { kind: 'blocked' });
    await expect(send({ content: 'x' })).rejects.toMatchObject({ status: 403, code: 50013 });
    const stranger = new REST({ api: `${url}/api` }).setToken('nobody');
    await expect(stranger.get('/users/@me')).rejects.toMatchObject({ status: 401 });
  });

  test('meets no limit however fast it calls, and its messages stay in order', async () => {
    const wished = Array.from({ length: 12 }, (_, i) => `message ${i}`);
    await Promise.all(wished.map((content) => send({ content })));
    expect(texts()).toEqual(wished);
    expect(calls.filter(({ status }) => status === 429)).toEqual([]);
  });

  test('has its message once, though the answer was lost', async () => {
    faults.add({ fault: { kind: 'answer_lost' }, method: 'createMessage', times: 2 });
    const message = await send({ content: 'once' });
    expect(texts()).toEqual(['once']);
    expect(message.id).toBe(shown()[0]!.id);
    expect(calls.length).toBe(3);
  });
});

test('a webhook is executed by its own token, and told what it made when it asks', async () => {
  const hook = (await rest.post(path('/webhooks'), { body: { name: 'hook' } })) as {
    id: string;
    token: string;
  };
  const route = `/webhooks/${hook.id}/${hook.token}` as const;
  const query = new URLSearchParams({ wait: 'true' });
  const made = (await rest.post(route, {
    body: { content: 'from it' },
    query,
    auth: false,
  })) as Shown;
  expect(made.content).toBe('from it');
  await rest.patch(`${route}/messages/${made.id}`, { body: { content: 'better' }, auth: false });
  expect(texts()).toEqual(['better']);
  const bare = await fetch(`${url}/api/v10${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"content":"unasked"}',
  });
  expect([bare.status, await bare.text()]).toEqual([204, '']);
  expect(bare.headers.get('via')).toMatch(/sluice/);
  expect(bare.headers.get('x-ratelimit-remaining')).toBe('999');
});

test('an interaction is answered, followed up, and too late is told so', async () => {
  const { posted } = sim.model.inject(TOKEN, channel, 'hi', Date.now());
  const { id, token } = posted as { id: string; token: string };
  const body = { type: 4, data: { content: 'the answer' } };
  await rest.post(`/interactions/${id}/${token}/callback`, { body, auth: false });
  await rest.post(`/webhooks/${BOT}/${token}`, { body: { content: 'and more' }, auth: false });
  const original = `/webhooks/${BOT}/${token}/messages/@original` as const;
  await rest.patch(original, { body: { content: 'a better one' }, auth: false });
  expect(texts()).toEqual(['hi', 'a better one', 'and more']);
  const old = sim.model.inject(TOKEN, channel, 'hi', Date.now() - 4000).posted as {
    id: string;
    token: string;
  };
  const late = rest.post(`/interactions/${old.id}/${old.token}/callback`, { body, auth: false });
  await expect(late).rejects.toMatchObject({ status: 404, code: 10062 });
});

test('an interaction that another has answered is told so; one whose answer was lost is not', async () => {
  const asked = () =>
    sim.model.inject(TOKEN, channel, 'hi', Date.now()).posted as { id: string; token: string };
  const answer = ({ id, token }: ReturnType<typeof asked>, content: string) => {
    const body = { type: 4, data: { content } };
    return rest.post(`/interactions/${id}/${token}/callback`, { body, auth: false });
  };
  const twice = asked();
  await answer(twice, 'of one process');
  await expect(answer(twice, 'of another')).rejects.toMatchObject({ status: 400, code: 40060 });
  faults.add({ fault: { kind: 'answer_lost' }, method: 'respond' });
  await answer(asked(), 'its answer was lost');
  expect(texts()).toEqual(['hi', 'of one process', 'hi', 'its answer was lost']);
  expect(calls.filter(({ method }) => method === 'respond').length).toBe(4);
});

test('REST sends to it like to any other platform', async () => {
  const to = { platform: 'discord', account: `discord:${BOT}`, chat: channel };
  const made = await api('POST', '/v1/messages', { to, body: { content: 'by REST' }, wait: true });
  expect(made.status).toBe(200);
  expect(texts()).toEqual(['by REST']);
});

test('sandbox tokens need nobody outside', async () => {
  const sandbox = new REST({ api: `${url}/api` }).setToken('7.sandbox');
  const made = (await sandbox.post('/channels/42/messages', { body: { content: 'hi' } })) as Shown;
  expect(made.content).toBe('hi');
  expect(calls).toEqual([]);
  const seen = await api('GET', '/v1/sandbox/messages?account=discord:sandbox-7&chat=42');
  expect(await seen.json()).toMatchObject({ messages: [{ text: 'hi', id: made.id }] });
});
