// OpenAI's responses: every event has a type. Refusals and the transcript of a voice are what is said instead of a
// text. Reasoning, tools and what repeats the text as a whole are no part of it.

import {
  asJson,
  BREAK,
  done,
  failed,
  more,
  OPEN,
  type Payload,
  type Shape,
  type ShapeReading,
} from '../shape-port.ts';

export const openaiResponses: Shape = {
  name: 'openai-responses',
  producer: 'OpenAI responses',
  sign: 'types `response.…`',
  owns: ({ json }) => typeof json.type === 'string' && json.type.startsWith('response.'),
  reader: () => readEvent,
};

function readEvent({ json }: Payload): ShapeReading | null {
  const { type } = json;
  if (typeof type !== 'string' || !type.startsWith('response.')) return null;
  switch (type) {
    case 'response.output_text.delta':
    case 'response.refusal.delta':
    case 'response.audio.transcript.delta':
    case 'response.audio_transcript.delta':
    case 'response.output_audio_transcript.delta':
      return more(json.delta);
    // A message, a call, a search: each is a paragraph of its own.
    case 'response.output_item.added':
      return BREAK;
    // Incomplete: it reached its longest. What there is stands.
    case 'response.completed':
    case 'response.incomplete':
    case 'response.done':
      return done();
    case 'response.failed':
    case 'response.cancelled':
      return failed(asJson(json.response)?.error ?? { message: type });
    default:
      return OPEN;
  }
}
