// A limit on how many chats are called in a span, however often each of them is: a chat that was called within it costs
// nothing more.

export class DistinctChats {
  // When each was last called; the longest ago first.
  readonly #calledAt = new Map<string, number>();
  // Calls without an answer, by chat.
  readonly #held = new Map<string, number>();

  used(perMs: number, now: number): number {
    this.#forget(now - perMs);
    let unanswered = 0;
    for (const chat of this.#held.keys()) if (!this.#calledAt.has(chat)) unanswered += 1;
    return this.#calledAt.size + unanswered;
  }

  // When a call to the chat may go (null: to one that was not called yet). Infinity: not before a call settles.
  freeAt(
    chat: string | null,
    limit: { readonly count: number; readonly perMs: number },
    now: number,
    heldAt: number,
  ): number {
    const { count, perMs } = limit;
    const leaving = this.used(perMs, now) + 1 - count;
    const isKnown = chat !== null && (this.#calledAt.has(chat) || this.#held.has(chat));
    if (isKnown || leaving <= 0) return now;
    return (this.moment(leaving - 1) ?? heldAt) + perMs;
  }

  // When the n-th was last called; null: there are not so many.
  moment(n: number): number | null {
    let place = 0;
    for (const at of this.#calledAt.values()) if (place++ === n) return at;
    return null;
  }

  hold(chat: string): void {
    this.#held.set(chat, (this.#held.get(chat) ?? 0) + 1);
  }

  giveBack(chat: string): void {
    const left = (this.#held.get(chat) ?? 0) - 1;
    if (left > 0) this.#held.set(chat, left);
    else this.#held.delete(chat);
  }

  enter(chat: string, at: number): void {
    const last = Math.max(at, this.#calledAt.get(chat) ?? at);
    this.#calledAt.delete(chat);
    this.#calledAt.set(chat, last);
  }

  #forget(edge: number): void {
    for (const [chat, at] of this.#calledAt) {
      if (at > edge) return;
      this.#calledAt.delete(chat);
    }
  }
}
