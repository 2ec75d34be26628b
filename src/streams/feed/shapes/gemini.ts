// Gemini's `streamGenerateContent`, as events (`alt=sse`) or as one array: candidates with parts, of which the thoughts
// are left out. A prompt that is blocked has no candidate, and says why.

import {
  asJson,
  at,
  failed,
  listOf,
  NOTHING,
  type Payload,
  type Shape,
  type ShapeEvent,
  type ShapeReading,
} from '../shape-port.ts';

const MEMBERS = ['candidates', 'promptFeedback', 'usageMetadata'];
// Reasons to finish that are no fault.
const GOOD_ENDS: readonly unknown[] = ['STOP', 'MAX_TOKENS', 'FINISH_REASON_UNSPECIFIED'];

export const gemini: Shape = {
  name: 'gemini',
  producer: 'Gemini `streamGenerateContent`, also of Vertex AI: events, or one array',
  sign: 'a member `candidates`, `promptFeedback` or `usageMetadata`',
  owns: ({ json }) => MEMBERS.some((name) => name in json),
  reader: () => readChunk,
};

function readChunk({ json }: Payload): ShapeReading | null {
  if (!MEMBERS.some((name) => name in json)) return null;
  const blocked = at(json, 'promptFeedback', 'blockReason');
  if (typeof blocked === 'string') {
    const message = at(json, 'promptFeedback', 'blockReasonMessage') ?? 'the prompt was blocked';
    return failed({ type: blocked, message });
  }
  const candidate = listOf(json.candidates).find(({ index }) => (index ?? 0) === 0);
  if (candidate === undefined) return NOTHING;
  const events = listOf(at(candidate, 'content', 'parts')).flatMap((part): ShapeEvent[] => {
    if (part.thought === true) return [];
    if (typeof part.text === 'string' && part.text !== '')
      return [{ kind: 'text', text: part.text }];
    return asJson(part.functionCall) === null ? [] : [{ kind: 'break' }];
  });
  const reason = candidate.finishReason;
  if (typeof reason !== 'string') return { events, isOpen: true };
  if (GOOD_ENDS.includes(reason)) return { events, isOpen: false };
  const message = candidate.finishMessage ?? 'the model stopped';
  return { events: [...events, ...failed({ type: reason, message }).events], isOpen: false };
}
