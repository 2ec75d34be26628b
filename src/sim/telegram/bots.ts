// One bot as the simulated Telegram knows it: its chats, its budget, its updates. Bounded: the chat that
// was silent longest is forgotten when there are too many, and so is the oldest update.

import { kindOf, type SaidOfChats, type SimChat } from './chats.ts';
import { BotFlood, ChatFlood } from './flood.ts';
import type { SimTelegramOptions } from './options.ts';

const CHATS_PER_BOT_MAX = 200_000;
const UPDATES_PER_BOT_MAX = 10_000;

export interface Update {
  readonly update_id: number;
  readonly [field: string]: unknown;
}

export class Bot {
  readonly id: string;
  readonly flood: BotFlood;
  readonly #options: SimTelegramOptions;
  readonly #chats = new Map<string, SimChat>();
  #updates: Update[] = [];
  #lastUpdateId = 0;
  // Ends of calls that are held now.
  #held: number[] = [];
  webhookUrl = '';
  webhookSetAt = Number.NEGATIVE_INFINITY;

  constructor(id: string, options: SimTelegramOptions) {
    this.id = id;
    this.flood = new BotFlood(options);
    this.#options = options;
  }

  get view(): Record<string, unknown> {
    const id = Number(this.id);
    return { id, is_bot: true, first_name: `Bot ${this.id}`, username: `sim${this.id}_bot` };
  }

  // `id` may be another person's view of `named`, which is what its kind is read from.
  chat(id: string, said: SaidOfChats, named = id): SimChat {
    let chat = this.#chats.get(id);
    if (chat === undefined) {
      if (this.#chats.size >= CHATS_PER_BOT_MAX) this.#forgetSome();
      const kind = kindOf(named, said);
      const isForum = kind === 'supergroup' && !said.plain.has(named);
      const flood = new ChatFlood(this.#options, this.flood, kind === 'private');
      chat = { id, kind, isForum, flood, lastMessageId: 0, wroteAt: Number.NEGATIVE_INFINITY };
      this.#chats.set(id, chat);
    }
    return chat;
  }

  // In steps of a tenth, because finding the oldest of a map is only cheap in bulk.
  #forgetSome(): void {
    let left = CHATS_PER_BOT_MAX / 10;
    for (const id of this.#chats.keys()) {
      if (left-- === 0) break;
      this.#chats.delete(id);
    }
  }

  hold(until: number): void {
    this.#held.push(until);
  }

  heldAt(now: number): number {
    if (this.#held.length > 0) this.#held = this.#held.filter((until) => until > now);
    return this.#held.length;
  }

  addUpdate(content: Readonly<Record<string, unknown>>): Update {
    const update: Update = { update_id: ++this.#lastUpdateId, ...content };
    this.#updates.push(update);
    if (this.#updates.length > UPDATES_PER_BOT_MAX) this.#updates.shift();
    return update;
  }

  // Asking from an offset confirms everything before it; a negative one counts from the end.
  updatesFrom(offset: number, limit: number): readonly Update[] {
    if (offset < 0) this.#updates = this.#updates.slice(offset);
    else if (offset > 0) this.#updates = this.#updates.filter((u) => u.update_id >= offset);
    return this.#updates.slice(0, limit);
  }
}
