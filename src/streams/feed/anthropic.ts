// Anthropic's messages: blocks of content, of which those of text make the text, one after the other. Tool calls,
// thoughts, signatures and citations are no part of it.

import { asJson, done, failed, type Json, more, type ShapeReading } from './shape.ts';

export function readMessagesEvent(payload: Json): ShapeReading | null {
  switch (payload.type) {
    case 'content_block_delta': {
      const delta = asJson(payload.delta);
      return more(delta?.type === 'text_delta' ? delta.text : '');
    }
    case 'content_block_start': {
      const block = asJson(payload.content_block);
      return more(block?.type === 'text' ? block.text : '');
    }
    case 'message_start':
    case 'message_delta':
    case 'content_block_stop':
    case 'ping':
      return more('');
    case 'message_stop':
      return done();
    // OpenAI's Responses fail by the same name, with their words beside it instead of inside.
    case 'error':
      return failed(asJson(payload.error) ?? { code: payload.code, message: payload.message });
    default:
      return null;
  }
}
