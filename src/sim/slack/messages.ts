// The messages the simulated Slack remembers, over all channels: the newest MESSAGES_MAX. Each is known by its time,
// which is its own within the workspace.

import type { SimMessage } from '../model.ts';

export interface SimSlackMessage extends SimMessage {
  readonly id: string;
  text: string;
  isDeleted: boolean;
  // More may be appended to it.
  isStreaming: boolean;
  readonly reactions: Set<string>;
}

const MESSAGES_MAX = 200_000;

export class SlackMessages {
  readonly #byId = new Map<string, SimSlackMessage>();
  #last = 0;

  // Microseconds, none twice.
  nextTs(now: number): string {
    this.#last = Math.max(this.#last + 1, Math.floor(now) * 1000);
    const digits = String(this.#last).padStart(7, '0');
    return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  }

  add(message: SimSlackMessage): void {
    this.#byId.set(message.id, message);
    if (this.#byId.size <= MESSAGES_MAX) return;
    for (const oldest of this.#byId.keys()) {
      this.#byId.delete(oldest);
      return;
    }
  }

  // null: there is none, or not any more.
  get(chat: string, id: string): SimSlackMessage | null {
    const message = this.#byId.get(id);
    return message === undefined || message.chat !== chat || message.isDeleted ? null : message;
  }

  ofChat(chat: string): SimSlackMessage[] {
    return [...this.#byId.values()].filter((message) => message.chat === chat);
  }

  shown(chat: string): SimSlackMessage[] {
    return this.ofChat(chat).filter(({ isDeleted }) => !isDeleted);
  }

  newestByChat(max: number): SimSlackMessage[] {
    const newest = new Map<string, SimSlackMessage>();
    for (const message of this.#byId.values()) {
      const key = `${message.bot} ${message.chat}`;
      newest.delete(key);
      newest.set(key, message);
    }
    return [...newest.values()].slice(-max).reverse();
  }
}
