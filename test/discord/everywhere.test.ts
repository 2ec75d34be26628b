// What every platform has, on Discord: streams, broadcasts, observers, virtual tokens, interactions that are posted,
// messages that do not exist yet. By sandbox tokens, so that nothing outside the process is needed.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REST } from '@discordjs/rest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/app/gateway.ts';
import { configOf } from '../../src/config/config.ts';
import { UPDATES } from '../../src/platforms/discord/updates.ts';
import { until } from '../process/look.ts';

const KEY = 'the-admin-key-of-this-test';
const TOKEN = '7.sandbox';
const ACCOUNT = 'discord:sandbox-7';
const SECRET = 'the-secret-of-its-webhook';
const folder = mkdtempSync(join(tmpdir(), 'sluice-discord-'));
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  const config = configOf({
    ...{ data: folder, log: 'silent', port: 0, adminKey: KEY },
    ...{ webhookSecret: SECRET, updatesFromStore: true },
  });
  gateway = await createGateway(config);
  url = await gateway.listen();
  await ask('POST', '/v1/messages', {
    to: { ...TO, chat: '1' },
    body: { content: 'known' },
    wait: 9,
  });
});

afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

const TO = { platform: 'discord', account: TOKEN };

async function ask(method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const sent = body === undefined ? null : JSON.stringify(body);
  const answer = await fetch(`${url}${path}`, { method, headers, body: sent });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function shown(chat: string): Promise<string[]> {
  const { body } = await ask('GET', `/v1/sandbox/messages?account=${ACCOUNT}&chat=${chat}`);
  const messages = body.messages as { text: string; isDeleted: boolean }[];
  return messages.filter(({ isDeleted }) => !isDeleted).map(({ text }) => text);
}

test('a text that grows is one message, in its own Markdown', async () => {
  const opening = { to: { ...TO, chat: '100' }, text: 'Once **upon', format: 'markdown' };
  const opened = await ask('POST', '/v1/streams', opening);
  expect(opened.status).toBe(201);
  const path = `/v1/streams/${opened.body.id}`;
  const ended = await ask('POST', `${path}/final`, { append: '** a_time', wait: 30 });
  expect(ended.status).toBe(200);
  expect(await shown('100')).toEqual(['Once **upon** a\\_time']);
});

test.each([
  [201, { body: { content: 'hello {{my_name}}' } }],
  [211, { text: 'hello {{my_name}}' }],
])(
  'a broadcast reaches all channels, values as values (from %i)',
  async (first, message) => {
    const chats = [first, first + 1, first + 2].map(String);
    const recipients = chats.map((chat) => ({ chat, fields: { my_name: `*${chat}*` } }));
    const made = await ask('POST', '/v1/broadcasts', { to: TO, ...message, recipients });
    expect(made.status).toBe(202);
    await until(
      () => ask('GET', `/v1/broadcasts/${made.body.id}`),
      ({ body: now }) => now.state === 'done',
    );
    const texts = await Promise.all(recipients.map(({ chat }) => shown(chat)));
    expect(texts).toEqual(chats.map((chat) => [`hello \\*${chat}\\*`]));
  },
  30_000,
);

test('observers of another platform see what is said', async () => {
  const observers = [{ platform: 'terminal', account: 'local', chat: 'build' }];
  const to = { origin: { ...TO, chat: '300' }, observers };
  const made = await ask('POST', '/v1/messages', { to, body: { content: 'to both' }, wait: 9 });
  expect(made.body).toMatchObject({ state: 'sent' });
  expect(await shown('300')).toEqual(['to both']);
});

test('as an observer it shows the same words, whatever they mean in Markdown', async () => {
  const text = '# 2*3*4 = __init__ <@1> @everyone';
  const origin = { platform: 'terminal', account: 'local', chat: 'build' };
  const to = { origin, observers: [{ ...TO, chat: '301' }] };
  const made = await ask('POST', '/v1/messages', { to, body: { text }, wait: 9 });
  expect(made.body).toMatchObject({ state: 'sent' });
  const escaped = '\\# 2\\*3\\*4 = \\_\\_init\\_\\_ \\<@1> @everyone';
  await expect.poll(() => shown('301')).toEqual([escaped]);
});

test('a copy that is too long for Discord is several messages, which follow their origin', async () => {
  const origin = { platform: 'telegram', account: '1:sandbox', chat: '305' };
  const to = { origin, observers: [{ ...TO, chat: '305' }] };
  const words = (count: number) => Array.from({ length: count }, (_, i) => `word_${i}`).join(' ');
  const unescaped = (parts: readonly string[]) => parts.join(' ').replaceAll('\\', '');
  const long = words(400);
  const made = await ask('POST', '/v1/messages', { to, body: { text: long }, wait: 9 });
  expect(made.body).toMatchObject({ state: 'sent' });
  await expect.poll(async () => unescaped(await shown('305')), { timeout: 20_000 }).toBe(long);
  const parts = await shown('305');
  expect(parts.length).toBeGreaterThan(1);
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(2000);

  const edit = (text: string) => {
    const body = { message_id: Number(made.body.messageId), text };
    const asked = { to: origin, method: 'editMessageText', body, wait: 9 };
    return ask('POST', '/v1/messages', asked);
  };
  const longer = words(440);
  expect((await edit(longer)).body).toMatchObject({ state: 'sent' });
  await expect.poll(async () => unescaped(await shown('305')), { timeout: 20_000 }).toBe(longer);
  expect((await edit('short')).body).toMatchObject({ state: 'sent' });
  await expect.poll(() => shown('305'), { timeout: 20_000 }).toEqual(['short']);
});

test('a text alone is a message, by REST as by all that use it', async () => {
  const observers = [
    { ...TO, chat: '303' },
    { platform: 'terminal', account: 'local', chat: 'build' },
  ];
  const to = { origin: { ...TO, chat: '302' }, observers };
  const body = { tts: true };
  const made = await ask('POST', '/v1/messages', { to, text: 'a_b_c', body, wait: 9 });
  expect(made.body).toMatchObject({ state: 'sent' });
  await expect.poll(() => shown('303')).toEqual(['a\\_b\\_c']);
  expect(await shown('302')).toEqual(['a\\_b\\_c']);
});

// Of every platform, for what is typed first is often a mistake.
test.each([
  ['telegram', '1:sandbox'],
  ['discord', '7.sandbox'],
  ['whatsapp', '7:sandbox'],
  ['slack', 'xoxb-1-1-sandbox'],
])('what is no credential of %s is told how one looks', async (platform, example) => {
  const to = { platform, account: 'sandbox7', chat: '16505550001' };
  const { status, body } = await ask('POST', '/v1/messages', { to, text: 'hello' });
  expect([status, body.code]).toEqual([422, 'account_refused']);
  expect(body.detail).toContain('expected a');
  expect(body.detail).toContain(example);
  const right = { ...to, account: example };
  const sent = await ask('POST', '/v1/messages', { to: right, text: 'hello' });
  expect(sent.status).toBe(202);
});

test('a virtual token speaks for the bot, in the channels it is made for', async () => {
  const chats = ['400'];
  const made = await ask('POST', '/v1/keys', {
    ...{ name: 'lent', virtual: true, account: ACCOUNT, chats },
  });
  expect(made.status).toBe(201);
  const rest = new REST({ api: `${url}/api` }).setToken(made.body.secret as string);
  await rest.post('/channels/400/messages', { body: { content: 'mine' } });
  const other = rest.post('/channels/401/messages', { body: { content: 'not mine' } });
  await expect(other).rejects.toMatchObject({ status: 403 });
  expect([await shown('400'), await shown('401')]).toEqual([['mine'], []]);
});

test('who does not wait may edit a message that is not sent yet', async () => {
  const call = (method: string, path: string, content: string, headers = {}) =>
    fetch(`${url}/api/v10/channels/500/messages${path}`, {
      method,
      headers: {
        ...{ authorization: `Bot ${TOKEN}`, 'content-type': 'application/json' },
        ...headers,
      },
      body: JSON.stringify({ content }),
    });
  const early = await call('POST', '', 'first', { prefer: 'respond-async' });
  expect(early.status).toBe(202);
  const { id } = (await early.json()) as { id: string };
  expect(id).toMatch(/^-\d+$/);
  expect((await call('PATCH', `/${id}`, 'second')).status).toBe(200);
  expect(await shown('500')).toEqual(['second']);
});

test('interactions that are posted are verified, answered and kept', async () => {
  const post = (update: object, more: Record<string, string> = {}) => {
    const body = JSON.stringify(update);
    const proof = UPDATES.proofOf(body, SECRET);
    const headers = { 'content-type': 'application/json', ...proof, ...more };
    return fetch(`${url}/webhook/${ACCOUNT.replace(':', '/')}`, { method: 'POST', headers, body });
  };
  const ping = await post({ id: '444444444444444444', type: 1 });
  expect([ping.status, await ping.json()]).toEqual([200, { type: 1 }]);
  const command = await post({ id: '444444444444444445', type: 2, channel_id: '600' });
  expect([command.status, await command.text()]).toEqual([202, '']);
  const forged = { 'x-signature-ed25519': '00'.repeat(64) };
  expect((await post({ id: '444444444444444446', type: 2 }, forged)).status).toBe(401);
  const written = { account: ACCOUNT, chat: '600', text: 'a person writes' };
  expect((await ask('POST', '/v1/sandbox/messages', written)).status).toBe(201);
});
