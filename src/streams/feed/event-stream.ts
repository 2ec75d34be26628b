// A body of server-sent events. The library knows the fields of the standard and puts events together; bytes become
// lines here, because it bounds what it keeps but not how long a line may be that it skips. `id` and `retry` are for
// readers that come back; nobody comes back here.

import { createParser, type EventSourceParser, type ParseError } from 'eventsource-parser';
import { FEED_BOUNDS, type Feed, type FeedBounds, type FeedEvent } from './event.ts';
import { LineSplitter } from './lines.ts';
import { type PayloadOptions, Payloads } from './payloads.ts';

export class EventStreamFeed implements Feed {
  readonly #lines: LineSplitter;
  readonly #parser: EventSourceParser;
  readonly #payloads: Payloads;
  readonly #bounds: FeedBounds;
  // Of an event that has no data yet. Without any, the library drops it; some producers end so.
  #bareName: string | null = null;
  // What comes now has no empty line after it.
  #isOver = false;
  // By the lines that are being read.
  #emitted: FeedEvent[] = [];

  constructor(options: PayloadOptions, bounds: FeedBounds = FEED_BOUNDS) {
    this.#bounds = bounds;
    this.#payloads = new Payloads(options);
    this.#lines = new LineSplitter(bounds.lineUnitsMax);
    this.#parser = createParser({
      maxBufferSize: bounds.eventUnitsMax,
      onEvent: ({ data, event }) =>
        this.#emit(this.#payloads.read(data, event ?? null, this.#isOver)),
      onError: (error) => this.#fail(error),
    });
  }

  get broken(): number {
    return this.#payloads.broken;
  }

  push(chunk: Uint8Array): FeedEvent[] {
    if (this.#payloads.isEnded) return [];
    const events = this.#read(this.#lines.push(chunk));
    if (!this.#lines.isTooLong) return events;
    const detail = `a line is longer than ${this.#bounds.lineUnitsMax} characters`;
    return [...events, ...this.#payloads.fail(detail)];
  }

  // The standard drops an event without its empty line, as it may be half of one. Here a half cannot be taken for a
  // whole, as it is not JSON; and servers that forget the last empty line would lose their last words.
  end(): FeedEvent[] {
    this.#isOver = true;
    const events = this.#read([...this.#lines.end(), '']);
    return [...events, ...this.#payloads.end()];
  }

  #read(lines: readonly string[]): FeedEvent[] {
    this.#emitted = [];
    for (const line of lines) {
      // A parser that reached its bound takes no more.
      if (this.#payloads.isEnded) break;
      this.#parser.feed(`${line}\n`);
      this.#see(line);
    }
    return this.#emitted;
  }

  #see(line: string): void {
    const name = /^event: ?(.*)$/.exec(line)?.[1];
    if (name !== undefined) this.#bareName = name;
    if (line.startsWith('data')) this.#bareName = null;
    if (line !== '' || this.#bareName === null) return;
    this.#emit(this.#payloads.read('', this.#bareName));
    this.#bareName = null;
  }

  #emit(events: readonly FeedEvent[]): void {
    this.#emitted.push(...events);
  }

  // Fields that the standard does not know are no fault.
  #fail({ type }: ParseError): void {
    if (type !== 'max-buffer-size-exceeded') return;
    const detail = `an event is longer than ${this.#bounds.eventUnitsMax} characters`;
    this.#emit(this.#payloads.fail(detail));
  }
}
