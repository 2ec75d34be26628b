// Replicate: the data of an event `output` is a piece of the text itself, not JSON; `done` says how it ended.

import {
  at,
  done,
  failed,
  more,
  OPEN,
  type Payload,
  type Shape,
  type ShapeReading,
} from '../shape-port.ts';

export const replicate: Shape = {
  name: 'replicate',
  producer: 'Replicate',
  sign: 'events `output` whose data is neither a JSON object nor a JSON string',
  owns: ({ name, value, raw }) =>
    name === 'output' &&
    raw !== '' &&
    (value === null || !['object', 'string'].includes(typeof value)),
  reader: () => readEvent,
};

function readEvent({ name, raw, json, isHalf }: Payload): ShapeReading | null {
  if (isHalf) return null;
  switch (name) {
    case 'output':
      return more(raw);
    case 'logs':
      return OPEN;
    case 'done': {
      const reason = at(json, 'reason');
      return reason === 'canceled' || reason === 'error' ? failed({ message: reason }) : done();
    }
    default:
      return null;
  }
}
