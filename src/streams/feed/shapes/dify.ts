// Dify: answers of chats, agents and completions in pieces (`message`, `agent_message`), texts of workflows
// (`text_chunk`), moderation that replaces all of it (`message_replace`). Files, voices and nodes are no part of it.

import {
  asJson,
  at,
  BREAK,
  CLOSED,
  done,
  failed,
  type Json,
  more,
  OPEN,
  type Shape,
  type ShapeReader,
  type ShapeReading,
} from '../shape-port.ts';

const EVENTS = new Set([
  ...[
    'message',
    'agent_message',
    'agent_thought',
    'message_end',
    'message_replace',
    'message_file',
  ],
  ...['workflow_started', 'workflow_finished', 'text_chunk', 'text_replace', 'tts_message'],
  ...['tts_message_end', 'workflow_paused', 'error', 'ping'],
]);

export const dify: Shape = {
  name: 'dify',
  producer: 'Dify: chats, agents, workflows',
  sign: 'a member `event` such as `message`, with `task_id` or `message_id`',
  owns: ({ json }) =>
    (EVENTS.has(json.event as string) || isOfNode(json.event)) &&
    ['task_id', 'message_id', 'workflow_run_id'].some((name) => name in json),
  reader: readEvents,
};

function isOfNode(event: unknown): boolean {
  return (
    typeof event === 'string' && /^(node|iteration|loop|parallel_branch|agent_log)/.test(event)
  );
}

function readEvents(): ShapeReader {
  let hasSpoken = false;
  return ({ json }) => {
    const reading = readEvent(json);
    hasSpoken ||= reading?.events.some(({ kind }) => kind === 'text') === true;
    // Workflows that do not stream have their text at the end.
    if (json.event !== 'workflow_finished' || hasSpoken || reading !== CLOSED) return reading;
    const outputs = Object.values(asJson(at(json, 'data', 'outputs')) ?? {});
    const texts = outputs.filter((output) => typeof output === 'string');
    return { events: more(texts.join('\n\n')).events, isOpen: false };
  };
}

function readEvent(json: Json): ShapeReading | null {
  switch (json.event) {
    case 'message':
    case 'agent_message':
      return more(json.answer);
    case 'text_chunk':
      return more(at(json, 'data', 'text'));
    case 'agent_thought':
      return typeof json.tool === 'string' && json.tool !== '' ? BREAK : OPEN;
    case 'message_replace':
    case 'text_replace': {
      const text = json.answer ?? at(json, 'data', 'text');
      return typeof text === 'string'
        ? { events: [{ kind: 'replace', text }], isOpen: true }
        : OPEN;
    }
    // A chat's end may come before or after that of its workflow.
    case 'message_end':
      return done();
    case 'workflow_finished':
      return at(json, 'data', 'status') === 'failed'
        ? failed(at(json, 'data', 'error') ?? 'the workflow failed')
        : CLOSED;
    case 'error':
      return failed({ code: json.code, message: json.message });
    default:
      return typeof json.event === 'string' ? OPEN : null;
  }
}
