// Cohere's chat, in its second version (events with a `type`) and its first (lines with an `event_type`). The plan of
// tools, their calls and citations are no part of the text.

import {
  at,
  BREAK,
  done,
  failed,
  more,
  OPEN,
  type Payload,
  type Shape,
  type ShapeReading,
} from '../shape-port.ts';

const SECOND = new Set([
  ...['message-start', 'content-start', 'content-delta', 'content-end', 'message-end'],
  ...['tool-plan-delta', 'tool-call-start', 'tool-call-delta', 'tool-call-end'],
  ...['citation-start', 'citation-end'],
]);
const FIRST = new Set([
  ...['stream-start', 'text-generation', 'stream-end', 'citation-generation', 'search-results'],
  ...['search-queries-generation', 'tool-calls-chunk', 'tool-calls-generation', 'debug'],
]);
const FAULTS: readonly unknown[] = ['ERROR', 'ERROR_TOXIC', 'ERROR_LIMIT', 'TIMEOUT'];

export const cohere: Shape = {
  name: 'cohere',
  producer: 'Cohere chat, version 2 and 1',
  sign: 'types `message-start`, `content-delta`, …; or an `event_type` such as `text-generation`',
  owns: ({ json }) => SECOND.has(json.type as string) || FIRST.has(json.event_type as string),
  reader: () => readEvent,
};

function readEvent({ json }: Payload): ShapeReading | null {
  const kind = json.event_type ?? json.type;
  switch (kind) {
    case 'content-delta':
      return more(at(json, 'delta', 'message', 'content', 'text'));
    case 'text-generation':
      return more(json.text);
    case 'tool-call-start':
    case 'tool-calls-generation':
      return BREAK;
    case 'message-end': {
      const reason = at(json, 'delta', 'finish_reason');
      return FAULTS.includes(reason)
        ? failed({ type: reason, message: at(json, 'delta', 'error') })
        : done();
    }
    case 'stream-end':
      return FAULTS.includes(json.finish_reason) ? failed({ type: json.finish_reason }) : done();
    default:
      return SECOND.has(kind as string) || FIRST.has(kind as string) ? OPEN : null;
  }
}
