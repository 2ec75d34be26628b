// Reads server-sent events as the gateway writes them: each has a name, and data that is JSON. The library reads the
// lines; what is ours is when to stop reading something that is not a gateway's.

import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { jsonOrUndefined } from '../../system/json.ts';
import { Failed } from '../io.ts';

const NO_EVENTS = 'this is not a gateway’s stream of events';

// A gateway never writes an event as long as this.
const EVENT_CHARS_MAX = 2_097_152;

export interface ServerEvent {
  readonly kind: string;
  readonly data: unknown;
}

export async function* serverEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let messages: EventSourceMessage[] = [];
  // Since the last event or beat: lines that are neither are skipped, not kept, and nobody may send them for ever.
  let chars = 0;
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: EVENT_CHARS_MAX,
    onEvent(message) {
      messages.push(message);
      chars = 0;
    },
    onComment() {
      chars = 0;
    },
    onError({ type }) {
      isTooLong ||= type === 'max-buffer-size-exceeded';
    },
  });
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    chars += text.length;
    parser.feed(text);
    for (const message of messages) {
      const event = eventOf(message);
      if (event !== null) yield event;
    }
    messages = [];
    if (isTooLong || chars > EVENT_CHARS_MAX) throw new Failed(NO_EVENTS);
  }
}

// null: nameless, which no event of the gateway is.
function eventOf({ event: kind, data }: EventSourceMessage): ServerEvent | null {
  if (kind === undefined) return null;
  const value = jsonOrUndefined(data);
  if (value === undefined) throw new Failed(NO_EVENTS);
  return { kind, data: value };
}
