// An exception in words for a record: what it is and where it came from, without payloads and without secrets.

import { strikeSecrets } from './log.ts';

const MESSAGE_UNITS_MAX = 200;
const FRAMES_READ_MAX = 20;
const FRAME_UNITS_MAX = 400;

// `TypeError at attempt/conclude.ts:55: …`
export function faultInWords(error: unknown): string {
  if (!(error instanceof Error)) return 'something other than an error was thrown';
  const said = messageOf(error);
  return `${error.name} at ${placeOf(error)}${said === '' ? '' : `: ${said}`}`;
}

// The innermost frame of our own, as folder and file with its line.
export function placeOf(error: unknown): string {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return 'an unknown place';
  // The text before the frames repeats the message, which may quote anyone.
  const from = error.stack.indexOf('\n    at ', error.message.length);
  const frames = from < 0 ? [] : error.stack.slice(from + 1).split('\n', FRAMES_READ_MAX);
  for (const line of frames) {
    const frame = line.slice(0, FRAME_UNITS_MAX);
    const place = frame.includes('node:') ? null : placeIn(frame);
    if (place !== null) return place;
  }
  return 'an unknown place';
}

// Of `at name (folder/file.ts:55:13)`: `folder/file.ts:55`.
function placeIn(frame: string): string | null {
  const [line, path = ''] = frame.split(':').reverse().slice(1);
  const words = path.split('/').slice(-2);
  return words.length === 2 && Number(line) > 0 ? `${words.join('/')}:${line}` : null;
}

function messageOf({ name, message }: Error): string {
  // Parsers quote the text they could not read.
  if (name === 'SyntaxError' || typeof message !== 'string') return '';
  return strikeSecrets(message.slice(0, MESSAGE_UNITS_MAX));
}
