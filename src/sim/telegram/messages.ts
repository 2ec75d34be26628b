// The messages the simulated Telegram remembers, over all bots and chats: the newest MESSAGES_MAX.
// A message that was forgotten still exists as far as edits and replies can tell; only its content is unknown.

import type { SimEntity } from './markup/entities.ts';

export interface StoredMessage {
  readonly bot: string;
  readonly chat: string;
  readonly thread: string | null;
  readonly id: number;
  // Seconds since the epoch, as Telegram tells it.
  readonly date: number;
  readonly fromBot: boolean;
  text: string;
  entities: readonly SimEntity[];
  // What a no-op edit is compared with: text, media and buttons.
  content: string;
  isDeleted: boolean;
}

export const MESSAGES_MAX = 200_000;

export class Messages {
  readonly #byKey = new Map<string, StoredMessage>();
  // Keys in order of arrival, as a ring: the place of the next is the place of the oldest.
  readonly #ring: string[] = [];
  #next = 0;

  add(message: StoredMessage): void {
    const key = keyOf(message.bot, message.chat, message.id);
    const oldest = this.#ring[this.#next];
    if (oldest !== undefined) this.#byKey.delete(oldest);
    this.#ring[this.#next] = key;
    this.#next = (this.#next + 1) % MESSAGES_MAX;
    this.#byKey.set(key, message);
  }

  get(bot: string, chat: string, id: number): StoredMessage | null {
    return this.#byKey.get(keyOf(bot, chat, id)) ?? null;
  }

  // Of one chat (of all bots), oldest first.
  ofChat(chat: string): StoredMessage[] {
    return [...this.#byKey.values()].filter((m) => m.chat === chat);
  }

  // The newest message of each chat of each bot, the newest first.
  newestByChat(max: number): StoredMessage[] {
    const newest = new Map<string, StoredMessage>();
    for (const message of this.#byKey.values()) {
      const key = `${message.bot}/${message.chat}`;
      // Put anew, so that the map is in the order of the last message.
      newest.delete(key);
      newest.set(key, message);
    }
    return [...newest.values()].slice(-max).reverse();
  }
}

function keyOf(bot: string, chat: string, id: number): string {
  return `${bot}/${chat}/${id}`;
}
