// What every platform has, on Slack: streams, broadcasts, observers, virtual tokens, events that are posted, messages
// that do not exist yet. By sandbox tokens, so that nothing outside the process is needed.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebClient } from '@slack/web-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/app/gateway.ts';
import { configOf } from '../../src/config/config.ts';
import { updatesAt } from '../../src/platforms/slack/updates.ts';
import { systemClock } from '../../src/system/clock.ts';
import { until as look } from '../process/look.ts';

const KEY = 'the-admin-key-of-this-test';
const TOKEN = 'xoxb-1-7-sandbox';
const ACCOUNT = 'slack:sandbox-1-7';
const SECRET = 'the-signing-secret-of-the-app';
const folder = mkdtempSync(join(tmpdir(), 'sluice-slack-'));
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
    to: { ...TO, chat: 'C1' },
    body: { text: 'known' },
    wait: 9,
  });
});

afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

const TO = { platform: 'slack', account: TOKEN };

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

// Observers get theirs a little later.
const until = (chat: string, texts: readonly string[]): Promise<string[]> =>
  look(
    () => shown(chat),
    (now) => now.join() === texts.join(),
  );

const clientOf = (token: string) =>
  new WebClient(token, { slackApiUrl: `${url}/api/`, retryConfig: { retries: 0 } });

test('a text that grows is one message, in Slack’s own markup', async () => {
  const opening = { to: { ...TO, chat: 'C100' }, text: 'Once **upon', format: 'markdown' };
  const opened = await ask('POST', '/v1/streams', opening);
  expect(opened.status).toBe(201);
  const path = `/v1/streams/${opened.body.id}`;
  const ended = await ask('POST', `${path}/final`, { append: '** a < time', wait: 30 });
  expect(ended.status).toBe(200);
  expect(await shown('C100')).toEqual(['Once *upon* a &lt; time']);
});

test('a broadcast reaches all channels, values as values', async () => {
  const chats = ['C201', 'C202', 'C203'];
  const recipients = chats.map((chat) => ({ chat, fields: { name: `<${chat}>` } }));
  const body = { text: 'hello {{name}}' };
  const made = await ask('POST', '/v1/broadcasts', { to: TO, body, recipients });
  expect(made.status).toBe(202);
  await look(
    () => ask('GET', `/v1/broadcasts/${made.body.id}`),
    ({ body: now }) => now.state === 'done',
  );
  const texts = await Promise.all(chats.map(shown));
  expect(texts).toEqual(chats.map((chat) => [`hello &lt;${chat}&gt;`]));
});

test('an edit and a deletion of the origin follow to an observer', async () => {
  const observers = [{ ...TO, chat: 'C301' }];
  const to = { origin: { ...TO, chat: 'C300' }, observers };
  const made = await ask('POST', '/v1/messages', { to, body: { text: 'to both' }, wait: 9 });
  expect(made.body).toMatchObject({ state: 'sent' });
  expect(await shown('C300')).toEqual(['to both']);
  await until('C301', ['to both']);
  const origin = await ask('GET', `/v1/sandbox/messages?account=${ACCOUNT}&chat=C300`);
  const [{ id: ts }] = origin.body.messages as [{ id: string }];
  const client = clientOf(TOKEN);
  await client.chat.update({ channel: 'C300', ts, text: 'a &lt; b' });
  await until('C301', ['a &lt; b']);
  await client.chat.delete({ channel: 'C300', ts });
  await until('C301', []);
});

test('a virtual token speaks for the app, in the channels it is made for', async () => {
  const made = await ask('POST', '/v1/keys', {
    ...{ name: 'lent', virtual: true, account: ACCOUNT, chats: ['C400'] },
  });
  expect(made.status).toBe(201);
  const client = clientOf(made.body.secret as string);
  await client.chat.postMessage({ channel: 'C400', text: 'mine' });
  const other = client.chat.postMessage({ channel: 'C401', text: 'not mine' });
  await expect(other).rejects.toMatchObject({ data: { ok: false, error: 'not_allowed' } });
  expect([await shown('C400'), await shown('C401')]).toEqual([['mine'], []]);
});

test('who does not wait may update a message that is not sent yet, and answer in its thread', async () => {
  const call = async (method: string, params: object, more = {}) => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      ...more,
    };
    const body = JSON.stringify({ channel: 'C500', ...params });
    const answer = await fetch(`${url}/api/${method}`, { method: 'POST', headers, body });
    return (await answer.json()) as { ok: boolean; ts: string };
  };
  const early = await call('chat.postMessage', { text: 'first' }, { prefer: 'respond-async' });
  expect(early).toMatchObject({ ok: true, ts: expect.stringMatching(/^-\d+$/) });
  const updated = await call('chat.update', { ts: early.ts, text: 'second' });
  expect(updated.ok).toBe(true);
  expect((await call('chat.postMessage', { thread_ts: early.ts, text: 'in it' })).ok).toBe(true);
  expect(await shown('C500')).toEqual(['second', 'in it']);
});

test('events are verified, answered, and kept once however often they are posted', async () => {
  const reading = updatesAt(systemClock());
  const post = async (update: object, more: Record<string, string> = {}) => {
    const body = JSON.stringify(update);
    const proof = reading.proofOf(body, SECRET);
    const headers = { 'content-type': 'application/json', ...proof, ...more };
    const path = `/webhook/${ACCOUNT.replace(':', '/')}`;
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body });
    return [answer.status, await answer.json()] as const;
  };
  const asked = await post({ type: 'url_verification', challenge: 'abc', token: 'x' });
  expect(asked).toEqual([200, { challenge: 'abc' }]);
  const event = { type: 'app_mention', channel: 'C600', user: 'U7', ts: '1.2', text: '<@U1> hi' };
  const time = Math.floor(Date.now() / 1000);
  const update = { type: 'event_callback', event, event_id: 'Ev1', event_time: time };
  expect((await post(update))[0]).toBe(200);
  expect((await post(update, { 'x-slack-retry-num': '1' }))[0]).toBe(200);
  expect((await post(update, { 'x-slack-signature': `v0=${'0'.repeat(64)}` }))[0]).toBe(403);
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } });
  const repeated = /^sluice_updates_total\{platform="slack",end="repeated"\} (\d+)$/m;
  expect(repeated.exec(await metrics.text())?.[1]).toBe('1');
  const written = { account: ACCOUNT, chat: 'C600', text: 'a person writes' };
  expect((await ask('POST', '/v1/sandbox/messages', written)).status).toBe(201);
});
