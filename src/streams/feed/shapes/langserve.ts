// LangServe's `/stream`, and any other stream of LangChain's messages: each a piece of the text. A chain that ends in a
// parser sends texts instead, which every body may. Messages of tools and people are no part of it.

import {
  done,
  type Payload,
  type Shape,
  type ShapeEvent,
  type ShapeReading,
} from '../shape-port.ts';
import { chainMessageOf } from './langchain-message.ts';

export const langserve: Shape = {
  name: 'langserve',
  producer: 'LangServe, LangChain messages',
  sign: 'a `type` of a LangChain message (`AIMessageChunk`, `ai`, …), or its constructor',
  owns: ({ value }) => chainMessageOf(value) !== null,
  reader: () => readMessage,
};

function readMessage({ name, value }: Payload): ShapeReading | null {
  // It has no data.
  if (name === 'end') return done();
  const message = chainMessageOf(value);
  if (message === null) return null;
  const isSaid = message.isFromModel && message.text !== '';
  const events: ShapeEvent[] = isSaid ? [{ kind: 'text', text: message.text }] : [];
  if (message.isTool) events.push({ kind: 'break' });
  // Whoever finishes need not say so: the end of the body is the end.
  return { events, isOpen: name === 'data' ? !message.isFinished : null };
}
