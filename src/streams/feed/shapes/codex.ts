// Codex, `codex exec --json`: items, of which the agent's messages are the text, a paragraph each. An `error` on its
// own says that it tries again; what fails is a turn. Older versions wrap each event in `msg`.

import { MessageTexts } from '../message-texts.ts';
import {
  asJson,
  at,
  BREAK,
  done,
  failed,
  type Json,
  OPEN,
  type Shape,
  type ShapeReader,
  type ShapeReading,
  troubled,
} from '../shape-port.ts';

const TYPE = /^(?:thread\.started|turn\.|item\.)/;

export const codex: Shape = {
  name: 'codex',
  producer: 'Codex `exec --json`',
  sign: 'types `thread.started`, `turn.…`, `item.…`; older: a member `msg` with a `type`',
  owns: ({ json }) =>
    (typeof json.type === 'string' && TYPE.test(json.type)) ||
    typeof at(json, 'msg', 'type') === 'string',
  reader: readLines,
};

function readLines(): ShapeReader {
  const messages = new MessageTexts();
  const readOlder = olderReader(messages);
  return ({ json }) => {
    const older = asJson(json.msg);
    if (older !== null) return readOlder(older);
    const item = asJson(json.item) ?? {};
    switch (json.type) {
      case 'item.started':
      case 'item.updated':
      case 'item.completed': {
        if (item.type === 'agent_message') {
          return { events: messages.whole(String(item.id), item.text), isOpen: true };
        }
        return item.type === 'reasoning' ? OPEN : BREAK;
      }
      case 'turn.completed':
        return done();
      case 'turn.failed':
        return failed(json.error);
      case 'error':
        return troubled(json.message);
      case 'thread.started':
      case 'turn.started':
        return OPEN;
      default:
        return null;
    }
  };
}

// Its messages have no ids.
function olderReader(messages: MessageTexts): (msg: Json) => ShapeReading {
  let number = 0;
  return (msg) => {
    switch (msg.type) {
      case 'agent_message_delta':
        return { events: messages.piece(`${number}`, msg.delta), isOpen: true };
      // After its pieces it is nothing new.
      case 'agent_message': {
        const events = messages.whole(`${number}`, msg.message);
        number += 1;
        return { events, isOpen: true };
      }
      case 'exec_command_begin':
      case 'mcp_tool_call_begin':
      case 'patch_apply_begin':
        return BREAK;
      case 'task_complete':
        return done();
      case 'turn_aborted':
      case 'error':
        return failed({ message: msg.message ?? msg.reason });
      default:
        return OPEN;
    }
  };
}
