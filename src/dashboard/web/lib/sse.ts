// Server-sent events out of a response's body, as they come. Read by fetch, because EventSource sends no key.

export interface ServerEvent {
  readonly kind: string;
  readonly data: unknown;
}

export async function* eventsOf(answer: Response): AsyncGenerator<ServerEvent> {
  if (answer.body === null) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  // The event that has not ended yet, and a line's end that may be half of its end: only what is new is searched.
  let pieces: string[] = [];
  let held = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (held + value).split('\n\n');
    const rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventOf(pieces.join('') + block);
      pieces = [];
      if (event !== null) yield event;
    }
    held = rest.endsWith('\n') ? '\n' : '';
    pieces.push(held === '' ? rest : rest.slice(0, -1));
  }
}

// null: a comment, which only keeps the line open.
function eventOf(block: string): ServerEvent | null {
  const kind = /^event: (.*)$/m.exec(block)?.[1];
  const data = /^data: (.*)$/m.exec(block)?.[1];
  return kind === undefined || data === undefined ? null : { kind, data: JSON.parse(data) };
}
