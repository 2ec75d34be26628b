// Server-sent events out of a response's body, as they come. Read by fetch, because EventSource sends no key.

export interface ServerEvent {
  readonly kind: string;
  readonly data: unknown;
}

export async function* eventsOf(answer: Response): AsyncGenerator<ServerEvent> {
  if (answer.body === null) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventOf(block);
      if (event !== null) yield event;
    }
  }
}

// null: a comment, which only keeps the line open.
function eventOf(block: string): ServerEvent | null {
  const kind = /^event: (.*)$/m.exec(block)?.[1];
  const data = /^data: (.*)$/m.exec(block)?.[1];
  return kind === undefined || data === undefined ? null : { kind, data: JSON.parse(data) };
}
