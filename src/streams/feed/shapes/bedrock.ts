// Amazon Bedrock's `ConverseStream`, as its clients give it: an object of one member, the event.

import {
  at,
  BREAK,
  CLOSED,
  failed,
  more,
  OPEN,
  type Payload,
  type Shape,
  type ShapeReading,
} from '../shape-port.ts';

const EVENTS = [
  'messageStart',
  'contentBlockStart',
  'contentBlockDelta',
  'contentBlockStop',
  'messageStop',
];

export const bedrock: Shape = {
  name: 'bedrock-converse',
  producer: 'Amazon Bedrock `ConverseStream`, as JSON lines or events',
  sign: 'a member `contentBlockDelta`, `messageStart`, …',
  owns: ({ json }) => EVENTS.some((name) => name in json),
  reader: () => readEvent,
};

function readEvent({ json }: Payload): ShapeReading | null {
  const fault = Object.keys(json).find((name) => name.endsWith('Exception'));
  if (fault !== undefined) return failed({ type: fault, message: at(json, fault, 'message') });
  if ('contentBlockDelta' in json) return more(at(json, 'contentBlockDelta', 'delta', 'text'));
  if (at(json, 'contentBlockStart', 'start', 'toolUse') !== undefined) return BREAK;
  // Usage comes after it.
  if ('messageStop' in json) return CLOSED;
  if ('metadata' in json) return { events: [], isOpen: null };
  return EVENTS.some((name) => name in json) ? OPEN : null;
}
