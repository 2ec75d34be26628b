// A body that does not say what it is, as `curl -T -` sends it: its first characters tell. Server-sent events begin
// with a field or a comment, JSON lines with an object; all else is text.

import type { Feed, FeedEvent } from './event.ts';
import { EventStreamFeed } from './event-stream.ts';
import { NdjsonFeed } from './ndjson.ts';
import { PlainFeed } from './plain.ts';

const FIELDS = ['data:', 'event:', 'id:', 'retry:', ':'];
// White space before the first character; with more of it, it is text.
const HEAD_BYTES_MAX = 64;

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
  if (FIELDS.some((field) => head.startsWith(field))) return new EventStreamFeed();
  if (/^\{\s*"/.test(head)) return new NdjsonFeed();
  const mayBecome = FIELDS.some((field) => field.startsWith(head)) || /^\{\s*$/.test(head);
  return mayBecome && !isAll ? null : new PlainFeed();
}
