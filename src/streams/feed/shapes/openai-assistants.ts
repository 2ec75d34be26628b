// OpenAI's assistants (threads and runs): each message is a paragraph, steps of tools are no part of the text. A run
// that wants a tool's result ends here and goes on in another body.

import { MessageTexts } from '../message-texts.ts';
import {
  at,
  CLOSED,
  done,
  failed,
  listOf,
  OPEN,
  type Shape,
  type ShapeReader,
} from '../shape-port.ts';

export const openaiAssistants: Shape = {
  name: 'openai-assistants',
  producer: 'OpenAI assistants: threads and runs',
  sign: 'events `thread.…`',
  owns: ({ json }) => typeof json.type === 'string' && /^thread\.(?!started)/.test(json.type),
  reader: readRuns,
};

function readRuns(): ShapeReader {
  const messages = new MessageTexts();
  return ({ json }) => {
    const { type } = json;
    if (typeof type !== 'string' || !type.startsWith('thread.'))
      return type === 'done' ? done() : null;
    switch (type) {
      case 'thread.message.delta': {
        const parts = listOf(at(json, 'delta', 'content'));
        const text = parts.map((part) => at(part, 'text', 'value') ?? part.refusal ?? '').join('');
        return { events: messages.piece(String(json.id), text), isOpen: true };
      }
      case 'thread.run.completed':
      case 'thread.run.incomplete':
      case 'thread.run.requires_action':
        return CLOSED;
      case 'thread.run.failed':
      case 'thread.run.cancelled':
      case 'thread.run.expired':
        return failed(json.last_error ?? { message: type });
      default:
        return OPEN;
    }
  };
}
