// A body that does not say what it is, as `curl -T -` sends it: its first lines tell. Server-sent events come to data
// in JSON after nothing but fields and comments, JSON lines begin with an object; all else is text.

import type { Feed, FeedEvent } from './event.ts';
import { EventStreamFeed } from './event-stream.ts';
import { NdjsonFeed } from './ndjson.ts';
import { PlainFeed } from './plain.ts';

// Lines that may stand before the first data of server-sent events.
const BEFORE_DATA = /^(:.*|(event|id|retry): ?\S*)?$/;
// What providers send as data: JSON, or their word for the end. Half of it may be all there is yet.
const DATA = /^data: ?([{["]|$)/;
const LINE_END = /\r\n|\n|\r/;
// With more than this before it can be told, it is text.
const HEAD_BYTES_MAX = 4096;

export class UnnamedFeed implements Feed {
  #feed: Feed | null = null;
  #head: Uint8Array[] = [];
  #bytes = 0;

  get broken(): number {
    return this.#feed?.broken ?? 0;
  }

  push(chunk: Uint8Array): FeedEvent[] {
    if (this.#feed !== null) return this.#feed.push(chunk);
    // A copy: whoever gave it may use it again.
    this.#head.push(Uint8Array.from(chunk));
    this.#bytes += chunk.length;
    const feed = feedOfHead(this.#text(), this.#bytes >= HEAD_BYTES_MAX);
    return feed === null ? [] : this.#start(feed);
  }

  end(): FeedEvent[] {
    const events = this.#feed === null ? this.#start(feedOfHead(this.#text(), true)!) : [];
    return [...events, ...this.#feed!.end()];
  }

  #text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#head)).trimStart();
  }

  #start(feed: Feed): FeedEvent[] {
    const head = Buffer.concat(this.#head);
    this.#feed = feed;
    this.#head = [];
    return feed.push(head);
  }
}

// null: it cannot be told yet.
function feedOfHead(head: string, isAll: boolean): Feed | null {
  if (/^\{\s*"/.test(head)) return new NdjsonFeed();
  if (/^\{?\s*$/.test(head)) return isAll ? new PlainFeed() : null;
  const lines = head.split(LINE_END);
  const last = lines.length - 1;
  for (const [i, line] of lines.entries()) {
    if (DATA.test(line))
      return line.length > 'data: '.length ? new EventStreamFeed() : orText(isAll);
    if (i === last && mayBecome(line)) return orText(isAll);
    if (!BEFORE_DATA.test(line)) return new PlainFeed();
  }
  return orText(isAll);
}

function orText(isAll: boolean): Feed | null {
  return isAll ? new PlainFeed() : null;
}

function mayBecome(line: string): boolean {
  return (
    BEFORE_DATA.test(line) || ['data: ', 'event:', 'id:', 'retry:'].some((f) => f.startsWith(line))
  );
}
