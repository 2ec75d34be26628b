// The forms in which a request body can be a stream, by its content type.

import { DataStreamFeed } from './data-stream.ts';
import type { Feed } from './event.ts';
import { EventStreamFeed } from './event-stream.ts';
import { JsonFeed } from './json-feed.ts';
import type { PayloadOptions } from './payloads.ts';
import { PlainFeed } from './plain.ts';
import { plainFeed, unnamedFeed } from './unnamed.ts';

export type { Feed, FeedEvent } from './event.ts';

const HIDDEN: PayloadOptions = { areThoughtsShown: false };

// One for each body.
export interface Feeds {
  // null: no form of a stream. A body without a type shows what it is.
  of(contentType: string | undefined, options: PayloadOptions): Feed | null;
  ofDataStream(options: PayloadOptions): Feed;
}

export const FEEDS: Feeds = {
  of: feedOf,
  ofDataStream: (options) => new DataStreamFeed(options),
};

// null: no form of a stream. A body without a type shows what it is.
export function feedOf(contentType: string | undefined, options = HIDDEN): Feed | null {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  switch (type.trim()) {
    case 'text/event-stream':
      return new EventStreamFeed(options);
    case 'application/x-ndjson':
    case 'application/ndjson':
    case 'application/jsonl':
    case 'application/x-jsonlines':
      return new JsonFeed('lines', options);
    case 'text/plain':
    case 'text/markdown':
      return textFeed(parameters, options);
    case '':
    case 'application/octet-stream':
      return unnamedFeed(options);
    default:
      return null;
  }
}

function textFeed(parameters: readonly string[], options: PayloadOptions): Feed | null {
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/.exec(parameter)?.[1])
    .find((each) => each !== undefined);
  if (charset === undefined || charset === 'utf-8') return plainFeed(options);
  try {
    return new PlainFeed(charset);
  } catch {
    return null;
  }
}
