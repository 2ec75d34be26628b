// A body that does not say what it is, as `curl -T -` sends it: its first lines tell. Server-sent events come to data
// in JSON after nothing but fields and comments, JSON lines begin with an object, an array with its first, a data
// stream with a code and a value; all else is text.

import { DATA_STREAM, DATA_STREAM_HEAD, DataStreamFeed, HALF_DATA_STREAM } from './data-stream.ts';
import type { Feed, FeedEvent } from './event.ts';
import { EventStreamFeed } from './event-stream.ts';
import { JsonFeed } from './json-feed.ts';
import type { PayloadOptions } from './payloads.ts';
import { PlainFeed } from './plain.ts';

// Lines that may stand before the first data of server-sent events.
// One producer has a field of its own there.
const BEFORE_DATA = /^(:.*|message:|(event|id|retry): ?\S*)?$/;
// What providers send as data: JSON, or their word for the end. Half of it may be all there is yet.
const DATA = /^data: ?([{["]|$)/;
// The one producer whose data is a text names it before.
const OUTPUT = 'event: output';
const DATA_OF_OUTPUT = /^data:/;
const VALUES = /^(?:\{[ \t]*[\r\n]\s*"|\[\s*\{\s*")/;
const LINES = /^\{\s*"/;
const HALF = /^(?:\{\s*|\[\s*(?:\{\s*)?)?$/;
const LINE_END = /\r\n|\n|\r/;
// With more than this before it can be told, it is text.
const HEAD_BYTES_MAX = 4096;

// What a body is, by its beginning; null: it cannot be told yet. `isAll`: no more of it will be looked at.
type Recognise = (head: string, isAll: boolean) => Feed | null;

export function unnamedFeed(options: PayloadOptions): Feed {
  return new HeadedFeed((head, isAll) => feedOfHead(head, isAll, options));
}

// A body that is called plain text is that, but for one protocol that is called so by its own library.
export function plainFeed(options: PayloadOptions): Feed {
  return new HeadedFeed((head, isAll) => {
    if (head.startsWith(DATA_STREAM_HEAD)) return new DataStreamFeed(options);
    return !isAll && DATA_STREAM_HEAD.startsWith(head) ? null : new PlainFeed();
  });
}

class HeadedFeed implements Feed {
  readonly #recognise: Recognise;
  #feed: Feed | null = null;
  #head: Uint8Array[] = [];
  #bytes = 0;

  constructor(recognise: Recognise) {
    this.#recognise = recognise;
  }

  get broken(): number {
    return this.#feed?.broken ?? 0;
  }

  push(chunk: Uint8Array): FeedEvent[] {
    if (this.#feed !== null) return this.#feed.push(chunk);
    // A copy: whoever gave it may use it again.
    this.#head.push(Uint8Array.from(chunk));
    this.#bytes += chunk.length;
    const feed = this.#recognise(this.#text(), this.#bytes >= HEAD_BYTES_MAX);
    return feed === null ? [] : this.#start(feed);
  }

  end(): FeedEvent[] {
    if (this.#feed !== null) return this.#feed.end();
    const events = this.#start(this.#recognise(this.#text(), true)!);
    return [...events, ...this.#feed!.end()];
  }

  #text(): string {
    // Without half of a character at its end.
    const decoder = new TextDecoder();
    return decoder.decode(Buffer.concat(this.#head), { stream: true }).trimStart();
  }

  #start(feed: Feed): FeedEvent[] {
    const head = Buffer.concat(this.#head);
    this.#feed = feed;
    this.#head = [];
    return feed.push(head);
  }
}

// null: it cannot be told yet.
function feedOfHead(head: string, isAll: boolean, options: PayloadOptions): Feed | null {
  // One value after the other if the first has lines of its own, or is in an array.
  if (VALUES.test(head)) return new JsonFeed('values', options);
  if (LINES.test(head)) return new JsonFeed('lines', options);
  if (DATA_STREAM.test(head)) return new DataStreamFeed(options);
  if (HALF.test(head) || HALF_DATA_STREAM.test(head)) return orText(isAll);
  const lines = head.split(LINE_END);
  const last = lines.length - 1;
  for (const [i, line] of lines.entries()) {
    if (isData(lines, i))
      return line.length > 'data: '.length ? new EventStreamFeed(options) : orText(isAll);
    if (i === last && mayBecome(line)) return orText(isAll);
    if (!BEFORE_DATA.test(line)) return new PlainFeed();
  }
  return orText(isAll);
}

function isData(lines: readonly string[], at: number): boolean {
  return (
    DATA.test(lines[at]!) ||
    (DATA_OF_OUTPUT.test(lines[at]!) && lines.slice(0, at).includes(OUTPUT))
  );
}

function orText(isAll: boolean): Feed | null {
  return isAll ? new PlainFeed() : null;
}

function mayBecome(line: string): boolean {
  return (
    BEFORE_DATA.test(line) ||
    ['data: ', 'event:', 'id:', 'retry:', 'message:'].some((f) => f.startsWith(line))
  );
}
