// A body in the data stream protocol of the AI SDK 4: a code, a colon and a JSON value per line.

import { FEED_BOUNDS, type Feed, type FeedBounds, type FeedEvent } from './event.ts';
import { LineSplitter } from './lines.ts';
import { type PayloadOptions, Payloads } from './payloads.ts';
import { PART } from './shapes/ai-sdk.ts';

// How such a body begins: a step, a text, data, annotations, a call, a thought, an error.
export const DATA_STREAM = /^(?:[f9]:\{"|[0g3]:"|[28]:\[)/;
// What no text begins with by chance.
export const DATA_STREAM_HEAD = 'f:{"messageId":"';
export const HALF_DATA_STREAM = /^[f9]:?\{?$|^[0g328]:?$/;

export class DataStreamFeed implements Feed {
  readonly #lines: LineSplitter;
  readonly #payloads: Payloads;
  readonly #bounds: FeedBounds;

  constructor(options: PayloadOptions, bounds: FeedBounds = FEED_BOUNDS) {
    this.#bounds = bounds;
    this.#lines = new LineSplitter(bounds.lineUnitsMax);
    this.#payloads = new Payloads(options);
  }

  get broken(): number {
    return this.#payloads.broken;
  }

  push(chunk: Uint8Array): FeedEvent[] {
    if (this.#payloads.isEnded) return [];
    const events = this.#lines.push(chunk).flatMap((line) => this.#read(line));
    if (!this.#lines.isTooLong) return events;
    const detail = `a line is longer than ${this.#bounds.lineUnitsMax} characters`;
    return [...events, ...this.#payloads.fail(detail)];
  }

  end(): FeedEvent[] {
    return [...this.#lines.end().flatMap((line) => this.#read(line)), ...this.#payloads.end()];
  }

  #read(line: string): FeedEvent[] {
    if (line.trim() === '') return [];
    const isPart = line[1] === ':';
    return isPart ? this.#payloads.read(line.slice(2), PART + line[0]) : this.#payloads.read(line);
  }
}
