// n8n, the chat trigger with streaming answers: items of text between the beginning and the end of each node. An
// agent that calls tools ends and begins again after each, and each beginning is a paragraph. The text is over when
// every node that began has ended. A tool that fails says so too, and the agent goes on.

import {
  asJson,
  CLOSED,
  failed,
  more,
  OPEN,
  type Shape,
  type ShapeReader,
  troubled,
} from '../shape-port.ts';

export const n8n: Shape = {
  name: 'n8n',
  producer: 'n8n: streaming answers of a chat',
  sign: 'a `type` `begin`, `item` or `end` with `metadata`',
  owns: ({ json }) =>
    ['begin', 'item', 'end', 'error'].includes(json.type as string) && 'metadata' in json,
  reader: readNodes,
};

// Nodes whose beginning is remembered; the others only count.
const NODES_MAX = 1000;

function readNodes(): ShapeReader {
  let open = 0;
  const begun = new Set<unknown>();
  return ({ json }) => {
    const node = asJson(json.metadata)?.nodeId;
    switch (json.type) {
      case 'begin':
        open += 1;
        if (begun.size < NODES_MAX) begun.add(node);
        return { events: [{ kind: 'break' }], isOpen: true };
      case 'item':
        return more(json.content);
      case 'end':
        open -= 1;
        begun.delete(node);
        return open > 0 ? OPEN : CLOSED;
      case 'error':
        return begun.has(node) ? failed(json.content) : troubled(json.content);
      default:
        return null;
    }
  };
}
