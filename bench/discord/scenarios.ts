// What a bot asks for, in each scenario by a bot of its own, and the least time that Discord's limits allow for it: a
// bucket of `count` gives so many at once, and one more in each `perMs / count`. Written from the limits alone.

import type { REST } from '@discordjs/rest';
import { DISCORD_DEFAULTS } from '../../src/sim/sim.ts';
import { lastAt } from '../pacing/least.ts';

export interface Scenario {
  readonly name: string;
  // Processes that do the same at once with one token.
  readonly processes: number;
  // null: what counts is how late the last texts are.
  readonly leastMs: number | null;
  run(client: Client): Promise<void>;
}

export interface Client {
  readonly rest: REST;
  // Which of the processes it is.
  readonly process: number;
  // Channels of the scenario's own.
  channel(n: number): string;
  // Called before a text is handed over that must be shown.
  asks(channel: string, text: string): void;
}

export const FINAL = 'final';
const CHANNELS = 20;
const EACH = 25;
const ANSWERS = 6;
// Discord itself does not know it.
const AT_ONCE = { prefer: 'respond-async' };
const EDIT_EVERY_MS = 500;
const EDITING_MS = 10_000;
const LOOK_EVERY_MS = 500;

const { create, webhook } = DISCORD_DEFAULTS.buckets;
const { hiddenWebhook } = DISCORD_DEFAULTS;

const bucketMs = (count: number, rate: { count: number; perMs: number }) =>
  Math.max(0, count - rate.count) * (rate.perMs / rate.count);

// Those of a webhook also stand in a window that no header tells of.
function webhookMs(count: number): number {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const opensAt = lastAt(1, [hiddenWebhook], times);
    times.push(Math.max(opensAt, bucketMs(i + 1, webhook)));
  }
  return times.at(-1)!;
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: `${CHANNELS} channels, ${EACH} messages each`,
    processes: 1,
    leastMs: bucketMs(EACH, create),
    run: async (client) => {
      const channels = Array.from({ length: CHANNELS }, (_, n) => client.channel(n));
      await Promise.all(channels.map((channel) => sendAll(client, channel, EACH)));
    },
  },
  {
    name: 'one channel, 31 messages in order',
    processes: 1,
    leastMs: bucketMs(31, create),
    run: (client) => sendAll(client, client.channel(0), 31),
  },
  {
    name: 'two processes with one token, 16 messages each to one channel',
    processes: 2,
    leastMs: bucketMs(32, create),
    run: (client) => sendAll(client, client.channel(0), 16),
  },
  {
    name: 'a webhook, 40 messages',
    processes: 1,
    leastMs: webhookMs(40),
    run: byWebhook,
  },
  {
    name: `${ANSWERS} live answers by edits in one channel`,
    processes: 1,
    leastMs: null,
    run: async (client) => {
      await Promise.all(Array.from({ length: ANSWERS }, (_, n) => answer(client, n)));
    },
  },
];

async function sendAll(client: Client, channel: string, count: number): Promise<void> {
  const sent = Array.from({ length: count }, (_, i) => {
    const content = `${client.process} ${i}`;
    client.asks(channel, content);
    return client.rest.post(`/channels/${channel}/messages`, { body: { content } });
  });
  await Promise.all(sent);
}

interface Shown {
  readonly content: string;
}

async function byWebhook(client: Client): Promise<void> {
  const made = await client.rest.post(`/channels/${client.channel(0)}/webhooks`, {
    body: { name: 'bench' },
  });
  const { id, token } = made as { id: string; token: string };
  const sent = Array.from({ length: 40 }, (_, i) => {
    const content = `${client.process} ${i}`;
    client.asks(id, content);
    return client.rest.post(`/webhooks/${id}/${token}`, { body: { content }, auth: false });
  });
  await Promise.all(sent);
}

// A text that grows faster than it may be shown, and its end. What is in between need not be shown.
async function answer(client: Client, n: number): Promise<void> {
  const channel = client.channel(0);
  const { rest } = client;
  const made = await rest.post(`/channels/${channel}/messages`, { body: { content: 'start' } });
  const { id } = made as { id: string };
  const edit = (content: string, headers = {}) =>
    rest.patch(`/channels/${channel}/messages/${id}`, { body: { content }, headers });
  const began = Date.now();
  const edits: Promise<unknown>[] = [];
  for (let i = 0; Date.now() - began < EDITING_MS; i++) {
    // The library makes one call of a channel at a time: where it is not told at once that a text was taken, it keeps
    // all others back, and none can take the place of an older one.
    edits.push(edit(`answer ${n}: ${i}`, AT_ONCE).catch(() => null));
    await pause(EDIT_EVERY_MS);
  }
  client.asks(channel, `${FINAL} ${n}`);
  await edit(`${FINAL} ${n}`, AT_ONCE);
  await Promise.all(edits);
  const shown = () => rest.get(`/channels/${channel}/messages/${id}`) as Promise<Shown>;
  while ((await shown()).content !== `${FINAL} ${n}`) await pause(LOOK_EVERY_MS);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
