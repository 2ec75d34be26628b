// Discord's contract against its simulator, in process and over real HTTP.

import { afterEach } from 'vitest';
import { createDiscord } from '../../src/platforms/discord/discord.ts';
import {
  type PlatformFixture,
  platformContract,
  type Weather,
} from '../../src/platforms/platform.contract.ts';
import {
  createDiscordModel,
  DISCORD_SIMULATOR,
  type DiscordModel,
  type FaultScript,
  scriptedFaults,
  serveModel,
  simTransport,
} from '../../src/sim/sim.ts';
import { type Clock, systemClock } from '../../src/system/clock.ts';
import { undiciTransport } from '../../src/system/http.ts';
import { systemRandom } from '../../src/system/random.ts';
import type { Transport } from '../../src/system/transport.ts';

const SECRET = 'verysecretverysecretverysecret';
const BOT = '123456789012345678';
const TOKEN = `${Buffer.from(BOT).toString('base64url')}.Gabcde.${SECRET}`;
const CHANNEL = '222222222222222222';
const WAIT_S = 35;

// Time stands still for the simulator, so that a wait is to the second however busy the machine is.
const real = systemClock();
const NOW = real.now();
const clock: Clock = {
  now: () => NOW,
  schedule: (at, run) => real.schedule(real.now() + at - NOW, run),
};

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Wire {
  readonly transport: Transport;
  readonly model: DiscordModel;
  readonly faults: FaultScript;
  unplug(): void;
}

function discord({ transport, model, faults, unplug }: Wire): PlatformFixture {
  const params = { channel_id: CHANNEL, content: 'hello' };
  const change: Record<Weather, () => void> = {
    fine: () => {},
    limited: () => model.freeze(TOKEN, CHANNEL, WAIT_S, clock.now()),
    refused: () => model.setChat(CHANNEL, { kind: 'blocked' }),
    account_refused: () => model.revoke(TOKEN),
    lost: () => faults.add({ fault: { kind: 'answer_lost' } }),
    unsent: unplug,
  };
  const edit = { channel_id: CHANNEL, message_id: '333333333333333333', content: 'new' };
  const author = { id: '7', username: 'someone' };
  const written = { id: '444444444444444444', channel_id: CHANNEL, author, content: 'hi' };
  return {
    platform: createDiscord({ transport, clock }),
    credential: TOKEN,
    secret: SECRET,
    accountId: BOT,
    message: { method: 'createMessage', params, chat: CHANNEL, thread: null },
    edit: { method: 'editMessage', params: edit },
    read: { method: 'GET /api/v10/users/@me', params: {} },
    pending: { method: 'editMessage', params: { ...edit, message_id: '-5' } },
    update: {
      value: { t: 'MESSAGE_CREATE', d: written },
      messageId: written.id,
      reply: {
        method: 'createMessage',
        params: { message_reference: { message_id: written.id }, content: 'yes' },
      },
    },
    request: {
      head: {
        verb: 'POST',
        url: `/api/v10/channels/${CHANNEL}/messages`,
        headers: { authorization: `Bot ${TOKEN}` },
      },
      body: { content: 'hello' },
    },
    retryAfterMs: WAIT_S * 1000,
    next: (weather) => change[weather](),
  };
}

platformContract('discord, simulated in process,', async () => {
  const model = createDiscordModel({});
  const faults = scriptedFaults([]);
  const network = { latencyMs: 0, jitterMs: 0 };
  const ports = { model, clock, random: systemRandom(), network, faults };
  const unplug = () => faults.add({ fault: { kind: 'reset_before' } });
  return discord({ transport: simTransport(ports), model, faults, unplug });
});

platformContract('discord, simulated over HTTP,', async () => {
  const faults = scriptedFaults([]);
  const sim = await serveModel(DISCORD_SIMULATOR, { host: '127.0.0.1', port: 0, faults, clock });
  let closed: Promise<void> | null = null;
  const close = () => {
    closed ??= sim.close();
    return closed;
  };
  closers.push(close);
  const transport = undiciTransport({ baseUrl: sim.url, connectionsMax: 1 });
  return discord({ transport, model: sim.model, faults, unplug: () => void close() });
});
