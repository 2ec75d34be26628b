// Reads server-sent events as the gateway writes them: one `event:` line, one `data:` line of JSON, an empty line.

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
  // The event that has not ended yet: only what is new is searched for its end.
  let pieces: string[] = [];
  let chars = 0;
  // A line's end, which may be half of the event's.
  let held = '';
  for await (const chunk of chunks) {
    const blocks = (held + decoder.decode(chunk, { stream: true })).split('\n\n');
    const rest = blocks.pop()!;
    for (const block of blocks) {
      const event = eventOf(pieces.join('') + block);
      pieces = [];
      chars = 0;
      if (event !== null) yield event;
    }
    held = rest.endsWith('\n') ? '\n' : '';
    pieces.push(held === '' ? rest : rest.slice(0, -1));
    chars += rest.length;
    if (chars > EVENT_CHARS_MAX) throw new Failed(NO_EVENTS);
  }
}

// null: a beat.
function eventOf(lines: string): ServerEvent | null {
  const kind = /^event: (.*)$/m.exec(lines)?.[1];
  const data = /^data: (.*)$/m.exec(lines)?.[1];
  if (kind === undefined || data === undefined) return null;
  const value = jsonOrUndefined(data);
  if (value === undefined) throw new Failed(NO_EVENTS);
  return { kind, data: value };
}
