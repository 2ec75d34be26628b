// Claude Code's `--output-format stream-json`: whole messages, and before them their pieces with
// `--include-partial-messages`. What its subagents say, tools and thoughts are no part of the text. The result repeats
// the last message; it is shown where there was none.

import { MessageTexts } from '../message-texts.ts';
import {
  asJson,
  at,
  contentText,
  failed,
  type Json,
  listOf,
  OPEN,
  type Shape,
  type ShapeEvent,
  type ShapeReader,
} from '../shape-port.ts';

const TYPES = new Set([
  'system',
  'assistant',
  'user',
  'result',
  'stream_event',
  'rate_limit_event',
]);

export const claudeCode: Shape = {
  name: 'claude-code',
  producer: 'Claude Code `--output-format stream-json`',
  sign: 'types `system`, `assistant`, `stream_event`, `result` with a `session_id`',
  owns: ({ json }) => TYPES.has(json.type as string) && 'session_id' in json,
  reader: readLines,
};

function readLines(): ShapeReader {
  const messages = new MessageTexts();
  // Messages that come in pieces; the lines that repeat them say nothing new.
  const pieced = new Set<string>();
  let current = '';
  let hasSpoken = false;
  return ({ json }) => {
    if (!TYPES.has(json.type as string)) return null;
    // Of a subagent.
    if (typeof json.parent_tool_use_id === 'string') return OPEN;
    if (json.type === 'stream_event') {
      const event = asJson(json.event);
      if (event?.type === 'message_start') {
        current = String(at(event, 'message', 'id'));
        pieced.add(current);
      }
      const isText = at(event, 'delta', 'type') === 'text_delta';
      const events = isText ? messages.piece(current, at(event, 'delta', 'text')) : [];
      hasSpoken ||= events.length > 0;
      return { events, isOpen: true };
    }
    if (json.type === 'assistant') {
      const events = said(messages, pieced, asJson(json.message) ?? {});
      hasSpoken ||= events.some(({ kind }) => kind === 'text');
      return { events, isOpen: true };
    }
    if (json.type !== 'result') return OPEN;
    if (json.is_error === true) return failed({ type: json.subtype, message: json.result });
    const rest: ShapeEvent[] = hasSpoken ? [] : messages.piece('result', json.result);
    return { events: [...rest, { kind: 'done' }], isOpen: false };
  };
}

// A message may come in several lines of one id, a block each.
function said(messages: MessageTexts, pieced: ReadonlySet<string>, message: Json): ShapeEvent[] {
  const id = String(message.id);
  const events = pieced.has(id) ? [] : messages.piece(id, contentText(message.content));
  const isTool = listOf(message.content).some(({ type }) => type === 'tool_use');
  return isTool ? [...events, { kind: 'break' }] : events;
}
