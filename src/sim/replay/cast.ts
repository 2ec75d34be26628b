// Who is who in a replay: an account, a chat, a lane and a message for every pseudonym of the recording, so that the
// simulated platform tells groups from people as the real one does.

import type { AccountId } from '../../domain/ids.ts';
import type { RecordedDelivery } from '../../domain/recording.ts';
import type { TelegramModel } from '../telegram/model.ts';
import type { WorldMessage } from '../world/engine.ts';

// As the replayed platform calls the budget of answers.
const REPLY = 'reply';
const FIRST_BOT = 1001;
const FIRST_PERSON = 50_001;
const FIRST_GROUP = 1_000_000_001;
const FIRST_THREAD = 2;
// Messages that will be edited are made so far apart that no window of the platform holds two of a chat.
const MADE_EVERY_MS = 4_000;
// The platform's bound; what was longer went as several.
const TEXT_MAX = 4_000;
// As they stand around a text in a body of JSON.
const BODY_BYTES = 40;

interface Account {
  readonly id: AccountId;
  readonly token: string;
}

export class Cast {
  readonly #model: TelegramModel;
  readonly #accounts = new Map<string, Account>();
  readonly #chats = new Map<string, string>();
  readonly #threads = new Map<string, string>();
  // Of each message that is changed, its number in its chat.
  readonly #messages = new Map<string, number>();
  #texts = 0;

  constructor(deliveries: readonly RecordedDelivery[], model: TelegramModel, since: number) {
    this.#model = model;
    const changed = new Map<string, RecordedDelivery>();
    for (const delivery of deliveries) {
      this.#accountOf(delivery.account);
      if (delivery.family !== 'send') changed.set(messageKeyOf(delivery), delivery);
    }
    let at = since - changed.size * MADE_EVERY_MS;
    for (const [key, delivery] of changed) {
      this.#messages.set(key, this.#make(delivery, at));
      at += MADE_EVERY_MS;
    }
  }

  get accounts(): readonly Account[] {
    return [...this.#accounts.values()];
  }

  messageOf(delivery: RecordedDelivery, since: number): WorldMessage {
    const { priority, live, final, budget, slot, family, notBefore, expiresAt } = delivery;
    const { id: account, token } = this.#accountOf(delivery.account);
    const chat = this.#chatOf(delivery);
    const thread = this.#threadOf(delivery);
    const { method, params } = this.#callOf(delivery, chat);
    return {
      ...{ account, token, chat, thread, method, params, priority, live, final },
      isReply: budget === REPLY,
      // Of calls that change a message the platform's own rule says it.
      ...(family === 'send' ? { slot } : {}),
      notBefore: notBefore === 0 ? 0 : since + notBefore,
      expiresAt: expiresAt === 0 ? 0 : since + expiresAt,
    };
  }

  #callOf(delivery: RecordedDelivery, chat: string) {
    const { family, cost, bytes } = delivery;
    const message = { chat_id: chat, message_id: this.#messages.get(messageKeyOf(delivery)) ?? 1 };
    switch (family) {
      case 'edit':
        return { method: 'editMessageText', params: { ...message, text: this.#text(bytes) } };
      case 'delete':
        return { method: 'deleteMessage', params: message };
      case 'reaction':
        return { method: 'setMessageReaction', params: { ...message, reaction: [] } };
      default:
        return cost > 1
          ? { method: 'sendMediaGroup', params: { chat_id: chat, media: this.#album(cost) } }
          : { method: 'sendMessage', params: { chat_id: chat, text: this.#text(bytes) } };
    }
  }

  // Each is another one: what changes nothing would not be sent.
  #text(bytes: number): string {
    this.#texts += 1;
    return `#${this.#texts} `.padEnd(Math.min(TEXT_MAX, bytes - BODY_BYTES), 'x');
  }

  #album(cost: number) {
    return Array.from({ length: cost }, (_, i) => {
      return { type: 'photo', media: `https://example.com/${i}`, caption: this.#text(0) };
    });
  }

  #make(delivery: RecordedDelivery, at: number): number {
    const { token } = this.#accountOf(delivery.account);
    const params = { chat_id: this.#chatOf(delivery), text: this.#text(0) };
    return this.#model.call(token, 'sendMessage', params, at).call.messageIds[0] ?? 1;
  }

  #accountOf(pseudonym: string): Account {
    return remembered(this.#accounts, pseudonym, (n) => {
      return { id: `telegram:${FIRST_BOT + n}`, token: `${FIRST_BOT + n}:simulated` };
    });
  }

  #chatOf({ account, chat }: RecordedDelivery): string {
    return remembered(this.#chats, `${account} ${chat}`, (n) =>
      chat.startsWith('-') ? `-100${FIRST_GROUP + n}` : String(FIRST_PERSON + n),
    );
  }

  #threadOf({ account, chat, lane }: RecordedDelivery): string | null {
    if (lane === '') return null;
    return remembered(this.#threads, `${account} ${chat} ${lane}`, (n) => `${FIRST_THREAD + n}`);
  }
}

function messageKeyOf({ account, chat, slot, lane }: RecordedDelivery): string {
  return `${account} ${chat} ${slot ?? lane}`;
}

function remembered<T>(known: Map<string, T>, key: string, make: (n: number) => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make(known.size);
  known.set(key, made);
  return made;
}
