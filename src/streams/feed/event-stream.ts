// A body of server-sent events, read by the rules of the HTML standard: fields per line, an empty line ends an event,
// lines that begin with a colon are comments. `id` and `retry` are for readers that come back; nobody comes back here.

import { FEED_BOUNDS, type Feed, type FeedBounds, type FeedEvent } from './event.ts';
import { Lines } from './lines.ts';
import { Payloads } from './payloads.ts';

export class EventStreamFeed implements Feed {
  readonly #lines: Lines;
  readonly #payloads = new Payloads();
  readonly #bounds: FeedBounds;
  #name: string | null = null;
  #data: string[] = [];
  #units = 0;

  constructor(bounds: FeedBounds = FEED_BOUNDS) {
    this.#bounds = bounds;
    this.#lines = new Lines(bounds.lineUnitsMax);
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

  // The standard drops an event without its empty line, as it may be half of one. Here a half cannot be taken for a
  // whole, as it is not JSON; and servers that forget the last empty line would lose their last words.
  end(): FeedEvent[] {
    const events = this.#lines.end().flatMap((line) => this.#read(line));
    return [...events, ...this.#dispatch(), ...this.#payloads.end()];
  }

  #read(line: string): FeedEvent[] {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#name = value;
    if (field === 'data') {
      this.#data.push(value);
      this.#units += value.length + 1;
    }
    if (this.#units <= this.#bounds.eventUnitsMax) return [];
    return this.#payloads.fail(`an event is longer than ${this.#bounds.eventUnitsMax} characters`);
  }

  #dispatch(): FeedEvent[] {
    const events = this.#payloads.read(this.#data.join('\n'), this.#name);
    this.#name = null;
    this.#data = [];
    this.#units = 0;
    return events;
  }
}
