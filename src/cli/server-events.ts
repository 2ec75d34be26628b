// Reads server-sent events as the gateway writes them: one `event:` line, one `data:` line of JSON, an empty line.

import { Failed } from './io.ts';

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
  let text = '';
  for await (const chunk of chunks) {
    // Only the new text is searched, and the last character before it.
    let search = Math.max(0, text.length - 1);
    text += decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let end = text.indexOf('\n\n', search); end >= 0; end = text.indexOf('\n\n', search)) {
      const event = eventOf(text.slice(from, end));
      from = end + 2;
      search = from;
      if (event !== null) yield event;
    }
    text = text.slice(from);
    if (text.length > EVENT_CHARS_MAX) throw new Failed('this is not a gateway’s stream of events');
  }
}

// null: a beat.
function eventOf(lines: string): ServerEvent | null {
  const kind = /^event: (.*)$/m.exec(lines)?.[1];
  const data = /^data: (.*)$/m.exec(lines)?.[1];
  return kind === undefined || data === undefined ? null : { kind, data: JSON.parse(data) };
}
