// WhatsApp's contract against its simulator, in process and over real HTTP.

import type { PlatformFixture, Weather } from '../../src/platforms/platform.contract.ts';
import { createWhatsapp } from '../../src/platforms/whatsapp/whatsapp.ts';
import { WHATSAPP_SIMULATOR, type WhatsappModel } from '../../src/sim/sim.ts';
import { type SimulatedWire, simulatedContract, stoppedClock } from '../platforms/simulated.ts';

const SECRET = 'EAAverysecretverysecretverysecret';
const NUMBER = '106540352242922';
const CREDENTIAL = `${NUMBER}:${SECRET}`;
const USER = '16505551234';
const PRODUCT = { messaging_product: 'whatsapp' };

function whatsapp({
  transport,
  model,
  faults,
  unplug,
}: SimulatedWire<WhatsappModel>): PlatformFixture {
  const text = { body: 'hello' };
  const params = { ...PRODUCT, recipient_type: 'individual', to: USER, type: 'text', text };
  const reaction = { message_id: 'wamid.X', emoji: '👍' };
  const reacting = { ...PRODUCT, to: USER, type: 'reaction' };
  const change: Record<Weather, () => void> = {
    fine: () => {},
    limited: () => model.freeze(CREDENTIAL, USER, 60, stoppedClock.now()),
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
      value: model.inject(CREDENTIAL, USER, 'hi', stoppedClock.now()).posted,
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

simulatedContract('whatsapp', WHATSAPP_SIMULATOR, whatsapp);
