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
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = eventOf(text.slice(0, end));
      text = text.slice(end + 2);
      if (event !== null) yield event;
    }
    if (text.length > EVENT_CHARS_MAX) throw new Failed('this is not a gateway’s stream of events');
  }
}

// null: a beat.
function eventOf(lines: string): ServerEvent | null {
  const kind = /^event: (.*)$/m.exec(lines)?.[1];
  const data = /^data: (.*)$/m.exec(lines)?.[1];
  return kind === undefined || data === undefined ? null : { kind, data: JSON.parse(data) };
}
