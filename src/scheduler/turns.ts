// Whose turn is it among the chats of one class? Two rings take turns: all chats in order, and those with a long way
// to go. A chat that has far more waiting than others is bound by its own pace: served only in order with all others
// it would still be sending, alone, long after they are done. Every chat keeps at least half of its fair share.

import type { Chat } from './chat.ts';
import { leaveRing, Ring } from './collections.ts';

export class FairRings {
  readonly #all = new Ring<Chat>();
  readonly #long = new Ring<Chat>();
  #longIsNext = false;

  place(chat: Chat, isLong: boolean): void {
    const ring = isLong ? this.#long : this.#all;
    if (chat.ring === (ring as unknown)) return;
    leaveRing(chat);
    ring.push(chat);
  }

  next(): Chat | null {
    const [first, second] = this.#longIsNext ? [this.#long, this.#all] : [this.#all, this.#long];
    return first.turn() ?? second.turn();
  }

  // Before the chat leaves its ring.
  served(chat: Chat): void {
    if (chat.ring === (this.#long as unknown)) this.#longIsNext = false;
    else if (chat.ring === (this.#all as unknown)) this.#longIsNext = true;
  }
}
