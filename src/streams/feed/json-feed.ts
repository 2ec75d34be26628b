// A body of JSON: a value per line, or values over several lines, one after the other or in one array.

import { FEED_BOUNDS, type Feed, type FeedBounds, type FeedEvent } from './event.ts';
import { JsonSplitter } from './json-values.ts';
import { LineSplitter } from './lines.ts';
import { type PayloadOptions, Payloads } from './payloads.ts';

interface Splitter {
  readonly isTooLong: boolean;
  push(chunk: Uint8Array): string[];
  end(): string[];
}

export class JsonFeed implements Feed {
  readonly #splitter: Splitter;
  readonly #payloads: Payloads;
  readonly #bounds: FeedBounds;

  // By lines, one that is broken does not spoil the next.
  constructor(by: 'lines' | 'values', options: PayloadOptions, bounds: FeedBounds = FEED_BOUNDS) {
    this.#bounds = bounds;
    this.#payloads = new Payloads(options);
    const { lineUnitsMax } = bounds;
    this.#splitter =
      by === 'lines' ? new LineSplitter(lineUnitsMax) : new JsonSplitter(lineUnitsMax);
  }

  get broken(): number {
    return this.#payloads.broken;
  }

  push(chunk: Uint8Array): FeedEvent[] {
    if (this.#payloads.isEnded) return [];
    const events = this.#splitter.push(chunk).flatMap((value) => this.#payloads.read(value));
    if (!this.#splitter.isTooLong) return events;
    const detail = `a line is longer than ${this.#bounds.lineUnitsMax} characters`;
    return [...events, ...this.#payloads.fail(detail)];
  }

  end(): FeedEvent[] {
    const events = this.#splitter.end().flatMap((value) => this.#payloads.read(value));
    return [...events, ...this.#payloads.end()];
  }
}
