// The forms in which a request body can be a stream, by its content type.

import type { Feed } from './event.ts';
import { EventStreamFeed } from './event-stream.ts';
import { NdjsonFeed } from './ndjson.ts';
import { PlainFeed } from './plain.ts';
import { UnnamedFeed } from './unnamed.ts';

export type { Feed, FeedEvent } from './event.ts';

// The first name of each form is the one to show to people.
export const FEED_TYPES = ['text/plain', 'application/x-ndjson', 'text/event-stream'] as const;

// null: no form of a stream. A body without a type shows what it is.
export function feedOf(contentType: string | undefined): Feed | null {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  switch (type.trim()) {
    case 'text/event-stream':
      return new EventStreamFeed();
    case 'application/x-ndjson':
    case 'application/ndjson':
    case 'application/jsonl':
    case 'application/x-jsonlines':
      return new NdjsonFeed();
    case 'text/plain':
    case 'text/markdown':
      return plainFeed(parameters);
    case '':
    case 'application/octet-stream':
      return new UnnamedFeed();
    default:
      return null;
  }
}

function plainFeed(parameters: readonly string[]): Feed | null {
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/.exec(parameter)?.[1])
    .find((each) => each !== undefined);
  try {
    return new PlainFeed(charset);
  } catch {
    return null;
  }
}
