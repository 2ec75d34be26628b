// n8n, the chat trigger with streaming answers: items of text between the beginning and the end of each node. The text
// is over when every node that began has ended.

import { CLOSED, failed, more, OPEN, type Shape, type ShapeReader } from '../shape.ts';

export const n8n: Shape = {
  name: 'n8n',
  producer: 'n8n: streaming answers of a chat',
  sign: 'a `type` `begin`, `item` or `end` with `metadata`',
  owns: ({ json }) =>
    ['begin', 'item', 'end', 'error'].includes(json.type as string) && 'metadata' in json,
  reader: readNodes,
};

function readNodes(): ShapeReader {
  let open = 0;
  return ({ json }) => {
    switch (json.type) {
      case 'begin':
        open += 1;
        return OPEN;
      case 'item':
        return more(json.content);
      case 'end':
        open -= 1;
        return open > 0 ? OPEN : CLOSED;
      case 'error':
        return failed(json.content);
      default:
        return null;
    }
  };
}
