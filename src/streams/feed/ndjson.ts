// A body of one JSON value per line.

import { FEED_BOUNDS, type Feed, type FeedBounds, type FeedEvent } from './event.ts';
import { LineSplitter } from './lines.ts';
import { Payloads } from './payloads.ts';

export class NdjsonFeed implements Feed {
  readonly #lines: LineSplitter;
  readonly #payloads = new Payloads();
  readonly #bounds: FeedBounds;

  constructor(bounds: FeedBounds = FEED_BOUNDS) {
    this.#bounds = bounds;
    this.#lines = new LineSplitter(bounds.lineUnitsMax);
  }

  get broken(): number {
    return this.#payloads.broken;
  }

  push(chunk: Uint8Array): FeedEvent[] {
    if (this.#payloads.isEnded) return [];
    const events = this.#lines.push(chunk).flatMap((line) => this.#payloads.read(line));
    if (!this.#lines.isTooLong) return events;
    const detail = `a line is longer than ${this.#bounds.lineUnitsMax} characters`;
    return [...events, ...this.#payloads.fail(detail)];
  }

  end(): FeedEvent[] {
    const events = this.#lines.end().flatMap((line) => this.#payloads.read(line));
    return [...events, ...this.#payloads.end()];
  }
}
