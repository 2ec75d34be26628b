// Server-sent events out of a response's body, as they come. Read by fetch, because EventSource sends no key.

import { EventSourceParserStream } from 'eventsource-parser/stream';

export interface ServerEvent {
  readonly kind: string;
  readonly data: unknown;
}

export async function* eventsOf(answer: Response): AsyncGenerator<ServerEvent> {
  if (answer.body === null) return;
  const texts = answer.body.pipeThrough(new TextDecoderStream());
  const reader = texts.pipeThrough(new EventSourceParserStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const { event: kind, data } = value;
    if (kind !== undefined) yield { kind, data: JSON.parse(data) };
  }
}
