// Gemini's interactions: steps, of which the model's output makes the text; before, they were called contents.

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
} from '../shape-port.ts';

const EVENT = /^(interaction|step|content)\./;

export const geminiInteractions: Shape = {
  name: 'gemini-interactions',
  producer: 'Gemini interactions',
  sign: 'a member `event_type` with `interaction.…`, `step.…` or `content.…`',
  owns: ({ json }) => typeof json.event_type === 'string' && EVENT.test(json.event_type),
  reader: () => readEvent,
};

function readEvent({ json }: Payload): ShapeReading | null {
  switch (json.event_type) {
    case 'step.delta':
    case 'content.delta': {
      const delta = asJson(json.delta);
      return more(delta?.type === 'text' ? delta.text : '');
    }
    // Another step: a call, a search, a thought.
    case 'step.start':
    case 'content.start': {
      const type = at(json, 'step', 'type') ?? at(json, 'content', 'type');
      return type === 'text' || type === 'model_output' ? OPEN : BREAK;
    }
    case 'interaction.completed':
    case 'interaction.complete': {
      const status = at(json, 'interaction', 'status');
      return status === 'failed' || status === 'cancelled' ? failed({ message: status }) : done();
    }
    case 'error':
      return failed(json.error);
    default:
      return typeof json.event_type === 'string' ? OPEN : null;
  }
}
