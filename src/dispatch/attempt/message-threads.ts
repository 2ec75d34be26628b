// In which thread a message of ours stands. A call that changes a message names the chat and not the thread, and yet it
// belongs behind what waits there, and not behind other threads. Kept in memory: of what is forgotten the calls go in
// the lane of the chat, as those of other people's messages do.

import type { Queued } from '../../domain/delivery.ts';
import { THREAD_LANE } from '../../domain/delivery.ts';
import { provisionalId } from '../../domain/ids.ts';

const MESSAGES_MAX = 20_000;
const FORGOTTEN_TOGETHER = 1_000;

type Sent = Pick<Queued, 'seq' | 'account' | 'chat' | 'lane'>;

export class MessageThreads {
  // In order of use: the first is forgotten first.
  readonly #threads = new Map<string, string>();

  // `messageId` null: it has none yet, and goes by its provisional one.
  learn({ seq, account, chat, lane }: Sent, messageId: string | null): void {
    if (!lane.startsWith(THREAD_LANE)) return;
    const thread = lane.slice(THREAD_LANE.length);
    this.#set(keyOf(account, chat, String(provisionalId(seq))), thread);
    if (messageId !== null) this.#set(keyOf(account, chat, messageId), thread);
  }

  of(account: string, chat: string, messageId: string): string | null {
    const key = keyOf(account, chat, messageId);
    const thread = this.#threads.get(key);
    if (thread === undefined) return null;
    this.#set(key, thread);
    return thread;
  }

  #set(key: string, thread: string): void {
    this.#threads.delete(key);
    this.#threads.set(key, thread);
    if (this.#threads.size <= MESSAGES_MAX) return;
    // Many at a time: a map walks over what was deleted from its front.
    let left = FORGOTTEN_TOGETHER;
    for (const oldest of this.#threads.keys()) {
      if (left-- === 0) return;
      this.#threads.delete(oldest);
    }
  }
}

function keyOf(account: string, chat: string, messageId: string): string {
  return `${account}|${chat}|${messageId}`;
}
