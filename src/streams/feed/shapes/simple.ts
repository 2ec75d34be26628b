// The plain shapes: what people write by hand, Ollama, llama.cpp.

import {
  asJson,
  done,
  isError,
  type Json,
  type Payload,
  type Shape,
  type ShapeEvent,
  type ShapeReading,
} from '../shape-port.ts';

const TEXT_MEMBERS = ['text', 'delta', 'content', 'response'];
// Other types of payload are not the text, even if they hold a text (a thought, a tool's result).
const TEXT_TYPES: readonly unknown[] = [undefined, 'text', 'delta', 'text_delta', 'text-delta'];

export const simple: Shape = {
  name: 'plain',
  producer: 'Ollama, llama.cpp, whatever is written by hand',
  sign: 'a text in `text`, `delta`, `content`, `response` or `message.content`; `replace`, `final`, `done`',
  owns: (payload) => read(payload) !== null,
  reader: () => read,
};

function read({ json }: Payload): ShapeReading | null {
  const { replace, final } = json;
  if (isError(json.error) || !TEXT_TYPES.includes(json.type)) return null;
  if (typeof final === 'string') {
    return { events: [{ kind: 'replace', text: final }, ...done().events], isOpen: false };
  }
  const events: ShapeEvent[] = [];
  if (typeof replace === 'string') events.push({ kind: 'replace', text: replace });
  const text = textOf(json);
  if (text !== undefined && text !== '') events.push({ kind: 'text', text });
  if (json.done === true) events.push(...done().events);
  const isUnderstood = text !== undefined || typeof replace === 'string' || 'done' in json;
  // Who says that it is not done yet will say when it is; for the others the end of the body is the end.
  return isUnderstood ? { events, isOpen: json.done === false || json.stop === false } : null;
}

function textOf(json: Json): string | undefined {
  const values = TEXT_MEMBERS.map((name) => json[name]);
  const all = [...values, asJson(json.message)?.content];
  return all.find((value) => typeof value === 'string');
}
