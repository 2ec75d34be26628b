// Anthropic's messages: blocks of content, of which those of text make the text, one after the other. Tool calls,
// thoughts, signatures and citations are no part of it.

import {
  asJson,
  at,
  BREAK,
  CLOSED,
  done,
  more,
  OPEN,
  type Shape,
  type ShapeReader,
} from '../shape-port.ts';

// Not `ping`, which others say, too.
const TYPES = new Set([
  ...['message_start', 'message_delta', 'message_stop'],
  ...['content_block_start', 'content_block_delta', 'content_block_stop'],
]);
// After these another message follows, if whoever asked goes on by itself.
const PAUSES: readonly unknown[] = ['tool_use', 'pause_turn'];

export const anthropicMessages: Shape = {
  name: 'anthropic-messages',
  producer: 'Anthropic messages',
  sign: 'events `message_start`, `content_block_delta`, …',
  owns: ({ json }) => TYPES.has(json.type as string),
  reader: readMessagesEvents,
};

function readMessagesEvents(): ShapeReader {
  let isPaused = false;
  return ({ json }) => {
    switch (json.type) {
      case 'content_block_delta': {
        const delta = asJson(json.delta);
        return more(delta?.type === 'text_delta' ? delta.text : '');
      }
      // Texts that follow each other directly are one: a citation divides them.
      case 'content_block_start': {
        const block = asJson(json.content_block);
        return block?.type === 'text' ? more(block.text) : BREAK;
      }
      case 'message_delta':
        isPaused = PAUSES.includes(at(json, 'delta', 'stop_reason'));
        return OPEN;
      case 'message_stop':
        return isPaused ? { ...BREAK, isOpen: CLOSED.isOpen } : done();
      case 'message_start':
      case 'content_block_stop':
      case 'ping':
        return OPEN;
      default:
        return null;
    }
  };
}
