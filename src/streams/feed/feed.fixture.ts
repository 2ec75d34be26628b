// A feed, fed in pieces, and what came of it.

import type { Feed, FeedEvent } from './feed.ts';

export function fed(feed: Feed, chunks: readonly Uint8Array[]): FeedEvent[] {
  return [...chunks.flatMap((chunk) => feed.push(chunk)), ...feed.end()];
}

// The text, and how it ended.
export function sum(events: readonly FeedEvent[]): { text: string; end: FeedEvent } {
  let all = '';
  for (const event of events) {
    if (event.kind === 'text') all += event.text;
    if (event.kind === 'replace') all = event.text;
  }
  return { text: all, end: events.at(-1)! };
}
