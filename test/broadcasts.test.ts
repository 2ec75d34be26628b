// Broadcasts through a real gateway, killed in the middle. The simulated Telegram lives in this process and sees
// everything.

import { Readable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { type JudgedCall, type ServedSim, serveSim } from '../src/sim/sim.ts';
import { request } from '../src/system/http/undici.ts';
import { GatewayProcess } from './process/gateway.ts';
import { until as lookUntil } from './process/look.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

let sim: ServedSim | null = null;
let gateway: GatewayProcess | null = null;
const calls: JudgedCall[] = [];
let waiting: { count: number; resolve: () => void }[] = [];

afterEach(async () => {
  await gateway?.end('SIGKILL');
  gateway?.remove();
  await sim?.close();
  calls.length = 0;
});

function see(call: JudgedCall): void {
  if (call.method.toLowerCase() !== 'sendmessage') return;
  calls.push(call);
  waiting = waiting.filter(({ count, resolve }) => {
    if (calls.length < count) return true;
    resolve();
    return false;
  });
}

function reached(count: number): Promise<void> {
  return new Promise((resolve) => {
    waiting.push({ count, resolve });
    if (calls.length >= count) resolve();
  });
}

async function setUp(flags: readonly string[]): Promise<GatewayProcess> {
  const options = { truth: Number.POSITIVE_INFINITY };
  const network = { latencyMs: 5, jitterMs: 20 };
  sim = await serveSim({ host: '127.0.0.1', port: 0, options, network, onCall: see });
  gateway = new GatewayProcess(sim.url, flags);
  await gateway.start();
  return gateway;
}

async function upload(at: GatewayProcess, name: string, list: string) {
  const headers = { authorization: `Bearer ${at.key}`, 'content-type': 'text/csv' };
  const url = `${at.url}/v1/audiences/${name}`;
  const answer = await request(url, { method: 'PUT', headers, body: list });
  return { status: answer.statusCode, body: await answer.body.json() };
}

const listOf = (count: number) =>
  `chat,name\n${Array.from({ length: count }, (_, i) => `${1000 + i},n${i}`).join('\n')}\n`;

const order = (audience: string) => ({
  to: { platform: 'telegram', account: TOKEN },
  audience,
  body: { text: 'hello {{name}}' },
});

const until = (at: GatewayProcess, id: unknown, isSo: (body: Record<string, unknown>) => boolean) =>
  lookUntil(async () => (await at.ask('GET', `/v1/broadcasts/${id}`)).body, isSo);

async function recipients(at: GatewayProcess, id: unknown) {
  const all: { chat: string; state: string; delivery: string }[] = [];
  for (let next: string | null = '0'; next !== null; ) {
    const path: string = `/v1/broadcasts/${id}/recipients?limit=1000&cursor=${next}`;
    const { body } = await at.ask('GET', path);
    all.push(...(body.items as typeof all));
    next = body.next as string | null;
  }
  return all;
}

test('a kill -9 in the middle leaves nobody out, and nobody twice unmarked', async () => {
  const TOTAL = 600;
  const KILLS = [40, 200, 420];
  const at = await setUp(['--broadcast-per-s', '200', '--private-per-s', '1000']);
  expect(await upload(at, 'all', listOf(TOTAL))).toMatchObject({
    status: 201,
    body: { count: TOTAL },
  });
  const { status, body } = await at.ask('POST', '/v1/broadcasts', order('all'));
  expect([status, body.state, body.total]).toEqual([202, 'running', TOTAL]);
  for (const count of KILLS) {
    await reached(count);
    await at.end('SIGKILL');
    await at.start();
  }
  const done = await until(at, body.id, ({ state }) => state === 'done');
  expect(done.progress).toMatchObject({ sent: TOTAL, pending: 0, queued: 0 });

  const everyone = await recipients(at, body.id);
  expect(everyone.map(({ state }) => state)).toEqual(new Array(TOTAL).fill('sent'));
  const doubts = new Map(
    (await at.records()).map(({ chat, doubts }) => [chat as string, doubts as number]),
  );
  const got = new Map<string, number>();
  for (const { chat } of calls) got.set(chat!, (got.get(chat!) ?? 0) + 1);
  expect(got.size).toBe(TOTAL);
  for (const [chat, count] of got) expect(count - 1).toBeLessThanOrEqual(doubts.get(chat)!);
  expect(new Set(calls.map(({ chat, text }) => `${chat} ${text}`)).size).toBe(TOTAL);
});

test('pause, a restart, resume and cancel', async () => {
  const TOTAL = 400;
  const at = await setUp(['--broadcast-per-s', '100', '--private-per-s', '1000']);
  await upload(at, 'all', listOf(TOTAL));
  const { body } = await at.ask('POST', '/v1/broadcasts', order('all'));
  await reached(60);
  const paused = await at.ask('POST', `/v1/broadcasts/${body.id}/pause`);
  expect(paused.body).toMatchObject({ state: 'paused', eta: null });
  const resting = await until(at, body.id, ({ progress }) => {
    return (progress as { queued: number }).queued === 0;
  });
  const { sent } = resting.progress as { sent: number };
  expect(sent).toBe(calls.length);
  await at.end('SIGTERM');
  await at.start();
  // Something accepted later goes out at once: the road runs, and the broadcast does not.
  const other = {
    to: { platform: 'telegram', account: TOKEN, chat: 7 },
    body: { text: 'x' },
    wait: 30,
  };
  expect((await at.ask('POST', '/v1/messages', other)).body).toMatchObject({ state: 'sent' });
  expect(calls).toHaveLength(sent + 1);

  await at.ask('POST', `/v1/broadcasts/${body.id}/resume`);
  await reached(sent + 50);
  await at.ask('POST', `/v1/broadcasts/${body.id}/cancel`);
  const over = await until(at, body.id, ({ progress }) => {
    return (progress as { queued: number }).queued === 0;
  });
  expect(over.state).toBe('cancelled');
  const progress = over.progress as { sent: number; cancelled: number };
  expect(progress.sent + progress.cancelled).toBe(TOTAL);
  expect(progress.sent).toBe(calls.length - 1);
  expect(new Set(calls.map(({ chat }) => chat)).size).toBe(calls.length);
});

test('a list that breaks off leaves nothing behind', async () => {
  const at = await setUp([]);
  const headers = { authorization: `Bearer ${at.key}` };
  const form = 'multipart/form-data; boundary=b';
  const head = '--b\r\ncontent-disposition: form-data; name="recipients"; filename="a.csv"\r\n\r\n';
  // More often than lists may be read at once: each gives its place back.
  for (let i = 0; i < 6; i++) {
    for (const [method, path, type, from] of [
      ['PUT', '/v1/audiences/all', 'text/csv', ''],
      ['POST', '/v1/broadcasts', form, head],
    ] as const) {
      async function* cut() {
        yield `${from}${listOf(500)}`;
        throw new Error('the line broke');
      }
      const body = Readable.from(cut());
      const sent = request(`${at.url}${path}`, {
        method,
        headers: { ...headers, 'content-type': type },
        body,
      });
      await expect(sent).rejects.toThrow();
    }
  }
  await lookUntil(
    () => upload(at, 'all', listOf(10)),
    ({ status }) => status === 201,
  );
  expect((await at.ask('GET', '/v1/audiences')).body).toMatchObject({ items: [{ count: 10 }] });
  expect((await at.ask('GET', '/v1/broadcasts')).body).toMatchObject({ items: [] });
});

test('who blocked the bot is left out until they write', async () => {
  const at = await setUp(['--private-per-s', '1000']);
  const send = async () => {
    const { body } = await at.ask('POST', '/v1/broadcasts', {
      to: { platform: 'telegram', account: TOKEN },
      chats: [1000, 1001],
      body: { text: 'news' },
    });
    await until(at, body.id, ({ state }) => state === 'done');
    const { body: all } = await at.ask('GET', `/v1/broadcasts/${body.id}/recipients`);
    return (all.items as { state: string; reason: string | null }[]).map(
      ({ state, reason }) => `${state} ${reason}`,
    );
  };
  sim!.model.setChat('1000', { kind: 'blocked' });
  expect(await send()).toEqual(['dead bot_blocked', 'sent null']);
  expect(await send()).toEqual(['skipped blocked', 'sent null']);
  sim!.model.setChat('1000', { kind: 'open' });
  const { body: webhook } = await at.ask('GET', '/v1/accounts/telegram:4242/webhook');
  const message = {
    message_id: 9,
    date: 1_900_000_000,
    chat: { id: 1000, type: 'private' },
    text: 'hi',
  };
  const update = { update_id: 1, message: { ...message, from: { id: 1000, is_bot: false } } };
  const secret = { 'x-telegram-bot-api-secret-token': String(webhook.secret) };
  const posted = await request(`${at.url}${webhook.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...secret },
    body: JSON.stringify(update),
  });
  expect(posted.statusCode).toBe(200);
  // Noted a moment later, together with others.
  const last = await lookUntil(send, ([first]) => first === 'sent null');
  expect(last).toEqual(['sent null', 'sent null']);
});
