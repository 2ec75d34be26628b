// The platforms of a mixed world: what an account, a chat and a message are on each, written down anew here, as the
// platforms' documents have it, and how each is brought into trouble.

import type { AccountId } from '../../domain/ids.ts';
import { createDiscordModel } from '../discord/model.ts';
import type { SimCall, SimModel, SimPeople } from '../model.ts';
import { createSlackModel } from '../slack/model.ts';
import { createTelegramModel } from '../telegram/model.ts';
import { createWhatsappModel } from '../whatsapp/model.ts';

export interface MixedModel extends SimModel<SimCall>, Pick<SimPeople, 'freeze'> {
  revoke(token: string): void;
}

export interface MixedCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface MixedPlatform {
  readonly name: string;
  open(): OpenedModel;
  account(n: number): { readonly id: AccountId; readonly token: string };
  chat(n: number): string;
  // One message in six seconds is all that is sure; otherwise one in two.
  readonly isSlow: boolean;
  send(chat: string, text: string): MixedCall;
  // Left out: what was sent stays as it is.
  edit?(chat: string, message: string, text: string): MixedCall;
  remove?(chat: string, message: string, note: string): MixedCall;
  // What a caller is told, where the status of HTTP does not say it; left out: it does.
  statusOf?(call: SimCall): number;
}

export interface OpenedModel {
  readonly model: MixedModel;
  // Every message to that chat is refused from now on.
  poison(chat: string): void;
}

const SECRET = 'simulatedsimulatedsimulated';

function opened<M extends MixedModel & Pick<SimPeople, 'setChat'>>(model: M): OpenedModel {
  return { model, poison: (chat) => model.setChat(chat, { kind: 'blocked' }) };
}

const TELEGRAM: MixedPlatform = {
  name: 'telegram',
  open: () => opened(createTelegramModel({ options: {} })),
  account: (n) => ({ id: `telegram:${2001 + n}`, token: `${2001 + n}:${SECRET}` }),
  chat: (n) => `${70_000 + n}`,
  isSlow: false,
  send: (chat, text) => ({ method: 'sendMessage', params: { chat_id: Number(chat), text } }),
  edit: (chat, message, text) => {
    const params = { chat_id: Number(chat), message_id: Number(message), text };
    return { method: 'editMessageText', params };
  },
  remove: (chat, message, note) => {
    const params = { chat_id: Number(chat), message_id: Number(message), note };
    return { method: 'deleteMessage', params };
  },
};

const DISCORD: MixedPlatform = {
  name: 'discord',
  open: () => opened(createDiscordModel({})),
  account(n) {
    const bot = `${300_000_000_000_000_000n + BigInt(n)}`;
    const token = `${Buffer.from(bot).toString('base64url')}.Gworld.${SECRET}`;
    return { id: `discord:${bot}`, token };
  },
  chat: (n) => `${400_000_000_000_000_000n + BigInt(n)}`,
  isSlow: false,
  send: (chat, content) => ({ method: 'createMessage', params: { channel_id: chat, content } }),
  edit: (chat, message, content) => {
    const params = { channel_id: chat, message_id: message, content };
    return { method: 'editMessage', params };
  },
  remove: (chat, message, note) => {
    return { method: 'deleteMessage', params: { channel_id: chat, message_id: message, note } };
  },
};

const WHATSAPP: MixedPlatform = {
  name: 'whatsapp',
  open() {
    const model = createWhatsappModel({ options: { serviceWindow: 'open' } });
    return { model, poison: (chat) => model.setChat(chat, { kind: 'unlisted' }) };
  },
  account: (n) => ({ id: `whatsapp:${5_000_001 + n}`, token: `${5_000_001 + n}:${SECRET}${n}` }),
  chat: (n) => `${15_550_000_000 + n}`,
  isSlow: true,
  send(chat, body) {
    const to = { messaging_product: 'whatsapp', recipient_type: 'individual', to: chat };
    return { method: 'messages', params: { ...to, type: 'text', text: { body } } };
  },
};

const SLACK: MixedPlatform = {
  name: 'slack',
  open: () => opened(createSlackModel({})),
  account: (n) => ({ id: `slack:1-${7 + n}`, token: `xoxb-1-${7 + n}-${SECRET}` }),
  chat: (n) => `C${100_000 + n}`,
  isSlow: false,
  send: (channel, text) => ({ method: 'chat.postMessage', params: { channel, text } }),
  edit: (channel, ts, text) => ({ method: 'chat.update', params: { channel, ts, text } }),
  remove: (channel, ts, note) => ({ method: 'chat.delete', params: { channel, ts, note } }),
  // A no has the status of a yes.
  statusOf(call) {
    if (call.acceptedAt !== null || call.status !== 200) return call.status;
    return 'error' in call && call.error === 'token_revoked' ? 401 : 400;
  },
};

export const MIXED_PLATFORMS: readonly MixedPlatform[] = [TELEGRAM, DISCORD, WHATSAPP, SLACK];
