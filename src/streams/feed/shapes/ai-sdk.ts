// Vercel's AI SDK. Since version 5 its streams for pages are events with a type; version 4 has lines of a code and a
// value, which come here as events of the name `part:` and the code.

import {
  BREAK,
  CLOSED,
  done,
  failed,
  more,
  OPEN,
  type Payload,
  type Shape,
  type ShapeReading,
} from '../shape-port.ts';

// Before the code of a part of version 4.
export const PART = 'part:';

const TYPES = new Set([
  ...[
    'start',
    'finish',
    'abort',
    'start-step',
    'finish-step',
    'text-start',
    'text-delta',
    'text-end',
  ],
  ...['reasoning-start', 'reasoning-delta', 'reasoning-end', 'message-metadata', 'file'],
]);
const BEGINNINGS = new Set([
  ...['start-step', 'text-start', 'text-delta', 'reasoning-start', 'tool-input-start'],
]);
const OTHER_TYPES = /^(?:tool-|data-|source)/;

export const aiSdk: Shape = {
  name: 'ai-sdk',
  producer: 'AI SDK 5 and later: UI message stream',
  sign: 'types `start-step`, `text-start`, `text-delta`, …',
  // `start` and `finish` are anybody's words.
  owns: ({ json }) => BEGINNINGS.has(json.type as string),
  reader: () => readPart,
};

export const aiSdk4: Shape = {
  name: 'ai-sdk-4',
  producer: 'AI SDK 4: data stream',
  sign: 'lines of a code and a value (`0:"…"`); as plain text: `X-Vercel-AI-Data-Stream`, or a first `messageId`',
  owns: ({ name }) => name?.startsWith(PART) === true,
  reader: () => readLine,
};

function readPart({ json }: Payload): ShapeReading | null {
  switch (json.type) {
    case 'text-delta':
      return { ...more(json.delta ?? json.text ?? json.textDelta), isOpen: null };
    case 'start':
    case 'text-start':
      return OPEN;
    case 'tool-input-start':
    case 'tool-input-available':
    case 'tool-call':
      return BREAK;
    case 'finish':
      return done();
    case 'abort':
      return failed({ message: 'the producer aborted it' });
    default:
      return typeof json.type === 'string' && (TYPES.has(json.type) || OTHER_TYPES.test(json.type))
        ? { events: [], isOpen: null }
        : null;
  }
}

function readLine({ name, value }: Payload): ShapeReading | null {
  if (value === undefined) return null;
  switch (name?.slice(PART.length)) {
    case '0':
      return more(value);
    case '3':
      return failed(value);
    // A tool's call, whole or begun.
    case '9':
    case 'b':
      return BREAK;
    case 'd':
      return { ...CLOSED, events: done().events };
    default:
      return OPEN;
  }
}
