// Mastra's agents, `/api/agents/<id>/stream`: chunks with a type, the run they belong to, who speaks, and a payload.
// The words of other agents come within the outputs of tools, and are passed over. Workflows write no text of their
// own.

import {
  asJson,
  at,
  BREAK,
  done,
  failed,
  more,
  OPEN,
  type Payload,
  type Shape,
  type ShapeReading,
  troubled,
} from '../shape-port.ts';

export const mastra: Shape = {
  name: 'mastra',
  producer: 'Mastra: streams of agents',
  sign: 'members `runId`, `from` and `payload`, the last an object',
  owns: ({ json: { type, runId, from, payload } }) =>
    [type, runId, from].every((each) => typeof each === 'string') &&
    asJson(payload) !== null &&
    from !== 'WORKFLOW' &&
    from !== 'NETWORK',
  reader: () => readChunk,
};

function readChunk({ json }: Payload): ShapeReading | null {
  const payload = asJson(json.payload);
  if (payload === null) return null;
  switch (json.type) {
    case 'text-delta':
      return more(payload.text);
    case 'tool-call':
    case 'tool-call-input-streaming-start':
      return BREAK;
    case 'finish':
      return at(payload, 'stepResult', 'reason') === 'error' ? OPEN : done();
    case 'error':
      return failed(payload.error);
    case 'abort':
      return failed({ message: 'the producer aborted it' });
    // A guard has stopped the answer; it may let the agent try again.
    case 'tripwire':
      return payload.retry === true ? troubled(payload.reason) : failed(payload.reason);
    default:
      return OPEN;
  }
}
