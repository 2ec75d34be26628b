// OpenAI's chat completions, and those of the many servers that speak like them: chunks with choices, of which only the
// first answer is shown (`n`). A refusal and the transcript of a voice are what is said instead of a text. Tool calls,
// reasoning and usage are no part of it. The end is `[DONE]`, but some servers forget it: a finish reason is enough.

import {
  asJson,
  contentText,
  failed,
  isError,
  type Json,
  listOf,
  NOTHING,
  type Payload,
  type Shape,
  type ShapeEvent,
  type ShapeReading,
} from '../shape-port.ts';

export const openaiChat: Shape = {
  name: 'openai-chat',
  producer: 'OpenAI chat completions and all who speak like them, old completions',
  sign: 'a member `choices`',
  owns: ({ json }) => 'choices' in json,
  reader: () => readChunk,
};

function readChunk({ json }: Payload): ShapeReading | null {
  if (!('choices' in json)) return null;
  // A server that fails in the middle says so in a chunk.
  if (isError(json.error)) return failed(json.error);
  const choice = listOf(json.choices).find(({ index }) => (index ?? 0) === 0);
  // Usage, or another answer.
  if (choice === undefined) return NOTHING;
  const isOpen = typeof choice.finish_reason !== 'string';
  return { events: said(choice), isOpen };
}

// A chunk's delta; a whole answer's message; the old completions' text.
function said(choice: Json): ShapeEvent[] {
  const message = asJson(choice.delta) ?? asJson(choice.message) ?? {};
  const { content, refusal, audio, tool_calls: tools } = message;
  const texts = [contentText(content ?? choice.text), refusal, asJson(audio)?.transcript];
  const events = texts
    .filter((text) => typeof text === 'string' && text !== '')
    .map((text): ShapeEvent => ({ kind: 'text', text: text as string }));
  return listOf(tools).length > 0 ? [...events, { kind: 'break' }] : events;
}
