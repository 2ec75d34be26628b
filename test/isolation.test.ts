// Promise 6 on a real process: chats that always answer 429 delay nobody else, however many they are and however long
// the platform tells them to wait; and an account whose calls are all answered with 503, or with a page of a stranger,
// delays no other account of its host.
// All cases run beside each other, an account each, and so does the calm that they are compared with: what else the
// machine does falls on all of them.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayProcess } from './process/gateway.ts';
import { until } from './process/look.ts';

interface Account {
  readonly bot: number;
  // So many of its chats, from the first, refuse every message once there is trouble, and name so many seconds.
  readonly refusing: number;
  readonly seconds: number;
}

const CALM: Account = { bot: 4200, refusing: 0, seconds: 0 };
const TROUBLED = [1, 2, 10].flatMap((refusing, row) =>
  [10, 60, 3600].map((seconds, n): Account => ({ bot: 4201 + 3 * row + n, refusing, seconds })),
);
const ACCOUNTS = [CALM, ...TROUBLED];
const PAGE_403 = '<html><head><title>403 Forbidden</title></head></html>';
const SICK = [
  { bot: 4300, said: '503', status: 503, body: 'upstream is away' },
  { bot: 4301, said: 'a page of HTML and 403', status: 403, body: PAGE_403 },
];
const CHATS = 34;
const ROUNDS = 4;
// The shortest of the waits ends within the rounds, and begins anew.
const ROUND_MS = 3000;
const ANSWER_MS = 20;
const WAIT_MS = 60_000;
const SENT_S_MAX = 20;
// A test machine is busy: what is below this is its own noise, at the same time and at another.
const NOISE_MS = 100;
const NOISE_APART_MS = 250;

let upstream: Server;
let gateway: GatewayProcess;
let isTrouble = false;
// By bot.
const refusals = new Map<number, number>();

function answerTo(url: string, body: string): { status: number; body: unknown } {
  const [, digits, method] = /^\/bot(\d+):[^/]+\/(\w+)/.exec(url)!;
  const bot = Number(digits);
  if (method === 'getMe') return { status: 200, body: { ok: true, result: { id: bot } } };
  const sick = SICK.find((each) => each.bot === bot);
  if (sick !== undefined) return sick;
  const { refusing, seconds } = ACCOUNTS.find((account) => account.bot === bot)!;
  const chat = Number((JSON.parse(body) as { chat_id: number }).chat_id);
  if (!isTrouble || chat > refusing) {
    const result = { message_id: 1, chat: { id: chat }, date: 1, text: 'x' };
    return { status: 200, body: { ok: true, result } };
  }
  refusals.set(bot, (refusals.get(bot) ?? 0) + 1);
  const description = `Too Many Requests: retry after ${seconds}`;
  const parameters = { retry_after: seconds };
  return { status: 429, body: { ok: false, error_code: 429, description, parameters } };
}

beforeAll(async () => {
  upstream = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { status, body } = answerTo(request.url!, Buffer.concat(chunks).toString());
    setTimeout(() => {
      const isPage = typeof body === 'string' && body.startsWith('<html>');
      response.writeHead(status, { 'content-type': isPage ? 'text/html' : 'application/json' });
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

function tokenOf(bot: number): string {
  return `${bot}:${'A'.repeat(35)}`;
}

// How long it took, in ms; Infinity: it was not sent in time.
async function send(bot: number, chat: number): Promise<number> {
  const startedAt = performance.now();
  const path = `/bot${tokenOf(bot)}/sendMessage`;
  const message = { chat_id: chat, text: 'hello' };
  const { status } = await gateway.ask('POST', path, message, { prefer: `wait=${SENT_S_MAX}` });
  return status === 200 ? performance.now() - startedAt : Number.POSITIVE_INFINITY;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

// Each chat has something to say in each round, spread over it. How long messages to its healthy chats took.
async function rounds({ bot, refusing }: Account): Promise<number[]> {
  const chats = chatsFrom(1, CHATS).sort((a, b) => (a % 7) - (b % 7));
  const took: Promise<number>[] = [];
  await pause(((bot - CALM.bot) * ROUND_MS) / CHATS / ACCOUNTS.length);
  for (let round = 0; round < ROUNDS; round++) {
    for (const chat of chats) {
      await pause(ROUND_MS / CHATS);
      if (chat > refusing) took.push(send(bot, chat));
      // Nobody waits for those that are never sent.
      else void gateway.ask('POST', '/v1/messages', deliveryTo(bot, chat));
    }
  }
  return ordered(await Promise.all(took));
}

function deliveryTo(bot: number, chat: number) {
  const to = { platform: 'telegram', account: `telegram:${bot}`, chat: String(chat) };
  return { to, method: 'sendMessage', body: { text: 'hello' } };
}

// A message of each healthy account at once: how long the one in the middle took.
async function middle(chat: number): Promise<number> {
  const took = await Promise.all(ACCOUNTS.map(({ bot }) => send(bot, chat)));
  return ordered(took)[took.length >> 1]!;
}

async function breakerOf(bot: number): Promise<string | undefined> {
  const { body } = await gateway.ask('GET', '/v1/accounts');
  const accounts = body.accounts as { id: string; breaker: { state: string } }[];
  return accounts.find(({ id }) => id === `telegram:${bot}`)?.breaker.state;
}

function ordered(numbers: readonly number[]): number[] {
  return [...numbers].sort((a, b) => a - b);
}

// What 95 of 100 took at the most.
function p95(took: readonly number[]): number {
  return took[Math.floor(took.length * 0.95)]!;
}

function chatsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, n) => first + n);
}

test(
  '1, 2 and 10 of 34 chats that refuse for 10 s, a minute or an hour leave the others as in calm',
  async () => {
    // They were fine before: that is when their refusals look most like the account's.
    const first = ACCOUNTS.flatMap(({ bot, refusing }) =>
      chatsFrom(1, Math.max(1, refusing)).map((chat) => send(bot, chat)),
    );
    await Promise.all(first);
    isTrouble = true;
    const [calm, ...others] = await Promise.all(ACCOUNTS.map(rounds));
    for (const [n, { bot, refusing, seconds }] of TROUBLED.entries()) {
      const told = `${refusing} refuse, ${seconds} s`;
      expect(refusals.get(bot), told).toBeGreaterThanOrEqual(refusing);
      expect(others[n]!.at(-1), told).toBeLessThan(Number.POSITIVE_INFINITY);
      expect(p95(others[n]!), told).toBeLessThan(Math.max(2 * p95(calm!), NOISE_MS));
    }
  },
  2 * WAIT_MS,
);

test.each(SICK)(
  'an account whose calls are answered with $said delays no other one of its host',
  async ({ bot }) => {
    const first = 1000 + 10 * bot;
    // The accounts are known from then on, and no breaker is open.
    await middle(first);
    const calm = await middle(first + 1);
    for (const chat of chatsFrom(first, 10)) {
      const path = `/bot${tokenOf(bot)}/sendMessage`;
      void gateway.ask('POST', path, { chat_id: chat, text: 'x' }, { prefer: 'respond-async' });
    }
    const isOpen = (state: string | undefined) => state === 'open';
    await until(() => breakerOf(bot), isOpen, { msMax: WAIT_MS / 2 });
    // All of them would wait for the next probe, if one had to.
    const others = await middle(first + 2);
    // The next sick one is alone again: two of them may well be their host's trouble.
    await gateway.ask('POST', `/v1/accounts/telegram:${bot}/pause`);
    expect(others).toBeLessThan(Math.max(2 * calm, NOISE_APART_MS));
  },
  WAIT_MS,
);
