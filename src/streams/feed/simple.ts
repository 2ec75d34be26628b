// The plain shapes: what people write by hand, and Ollama.

import type { FeedEvent } from './event.ts';
import { asJson, done, failed, isError, type Json, type ShapeReading } from './shape.ts';

const TEXT_MEMBERS = ['text', 'delta', 'content', 'response'];
// Other types of payload are not the text, even if they hold a text (a thought, a tool's result).
const TEXT_TYPES: readonly unknown[] = [undefined, 'text', 'delta', 'text_delta', 'text-delta'];

export function readSimple(payload: Json): ShapeReading | null {
  const { error, replace, final } = payload;
  if (isError(error)) return failed(error);
  if (!TEXT_TYPES.includes(payload.type)) return null;
  if (typeof final === 'string') {
    return { events: [{ kind: 'replace', text: final }, ...done().events], isOpen: false };
  }
  const events: FeedEvent[] = [];
  if (typeof replace === 'string') events.push({ kind: 'replace', text: replace });
  const text = textOf(payload);
  if (text !== undefined && text !== '') events.push({ kind: 'text', text });
  if (payload.done === true) events.push(...done().events);
  const isUnderstood = text !== undefined || typeof replace === 'string' || 'done' in payload;
  // Who says that it is not done yet will say when it is; for the others the end of the body is the end.
  return isUnderstood ? { events, isOpen: payload.done === false } : null;
}

function textOf(payload: Json): string | undefined {
  const values = TEXT_MEMBERS.map((name) => payload[name]);
  const all = [...values, asJson(payload.message)?.content];
  return all.find((value) => typeof value === 'string');
}
