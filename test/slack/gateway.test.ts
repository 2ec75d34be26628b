// The gateway between Slack's own client library and a simulated Slack, over HTTP: a whole message's life, in the words
// that the library expects.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogLevel, WebClient } from '@slack/web-api';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/app/gateway.ts';
import { configOf } from '../../src/config/config.ts';
import {
  type FaultScript,
  type ServedModel,
  SLACK_SIMULATOR,
  type SlackCall,
  type SlackModel,
  scriptedFaults,
  serveModel,
} from '../../src/sim/sim.ts';

const KEY = 'the-admin-key-of-this-test';
const APP = '12345-67890';
const TOKEN = `xoxb-${APP}-${'s'.repeat(24)}`;

const folder = mkdtempSync(join(tmpdir(), 'sluice-slack-'));
const calls: SlackCall[] = [];
let faults: FaultScript;
let sim: ServedModel<SlackModel>;
let gateway: Gateway;
let url: string;
let client: WebClient;
let channelCount = 0;
let channel: string;

// A repeat would hide what the first answer was.
const clientOf = (token: string) =>
  new WebClient(token, {
    ...{ slackApiUrl: `${url}/api/`, logLevel: LogLevel.ERROR, retryConfig: { retries: 0 } },
  });

beforeAll(async () => {
  faults = scriptedFaults([]);
  const onCall = (call: SlackCall) => {
    if (call.method !== 'auth.test') calls.push(call);
  };
  sim = await serveModel(SLACK_SIMULATOR, { host: '127.0.0.1', port: 0, faults, onCall });
  const config = configOf({
    ...{ data: folder, log: 'silent', port: 0, adminKey: KEY },
    slackApi: sim.url,
  });
  gateway = await createGateway(config);
  url = await gateway.listen();
  client = clientOf(TOKEN);
});

beforeEach(() => {
  calls.length = 0;
  channelCount += 1;
  channel = `C${10_000 + channelCount}`;
});

afterAll(async () => {
  await gateway.close();
  await sim.close();
  rmSync(folder, { recursive: true, force: true });
});

const shown = () => sim.model.messagesOf(channel).filter(({ isDeleted }) => !isDeleted);
const texts = () => shown().map(({ text }) => text);

function api(method: string, route: string, body?: object) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const sent = body === undefined ? null : JSON.stringify(body);
  return fetch(`${url}${route}`, { method, headers, body: sent });
}

describe('a client of the platform', () => {
  test('sends, updates, reacts, reads and deletes as it always does', async () => {
    const sent = await client.chat.postMessage({ channel, text: 'a & b', blocks: [] });
    expect(sent).toMatchObject({ ok: true, channel, message: { text: 'a & b' } });
    const ts = sent.ts!;
    expect(await client.chat.update({ channel, ts, text: 'new' })).toMatchObject({ ok: true, ts });
    await client.reactions.add({ channel, timestamp: ts, name: 'thumbsup' });
    expect([...shown()[0]!.reactions]).toEqual(['thumbsup']);
    await client.reactions.remove({ channel, timestamp: ts, name: 'thumbsup' });
    const reply = await client.chat.postMessage({ channel, thread_ts: ts, text: 'in it' });
    expect(shown()[1]).toMatchObject({ id: reply.ts, thread: ts });
    const read = await client.conversations.history({ channel });
    expect(read.messages).toMatchObject([{ text: 'in it' }, { text: 'new' }]);
    await client.chat.delete({ channel, ts });
    expect(texts()).toEqual(['in it']);
    expect(calls.map(({ error }) => error)).toEqual(Array(7).fill(null));
  });

  test('streams by itself: nothing of it is left out, and it stays in order', async () => {
    const { ts: root } = await client.chat.postMessage({ channel, text: 'a question' });
    const streamer = client.chatStream({
      ...{ channel, thread_ts: root!, recipient_team_id: 'T1', recipient_user_id: 'U7' },
      buffer_size: 1,
    });
    for (const word of ['one ', 'two ', 'three ']) await streamer.append({ markdown_text: word });
    await streamer.stop({ markdown_text: 'four' });
    expect(texts()).toEqual(['a question', 'one two three four']);
    expect(shown()[1]!.isStreaming).toBe(false);
  });

  test('is told what the platform said, in its words, and repeats nothing', async () => {
    const noOf = (error: string) => ({ data: { ok: false, error } });
    const tooLong = client.chat.postMessage({ channel, text: 'x'.repeat(40_001) });
    await expect(tooLong).rejects.toMatchObject(noOf('msg_too_long'));
    await expect(client.apiCall('chat.postMessage', { text: 'x' })).rejects.toMatchObject(
      noOf('channel_not_found'),
    );
    sim.model.setChat(channel, { kind: 'blocked' });
    const barred = client.chat.postMessage({ channel, text: 'x' });
    await expect(barred).rejects.toMatchObject(noOf('not_in_channel'));
    const stranger = clientOf('nobody').chat.postMessage({ channel, text: 'x' });
    await expect(stranger).rejects.toMatchObject(noOf('invalid_auth'));
    await expect(client.apiCall('no.such')).rejects.toMatchObject(noOf('unknown_method'));
  });

  test('meets no limit however fast it calls, and its messages stay in order', async () => {
    const wished = Array.from({ length: 8 }, (_, i) => `message ${i}`);
    await Promise.all(wished.map((text) => client.chat.postMessage({ channel, text })));
    expect(texts()).toEqual(wished);
    expect(calls.filter(({ status }) => status === 429)).toEqual([]);
  });

  test('gets one answer of an update whose answer was lost', async () => {
    const { ts } = await client.chat.postMessage({ channel, text: 'first' });
    faults.add({ fault: { kind: 'answer_lost' }, method: 'chat.update' });
    expect(await client.chat.update({ channel, ts: ts!, text: 'second' })).toMatchObject({ ts });
    expect(texts()).toEqual(['second']);
  });
});

test('another platform’s paths below /api stay its own', async () => {
  const other = await fetch(`${url}/api/v10/users/@me`);
  expect([other.status, await other.json()]).toMatchObject([401, { code: 0 }]);
  const own = await fetch(`${url}/api/auth.test`);
  expect([own.status, await own.json()]).toMatchObject([200, { error: 'invalid_auth' }]);
});

test('a token in the body is told where it belongs', async () => {
  const body = new URLSearchParams({ token: 'xoxb-1-1-sandbox', channel, text: 'x' });
  const answer = await fetch(`${url}/api/chat.postMessage`, { method: 'POST', body });
  const said = await answer.text();
  const messages = [expect.stringContaining('Authorization: Bearer takes a bot token')];
  expect(JSON.parse(said)).toMatchObject({
    error: 'invalid_auth',
    response_metadata: { messages },
  });
  expect([answer.status, calls]).toEqual([200, []]);
});

test('REST sends to it like to any other platform', async () => {
  await client.auth.test();
  const to = { platform: 'slack', account: `slack:${APP}`, chat: channel };
  const made = await api('POST', '/v1/messages', { to, body: { text: 'by REST' }, wait: true });
  expect(made.status).toBe(200);
  expect(texts()).toEqual(['by REST']);
});

test('sandbox tokens need nobody outside', async () => {
  const made = await clientOf('xoxb-1-1-sandbox').chat.postMessage({ channel: 'C42', text: 'hi' });
  expect(calls).toEqual([]);
  const seen = await api('GET', '/v1/sandbox/messages?account=slack:sandbox-1-1&chat=C42');
  expect(await seen.json()).toMatchObject({ messages: [{ text: 'hi', id: made.ts }] });
});
