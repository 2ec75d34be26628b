// Flowise, `/api/v1/prediction` with `streaming`: tokens, and around them what the flow is at.

import {
  CLOSED,
  failed,
  more,
  OPEN,
  type Payload,
  type Shape,
  type ShapeReading,
} from '../shape.ts';

const EVENTS = new Set([
  ...['start', 'token', 'metadata', 'sourceDocuments', 'usedTools', 'artifacts', 'end', 'error'],
  ...['agentReasoning', 'nextAgent', 'agentFlowEvent', 'nextAgentFlow', 'usageMetadata'],
]);

export const flowise: Shape = {
  name: 'flowise',
  producer: 'Flowise predictions',
  sign: 'a member `event` such as `token`, and nothing but its `data`',
  owns: ({ json }) =>
    EVENTS.has(json.event as string) &&
    Object.keys(json).every((k) => k === 'event' || k === 'data'),
  reader: () => readEvent,
};

function readEvent({ json }: Payload): ShapeReading | null {
  switch (json.event) {
    case 'token':
      return more(json.data);
    case 'end':
      return CLOSED;
    case 'error':
      return failed(json.data);
    default:
      return EVENTS.has(json.event as string) ? OPEN : null;
  }
}
