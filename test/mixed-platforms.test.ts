// One gateway before three simulated platforms: whatever happens to one of them, an outage, calls that hang, a ban, a
// wait, changes nothing for the others. Each of them is asked for the same before and during the trouble; what it took,
// in which order, and how long callers waited must not tell which was which.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../src/app/gateway.ts';
import { configOf } from '../src/config/config.ts';
import {
  DISCORD_SIMULATOR,
  type DiscordModel,
  type Faults,
  type ServedModel,
  type SimCall,
  type SimModel,
  serveModel,
  serveSim,
  WHATSAPP_SIMULATOR,
} from '../src/sim/sim.ts';
import { until } from './process/look.ts';

const BOT = '123456789012345678';
const DISCORD_TOKEN = `${Buffer.from(BOT).toString('base64url')}.Gabcde.${'s'.repeat(30)}`;
const TELEGRAM_TOKEN = `4242:${'A'.repeat(35)}`;
const WHATSAPP_TOKEN = 'EAAtesttokentesttokentesttoken';
const NUMBER = '106540352242922';
const CHATS = 6;
const EACH = 2;
const BACKLOG = 40;
// A test machine is busy: what is below this is its own noise. Breakers, retries and deadlines take longer.
const NOISE_MS = 2000;
const TEST_MS_MAX = 240_000;

const NAMES = ['telegram', 'discord', 'whatsapp'] as const;
type Name = (typeof NAMES)[number];
type Trouble = { readonly kind: 'reset_before' } | { readonly kind: 'hang'; delivered: false };

const CALLS: Readonly<Record<Name, (chat: string, text: string) => [path: string, body: object]>> =
  {
    telegram: (chat, text) => [`/bot${TELEGRAM_TOKEN}/sendMessage`, { chat_id: chat, text }],
    discord: (chat, content) => [`/api/v10/channels/${chat}/messages`, { content }],
    whatsapp: (to, body) => [
      `/v21.0/${NUMBER}/messages`,
      { messaging_product: 'whatsapp', to, type: 'text', text: { body } },
    ],
  };
const CREDENTIALS: Readonly<Record<Name, Record<string, string>>> = {
  telegram: {},
  discord: { authorization: `Bot ${DISCORD_TOKEN}` },
  whatsapp: { authorization: `Bearer ${WHATSAPP_TOKEN}` },
};

let folder: string;
let gateway: Gateway;
let url: string;
let discord: DiscordModel;
let sims: Record<Name, ServedModel<SimModel>>;
const judged: Record<Name, SimCall[]> = { telegram: [], discord: [], whatsapp: [] };
const troubles = new Map<Name, Trouble>();

beforeEach(async () => {
  troubles.clear();
  for (const name of NAMES) judged[name].length = 0;
  folder = mkdtempSync(join(tmpdir(), 'sluice-mixed-'));
  const at = (name: Name) => {
    const faults: Faults = { next: () => troubles.get(name) ?? null };
    const onCall = (call: SimCall) => judged[name].push(call);
    return { host: '127.0.0.1', port: 0, faults, onCall };
  };
  // So few refusals that it bans at once.
  const options = { invalid: { count: 2, perMs: 600_000 } };
  const served = await serveModel(DISCORD_SIMULATOR, { ...at('discord'), options });
  discord = served.model;
  const telegram = await serveSim(at('telegram'));
  const whatsapp = await serveModel(WHATSAPP_SIMULATOR, at('whatsapp'));
  sims = { telegram, discord: served, whatsapp };
  gateway = await createGateway(
    configOf({
      ...{ data: folder, log: 'silent', port: 0, telegramApi: sims.telegram.url },
      ...{ discordApi: sims.discord.url, whatsappApi: sims.whatsapp.url },
    }),
  );
  url = await gateway.listen();
});

afterEach(async () => {
  await gateway.close();
  await Promise.all(NAMES.map((name) => sims[name].close()));
  rmSync(folder, { recursive: true, force: true });
});

async function send(name: Name, chat: string, text: string, headers = {}): Promise<number> {
  const [path, body] = CALLS[name](chat, text);
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...CREDENTIALS[name], ...headers },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return answer.status;
}

const chatOf = (n: number, round: number) => String(16_505_550_000 + 100 * round + n);

interface Seen {
  readonly statuses: readonly number[];
  // What each chat was sent, as the platform has taken it, and everything it said but yes.
  readonly texts: readonly (readonly (string | null)[])[];
  readonly refusals: number;
  // In the middle of all: one that is slow is the machine's, all of them are the trouble's.
  readonly middleMs: number;
}

// The same for every platform and round, in chats of its own.
async function round(name: Name, number: number): Promise<Seen> {
  const chats = Array.from({ length: CHATS }, (_, n) => chatOf(n, number));
  const took: number[] = [];
  const from = judged[name].length;
  const talk = async (chat: string) => {
    const statuses: number[] = [];
    for (let i = 0; i < EACH; i++) {
      const began = performance.now();
      statuses.push(await send(name, chat, `text ${i}`));
      took.push(performance.now() - began);
    }
    return statuses;
  };
  const statuses = (await Promise.all(chats.map(talk))).flat();
  const own = judged[name].slice(from).filter(({ chat }) => chats.includes(chat ?? ''));
  const taken = own.filter(({ acceptedAt }) => acceptedAt !== null);
  const texts = chats.map((chat) => taken.filter((call) => call.chat === chat).map(textOf));
  const middleMs = took.toSorted((a, b) => a - b)[took.length >> 1]!;
  return { statuses, texts, refusals: own.length - taken.length, middleMs };
}

const textOf = (call: SimCall) => (call as { readonly text?: string | null }).text ?? null;

// Each platform is asked before the trouble and during it.
async function changesNothing(troubled: Name, begin: () => Promise<void>): Promise<void> {
  // Connections are open, accounts known.
  for (const name of NAMES) expect(await send(name, chatOf(0, 9), 'known')).toBe(200);
  const others = NAMES.filter((name) => name !== troubled);
  const before = await Promise.all(others.map((name) => round(name, 1)));
  await begin();
  const during = await Promise.all(others.map((name) => round(name, 2)));
  for (const [i, name] of others.entries()) {
    const { middleMs, ...seen } = during[i]!;
    const { middleMs: usualMs, ...usual } = before[i]!;
    expect(seen, name).toEqual(usual);
    expect(seen.refusals, name).toBe(0);
    expect(new Set(seen.statuses), name).toEqual(new Set([200]));
    expect(middleMs, name).toBeLessThan(usualMs + NOISE_MS);
  }
}

// Messages that nobody waits for, to chats of their own.
async function pileUp(name: Name): Promise<void> {
  const early = { prefer: 'respond-async' };
  const numbers = Array.from({ length: BACKLOG }, (_, i) => i);
  await Promise.all(numbers.map((i) => send(name, chatOf(i % 30, 5), `waits ${i}`, early)));
}

for (const name of NAMES) {
  test(`an outage of ${name}`, { timeout: TEST_MS_MAX }, () =>
    changesNothing(name, async () => {
      troubles.set(name, { kind: 'reset_before' });
      await pileUp(name);
    }),
  );

  test(`calls to ${name} that hang`, { timeout: TEST_MS_MAX }, () =>
    changesNothing(name, async () => {
      troubles.set(name, { kind: 'hang', delivered: false });
      await pileUp(name);
    }),
  );
}

test('a ban by Discord', { timeout: TEST_MS_MAX }, () =>
  changesNothing('discord', async () => {
    const chat = chatOf(0, 7);
    discord.setChat(chat, { kind: 'blocked' });
    for (let i = 0; i < 3; i++) expect(await send('discord', chat, 'x')).toBe(403);
    await pileUp('discord');
    const banned = () => judged.discord.some(({ cause }) => cause === 'ban');
    await until(banned, Boolean);
  }),
);
