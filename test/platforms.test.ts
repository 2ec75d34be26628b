// Each platform's contract against its simulator, in process and over real HTTP: the two were written apart from
// the same facts, and must agree.

import { afterEach } from 'vitest';
import {
  type PlatformFixture,
  platformContract,
  type Weather,
} from '../src/platforms/platform.contract.ts';
import { createTelegram } from '../src/platforms/telegram/telegram.ts';
import {
  createTelegramModel,
  type FaultScript,
  scriptedFaults,
  serveSim,
  simTransport,
  type TelegramModel,
} from '../src/sim/sim.ts';
import { type Clock, systemClock } from '../src/system/clock.ts';
import { undiciTransport } from '../src/system/http.ts';
import { systemRandom } from '../src/system/random.ts';
import type { Transport } from '../src/system/transport.ts';

const SECRET = 'AAverysecretAAverysecretAAverysecre';
const TOKEN = `42:${SECRET}`;
const GROUP = '-1001234567890';
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
  readonly model: TelegramModel;
  readonly faults: FaultScript;
  // From now on nobody is there to connect to.
  unplug(): void;
}

function telegram({ transport, model, faults, unplug }: Wire): PlatformFixture {
  const params = { chat_id: Number(GROUP), message_thread_id: 5, text: 'hello' };
  const change: Record<Weather, () => void> = {
    fine: () => {},
    limited: () => model.freeze(TOKEN, GROUP, WAIT_S, clock.now()),
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

platformContract('telegram, simulated in process,', async () => {
  const model = createTelegramModel({});
  const faults = scriptedFaults([]);
  const network = { latencyMs: 0, jitterMs: 0 };
  const ports = { model, clock, random: systemRandom(), network, faults };
  const unplug = () => faults.add({ fault: { kind: 'reset_before' } });
  return telegram({ transport: simTransport(ports), model, faults, unplug });
});

platformContract('telegram, simulated over HTTP,', async () => {
  const faults = scriptedFaults([]);
  const sim = await serveSim({ host: '127.0.0.1', port: 0, faults, clock });
  let closed: Promise<void> | null = null;
  const close = () => {
    closed ??= sim.close();
    return closed;
  };
  closers.push(close);
  const transport = undiciTransport({ baseUrl: sim.url, connectionsMax: 1 });
  return telegram({ transport, model: sim.model, faults, unplug: () => void close() });
});
