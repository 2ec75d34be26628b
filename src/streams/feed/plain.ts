// A body that is the text itself. What is not valid in its encoding becomes U+FFFD.

import type { Feed, FeedEvent } from './event.ts';

export class PlainFeed implements Feed {
  readonly broken = 0;
  readonly #decoder;

  // Throws a RangeError for an encoding that nobody knows.
  constructor(encoding = 'utf-8') {
    this.#decoder = new TextDecoder(encoding);
  }

  push(chunk: Uint8Array): FeedEvent[] {
    return textEvents(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): FeedEvent[] {
    return [...textEvents(this.#decoder.decode()), { kind: 'done' }];
  }
}

function textEvents(text: string): FeedEvent[] {
  return text === '' ? [] : [{ kind: 'text', text }];
}
