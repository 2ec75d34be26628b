// Producers that number their messages: pieces of one message, and often the whole of it again. Each message is a
// paragraph of its own, and nothing is shown twice.

import type { ShapeEvent } from './shape-port.ts';

export class MessageTexts {
  readonly #shown = new Map<string, string>();
  #last: string | null = null;

  piece(id: string, text: unknown): ShapeEvent[] {
    if (typeof text !== 'string' || text === '') return [];
    const isAnother = this.#last !== null && this.#last !== id;
    this.#last = id;
    this.#shown.set(id, (this.#shown.get(id) ?? '') + text);
    const piece: ShapeEvent = { kind: 'text', text };
    return isAnother ? [{ kind: 'break' }, piece] : [piece];
  }

  // All of a message so far. What is shown of it stays: only what follows is new, and nothing where it was changed or
  // another message has begun.
  whole(id: string, text: unknown): ShapeEvent[] {
    if (typeof text !== 'string') return [];
    const shown = this.#shown.get(id);
    if (shown === undefined) return this.piece(id, text);
    const isContinued = id === this.#last && text.startsWith(shown);
    return isContinued ? this.piece(id, text.slice(shown.length)) : [];
  }
}
