// Flowise, `/api/v1/prediction` with `streaming`: tokens, and around them what the flow is at.

import {
  BREAK,
  CLOSED,
  failed,
  more,
  OPEN,
  type Payload,
  type Shape,
  type ShapeReading,
} from '../shape-port.ts';

const EVENTS = new Set([
  ...['start', 'token', 'metadata', 'sourceDocuments', 'usedTools', 'artifacts', 'end', 'error'],
  ...['agentReasoning', 'nextAgent', 'agentFlowEvent', 'nextAgentFlow', 'usageMetadata', 'abort'],
  ...['thinking', 'calledTools', 'tool', 'action', 'fileAnnotations', 'agentFlowExecutedData'],
]);
const MEMBERS = ['event', 'data', 'duration'];

export const flowise: Shape = {
  name: 'flowise',
  producer: 'Flowise predictions',
  sign: 'a member `event` such as `token`, and nothing but its `data`',
  owns: ({ json }) =>
    EVENTS.has(json.event as string) && Object.keys(json).every((k) => MEMBERS.includes(k)),
  reader: () => readEvent,
};

// Nodes send events of their own, too.
function readEvent({ json }: Payload): ShapeReading | null {
  switch (json.event) {
    case 'token':
      return more(json.data);
    case 'calledTools':
    case 'usedTools':
    case 'tool':
      return BREAK;
    case 'end':
      return CLOSED;
    case 'abort':
      return failed({ message: 'the producer aborted it' });
    case 'error':
      return failed(json.data);
    default:
      return typeof json.event === 'string' ? OPEN : null;
  }
}
