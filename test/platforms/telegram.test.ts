// Telegram's contract against its simulator, in process and over real HTTP.

import type { PlatformFixture, Weather } from '../../src/platforms/platform.contract.ts';
import { createTelegram } from '../../src/platforms/telegram/telegram.ts';
import { TELEGRAM_SIMULATOR, type TelegramModel } from '../../src/sim/sim.ts';
import { type SimulatedWire, simulatedContract, stoppedClock } from './simulated.ts';

const SECRET = 'AAverysecretAAverysecretAAverysecre';
const TOKEN = `42:${SECRET}`;
const GROUP = '-1001234567890';
const WAIT_S = 35;

function telegram({
  transport,
  model,
  faults,
  unplug,
}: SimulatedWire<TelegramModel>): PlatformFixture {
  const params = { chat_id: Number(GROUP), message_thread_id: 5, text: 'hello' };
  const change: Record<Weather, () => void> = {
    fine: () => {},
    limited: () => model.freeze(TOKEN, GROUP, WAIT_S, stoppedClock.now()),
    refused: () => model.setChat(GROUP, { kind: 'missing' }),
    account_refused: () => model.revoke(TOKEN),
    lost: () => faults.add({ fault: { kind: 'answer_lost' } }),
    unsent: unplug,
  };
  return {
    platform: createTelegram({ transport }),
    credential: TOKEN,
    secret: SECRET,
    accountId: '42',
    message: { method: 'sendMessage', params, chat: GROUP, thread: '5' },
    edit: { method: 'editMessageText', params: { chat_id: 1, message_id: 2, text: 'new' } },
    read: { method: 'getChat', params: { chat_id: 1 } },
    pending: { method: 'editMessageText', params: { chat_id: 1, message_id: -5, text: 'new' } },
    update: {
      value: {
        update_id: 1,
        message: { message_id: 9, date: 1, chat: { id: Number(GROUP) }, text: 'hi' },
      },
      messageId: '9',
      reply: {
        method: 'sendMessage',
        params: { reply_parameters: { message_id: 9 }, text: 'yes' },
      },
    },
    request: {
      head: { verb: 'POST', url: `/bot${TOKEN}/sendMessage`, headers: {} },
      body: params,
    },
    retryAfterMs: WAIT_S * 1000,
    next: (weather) => change[weather](),
  };
}

simulatedContract('telegram', TELEGRAM_SIMULATOR, telegram);
