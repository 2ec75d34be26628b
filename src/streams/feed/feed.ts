// The forms in which a request body can be a stream, by its content type.

import { DataStreamFeed } from './data-stream.ts';
import type { Feed } from './event.ts';
import { EventStreamFeed } from './event-stream.ts';
import { JsonFeed } from './json-feed.ts';
import type { PayloadOptions } from './payloads.ts';
import { PlainFeed } from './plain.ts';
import { plainFeed, unnamedFeed } from './unnamed.ts';

export type { Feed, FeedEvent } from './event.ts';

// The first name of each form is the one to show to people.
export const FEED_TYPES = ['text/plain', 'application/x-ndjson', 'text/event-stream'] as const;

// Header of the AI SDK 4, whose protocol calls itself plain text.
export const DATA_STREAM_HEADER = 'x-vercel-ai-data-stream';

const HIDDEN: PayloadOptions = { areThoughtsShown: false };

export function dataStreamFeed(options: PayloadOptions = HIDDEN): Feed {
  return new DataStreamFeed(options);
}

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
