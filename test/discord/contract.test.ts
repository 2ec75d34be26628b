// Discord's contract against its simulator, in process and over real HTTP.

import { createDiscord } from '../../src/platforms/discord/discord.ts';
import type { PlatformFixture, Weather } from '../../src/platforms/platform.contract.ts';
import { DISCORD_SIMULATOR, type DiscordModel } from '../../src/sim/sim.ts';
import { type SimulatedWire, simulatedContract, stoppedClock } from '../platforms/simulated.ts';

const SECRET = 'verysecretverysecretverysecret';
const BOT = '123456789012345678';
const TOKEN = `${Buffer.from(BOT).toString('base64url')}.Gabcde.${SECRET}`;
const CHANNEL = '222222222222222222';
const WAIT_S = 35;

function discord({
  transport,
  model,
  faults,
  unplug,
}: SimulatedWire<DiscordModel>): PlatformFixture {
  const params = { channel_id: CHANNEL, content: 'hello' };
  const change: Record<Weather, () => void> = {
    fine: () => {},
    limited: () => model.freeze(TOKEN, CHANNEL, WAIT_S, stoppedClock.now()),
    refused: () => model.setChat(CHANNEL, { kind: 'blocked' }),
    account_refused: () => model.revoke(TOKEN),
    lost: () => faults.add({ fault: { kind: 'answer_lost' } }),
    unsent: unplug,
  };
  const edit = { channel_id: CHANNEL, message_id: '333333333333333333', content: 'new' };
  const author = { id: '7', username: 'someone' };
  const written = { id: '444444444444444444', channel_id: CHANNEL, author, content: 'hi' };
  return {
    platform: createDiscord({ transport, clock: stoppedClock }),
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

simulatedContract('discord', DISCORD_SIMULATOR, discord);
