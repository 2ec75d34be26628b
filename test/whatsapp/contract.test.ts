// The contract of platforms against the simulated WhatsApp, in process and over real HTTP: the two were written apart
// from the same facts, and must agree.

import { afterEach } from 'vitest';
import {
  type PlatformFixture,
  platformContract,
  type Weather,
} from '../../src/platforms/platform.contract.ts';
import { createWhatsapp } from '../../src/platforms/whatsapp/whatsapp.ts';
import {
  createWhatsappModel,
  type FaultScript,
  scriptedFaults,
  serveModel,
  simTransport,
  WHATSAPP_SIMULATOR,
  type WhatsappModel,
} from '../../src/sim/sim.ts';
import { type Clock, systemClock } from '../../src/system/clock.ts';
import { undiciTransport } from '../../src/system/http.ts';
import { systemRandom } from '../../src/system/random.ts';
import type { Transport } from '../../src/system/transport.ts';

const SECRET = 'EAAverysecretverysecretverysecret';
const NUMBER = '106540352242922';
const CREDENTIAL = `${NUMBER}:${SECRET}`;
const USER = '16505551234';
const PRODUCT = { messaging_product: 'whatsapp' };

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
  readonly model: WhatsappModel;
  readonly faults: FaultScript;
  // From now on nobody is there to connect to.
  unplug(): void;
}

function whatsapp({ transport, model, faults, unplug }: Wire): PlatformFixture {
  const text = { body: 'hello' };
  const params = { ...PRODUCT, recipient_type: 'individual', to: USER, type: 'text', text };
  const reaction = { message_id: 'wamid.X', emoji: '👍' };
  const reacting = { ...PRODUCT, to: USER, type: 'reaction' };
  const change: Record<Weather, () => void> = {
    fine: () => {},
    limited: () => model.freeze(CREDENTIAL, USER, 60, clock.now()),
    refused: () => model.setChat(USER, { kind: 'unlisted' }),
    account_refused: () => model.revoke(CREDENTIAL),
    lost: () => faults.add({ fault: { kind: 'answer_lost' } }),
    unsent: unplug,
  };
  return {
    platform: createWhatsapp({ transport }),
    credential: CREDENTIAL,
    secret: SECRET,
    accountId: NUMBER,
    message: { method: 'messages', params, chat: USER, thread: null },
    edit: { method: 'reaction', params: { ...reacting, reaction } },
    read: { method: `GET /v23.0/${NUMBER}/message_templates`, params: {} },
    pending: { method: 'reaction', params: { ...reacting, reaction: { message_id: '-5' } } },
    update: {
      value: model.inject(CREDENTIAL, USER, 'hi', clock.now()).posted,
      messageId: String(model.messagesOf(USER)[0]!.id),
      reply: {
        method: 'messages',
        params: { ...params, context: { message_id: String(model.messagesOf(USER)[0]!.id) } },
      },
    },
    request: {
      head: {
        verb: 'POST',
        url: `/v21.0/${NUMBER}/messages`,
        headers: { authorization: `Bearer ${SECRET}` },
      },
      body: params,
    },
    retryAfterMs: 1000,
    next: (weather) => change[weather](),
  };
}

platformContract('whatsapp, simulated in process,', async () => {
  const model = createWhatsappModel({});
  const faults = scriptedFaults([]);
  const network = { latencyMs: 0, jitterMs: 0 };
  const ports = { model, clock, random: systemRandom(), network, faults };
  const unplug = () => faults.add({ fault: { kind: 'reset_before' } });
  return whatsapp({ transport: simTransport(ports), model, faults, unplug });
});

platformContract('whatsapp, simulated over HTTP,', async () => {
  const faults = scriptedFaults([]);
  const sim = await serveModel(WHATSAPP_SIMULATOR, { host: '127.0.0.1', port: 0, faults, clock });
  let closed: Promise<void> | null = null;
  const close = () => {
    closed ??= sim.close();
    return closed;
  };
  closers.push(close);
  const transport = undiciTransport({ baseUrl: sim.url, connectionsMax: 1 });
  return whatsapp({ transport, model: sim.model, faults, unplug: () => void close() });
});
