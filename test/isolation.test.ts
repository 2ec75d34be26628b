// Promise 6 on a real process: chats that always answer 429 delay nobody else, however many they are and however long
// the platform tells them to wait; and an account whose calls are all answered with 503 delays no other account.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayProcess } from './process/gateway.ts';

const TOKEN = `4242:${'A'.repeat(35)}`;
const SICK_TOKEN = `4343:${'B'.repeat(35)}`;
const CALM_TOKEN = `4444:${'C'.repeat(35)}`;
const CHATS = 34;
const ROUNDS = 3;
// A chat's own limit is one message in a second.
const ROUND_MS = 1300;
const ANSWER_MS = 20;
const WAIT_MS = 60_000;
// A test machine is busy: what is below this is its own noise.
const NOISE_MS = 250;

let upstream: Server;
let gateway: GatewayProcess;
// Chats that are always refused, with the seconds they are told to wait.
const refusing = new Map<number, number>();
let refusals = 0;

function answerTo(url: string, body: string): { status: number; body: unknown } {
  const [, bot, method] = /^\/bot(\d+):[^/]+\/(\w+)/.exec(url)!;
  if (method === 'getMe') return { status: 200, body: { ok: true, result: { id: Number(bot) } } };
  if (SICK_TOKEN.startsWith(`${bot}:`)) return { status: 503, body: 'upstream is away' };
  const { chat_id } = JSON.parse(body) as { chat_id: number };
  const retry_after = TOKEN.startsWith(`${bot}:`) ? refusing.get(Number(chat_id)) : undefined;
  if (retry_after === undefined) {
    const result = { message_id: 1, chat: { id: chat_id }, date: 1, text: 'x' };
    return { status: 200, body: { ok: true, result } };
  }
  refusals += 1;
  const description = `Too Many Requests: retry after ${retry_after}`;
  const flood = { ok: false, error_code: 429, description, parameters: { retry_after } };
  return { status: 429, body: flood };
}

beforeAll(async () => {
  upstream = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { status, body } = answerTo(request.url!, Buffer.concat(chunks).toString());
    setTimeout(() => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    }, ANSWER_MS);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  gateway = new GatewayProcess(`http://127.0.0.1:${port}`, ['--log', 'silent']);
  await gateway.start();
}, 2 * WAIT_MS);

afterAll(async () => {
  await gateway.end('SIGKILL');
  gateway.remove();
  upstream.closeAllConnections();
  upstream.close();
});

async function send(token: string, chat: number): Promise<number> {
  const startedAt = performance.now();
  const path = `/bot${token}/sendMessage`;
  const { status } = await gateway.ask('POST', path, { chat_id: chat, text: 'hello' });
  expect(status).toBe(200);
  return performance.now() - startedAt;
}

interface Times {
  // Of 95 of 100 at the most, in ms.
  readonly others: number;
  // Of an account that has no such chat, at the same time: whatever else the machine does falls on both.
  readonly calm: number;
}

// Each chat has something to say in each round, spread over it.
async function p95s(chats: readonly number[], troubled: readonly number[]): Promise<Times> {
  const all = [...chats, ...troubled].sort((a, b) => (a % 7) - (b % 7));
  const others: Promise<number>[] = [];
  const calm: Promise<number>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const chat of all) {
      await new Promise((resolve) => setTimeout(resolve, ROUND_MS / CHATS));
      calm.push(send(CALM_TOKEN, chat));
      if (!troubled.includes(chat)) others.push(send(TOKEN, chat));
      // Nobody waits for those that are never sent.
      else void gateway.ask('POST', '/v1/messages', deliveryTo(chat));
    }
  }
  return { others: await p95(others), calm: await p95(calm) };
}

async function p95(took: readonly Promise<number>[]): Promise<number> {
  const sorted = (await Promise.all(took)).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.95)]!;
}

function deliveryTo(chat: number) {
  const to = { platform: 'telegram', account: 'telegram:4242', chat: String(chat) };
  return { to, method: 'sendMessage', body: { text: 'hello' } };
}

async function middle(token: string, first: number): Promise<number> {
  const took: number[] = [];
  for (let chat = first; chat < first + 30; chat++) took.push(await send(token, chat));
  return took.sort((a, b) => a - b)[took.length >> 1]!;
}

function chatsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, n) => first + n);
}

test(
  '1, 2 and 10 of 34 chats that always refuse leave the others as they are in calm',
  async () => {
    let first = 2000;
    for (const [count, seconds] of [
      [1, 10],
      [2, 60],
      [10, 3600],
    ] as const) {
      first += 1000;
      const chats = chatsFrom(first, CHATS);
      const troubled = chats.slice(0, count);
      // They were fine before: that is when their refusals look most like the account's.
      await Promise.all(troubled.map((chat) => send(TOKEN, chat)));
      await send(CALM_TOKEN, first);
      for (const chat of troubled) refusing.set(chat, seconds);
      const before = refusals;
      const { others, calm } = await p95s(chats.slice(count), troubled);
      expect(refusals - before).toBeGreaterThanOrEqual(count);
      expect(others, `${count} refuse, ${seconds} s`).toBeLessThan(Math.max(2 * calm, NOISE_MS));
    }
  },
  2 * WAIT_MS,
);

test(
  'an account whose calls are answered with 503 delays no other one',
  async () => {
    const calm = await middle(CALM_TOKEN, 8000);
    for (let chat = 1; chat <= 10; chat++) {
      const path = `/bot${SICK_TOKEN}/sendMessage`;
      void gateway.ask('POST', path, { chat_id: chat, text: 'x' }, { prefer: 'respond-async' });
    }
    // All of them would wait, if one had to.
    expect(await middle(TOKEN, 9000)).toBeLessThan(Math.max(2 * calm, NOISE_MS));
  },
  WAIT_MS,
);
