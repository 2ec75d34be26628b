// OpenAI's two streams, and those of the many servers that speak like them. Tool calls, refusals, reasoning and usage
// are no part of the text.

import { asJson, done, failed, isError, type Json, more, type ShapeReading } from './shape.ts';

// Chat completions: chunks with choices; of several answers (`n`) only the first is shown. Their end is `[DONE]`, but
// some servers forget it: a finish reason is enough.
export function readChatChunk(payload: Json): ShapeReading | null {
  if (!('choices' in payload)) return null;
  // A server that fails in the middle says so in a chunk.
  if (isError(payload.error)) return failed(payload.error);
  const choices = Array.isArray(payload.choices) ? payload.choices.map(asJson) : [];
  const choice = choices.find((each) => (each?.index ?? 0) === 0);
  // Usage, or another answer.
  if (choice === undefined || choice === null) return { events: [], isOpen: null };
  const { events } = more(textOf(choice));
  return { events, isOpen: typeof choice.finish_reason !== 'string' };
}

// A chunk's delta; a whole answer's message; the old completions' text.
function textOf(choice: Json): string {
  const content = (asJson(choice.delta) ?? asJson(choice.message))?.content ?? choice.text;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  // In parts, some of which may be thoughts.
  const parts = content.map(asJson).filter((part) => part?.type === 'text');
  return parts.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('');
}

// Responses: every event has a type.
export function readResponsesEvent(payload: Json): ShapeReading | null {
  const { type } = payload;
  if (typeof type !== 'string' || !type.startsWith('response.')) return null;
  switch (type) {
    case 'response.output_text.delta':
      return more(payload.delta);
    // Incomplete: it reached its longest. What there is stands.
    case 'response.completed':
    case 'response.incomplete':
      return done();
    case 'response.failed':
    case 'response.cancelled':
      return failed(asJson(payload.response)?.error ?? { message: type });
    default:
      return more('');
  }
}
