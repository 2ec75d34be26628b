// AG-UI, in which agents speak to their pages: each message of the assistant is a paragraph. Tools, states, steps and
// reasoning are no part of the text.

import { MessageTexts } from '../message-texts.ts';
import { BREAK, done, failed, OPEN, type Shape, type ShapeReader } from '../shape-port.ts';

const TYPE =
  /^(RUN|STEP|TEXT_MESSAGE|TOOL_CALL|STATE|MESSAGES|ACTIVITY|REASONING|THINKING|SUBAGENT)_|^(RAW|CUSTOM)$/;
const OTHERS: readonly unknown[] = ['user', 'system', 'developer'];

export const agUi: Shape = {
  name: 'ag-ui',
  producer: 'AG-UI',
  sign: 'types `RUN_STARTED`, `TEXT_MESSAGE_CONTENT`, …',
  owns: ({ json }) => typeof json.type === 'string' && TYPE.test(json.type),
  reader: readEvents,
};

function readEvents(): ShapeReader {
  const messages = new MessageTexts();
  let last = '';
  let isAnothers = false;
  return ({ json }) => {
    if (typeof json.type !== 'string' || !TYPE.test(json.type)) return null;
    switch (json.type) {
      case 'TEXT_MESSAGE_START':
      case 'TEXT_MESSAGE_CONTENT':
      case 'TEXT_MESSAGE_CHUNK':
        last = typeof json.messageId === 'string' ? json.messageId : last;
        if (json.role !== undefined) isAnothers = OTHERS.includes(json.role);
        return { events: isAnothers ? [] : messages.piece(last, json.delta), isOpen: true };
      case 'TOOL_CALL_START':
      case 'TOOL_CALL_CHUNK':
        return BREAK;
      case 'RUN_FINISHED':
        return done();
      case 'RUN_ERROR':
        return failed({ code: json.code, message: json.message });
      default:
        return OPEN;
    }
  };
}
