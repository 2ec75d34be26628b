// The messages the simulated Discord remembers, over all channels: the newest MESSAGES_MAX.

export interface SimDiscordMessage {
  readonly bot: string;
  readonly chat: string;
  readonly thread: null;
  readonly id: string;
  // Seconds since the epoch.
  readonly date: number;
  readonly fromBot: boolean;
  // 0: a message, 19: an answer to one; others are notes of the platform (7: somebody has joined).
  readonly type: number;
  text: string;
  isDeleted: boolean;
  editedAt: number | null;
  readonly nonce: string | number | null;
  readonly webhook: string | null;
  // The rest of what it was made of.
  parts: Readonly<Record<string, unknown>>;
  // Emoji by who put them there.
  readonly reactions: Map<string, Set<string>>;
}

export const MESSAGES_MAX = 200_000;

export class DiscordMessages {
  readonly #byId = new Map<string, SimDiscordMessage>();
  readonly #byChat = new Map<string, Set<SimDiscordMessage>>();

  add(message: SimDiscordMessage): void {
    this.#byId.set(message.id, message);
    const own = this.#byChat.get(message.chat) ?? new Set();
    this.#byChat.set(message.chat, own.add(message));
    if (this.#byId.size <= MESSAGES_MAX) return;
    for (const oldest of this.#byId.values()) {
      this.#byId.delete(oldest.id);
      this.#byChat.get(oldest.chat)?.delete(oldest);
      return;
    }
  }

  // null: there is none, or not any more.
  get(chat: string, id: string): SimDiscordMessage | null {
    const message = this.#byId.get(id);
    return message === undefined || message.chat !== chat || message.isDeleted ? null : message;
  }

  ofChat(chat: string): SimDiscordMessage[] {
    return [...(this.#byChat.get(chat) ?? [])];
  }

  newestByChat(max: number): SimDiscordMessage[] {
    const newest = new Map<string, SimDiscordMessage>();
    for (const message of this.#byId.values()) {
      const key = `${message.bot}/${message.chat}`;
      newest.delete(key);
      newest.set(key, message);
    }
    return [...newest.values()].slice(-max).reverse();
  }
}

// As the API shows it.
export function viewOf(message: SimDiscordMessage): object {
  const { id, type, chat, bot, date, text, editedAt, nonce, webhook, parts, fromBot, reactions } =
    message;
  return {
    id,
    type,
    channel_id: chat,
    author: {
      id: bot,
      username: fromBot ? 'sim_bot' : 'someone',
      discriminator: '0',
      avatar: null,
      bot: fromBot,
    },
    content: text,
    timestamp: new Date(date * 1000).toISOString(),
    edited_timestamp: editedAt === null ? null : new Date(editedAt).toISOString(),
    tts: false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    attachments: [],
    embeds: [],
    pinned: false,
    ...parts,
    ...(nonce === null ? {} : { nonce }),
    ...(webhook === null ? {} : { webhook_id: webhook }),
    ...(reactions.size === 0 ? {} : { reactions: reactionsOf(reactions) }),
  };
}

function reactionsOf(reactions: ReadonlyMap<string, ReadonlySet<string>>): object[] {
  return [...reactions].map(([name, by]) => ({ emoji: { id: null, name }, count: by.size }));
}
