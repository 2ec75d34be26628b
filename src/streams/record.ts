// A stream as its record on disk: everything a new process needs to go on.

import type { StoredStream } from '../store/ports/streams.ts';
import { jsonOrUndefined } from '../system/json.ts';
import type { Part } from './plan.ts';
import { Stream } from './stream-state.ts';
import type { NewStream } from './streams.ts';

// What stands in the record beside the text.
const KEPT = [
  ...(['state', 'reason', 'transport', 'parts', 'made', 'cuts', 'finals', 'resent'] as const),
  ...(['changedAt', 'endedAt', 'shownUnits', 'superseded'] as const),
] as const;

type Kept = Pick<Stream, (typeof KEPT)[number]>;
type Written = Kept & { readonly asked: NewStream; readonly openedAt: number };

export function storedOf(stream: Stream): StoredStream {
  const { id, text, endedAt, asked, openedAt } = stream;
  const kept = Object.fromEntries(KEPT.map((name) => [name, stream[name]]));
  const { account } = asked;
  return { id, account, endedAt, text, record: JSON.stringify({ asked, openedAt, ...kept }) };
}

// null: the record cannot be read.
export function streamOf({ id, text, record }: StoredStream): Stream | null {
  const written = jsonOrUndefined(record);
  if (!isWritten(written)) return null;
  const { asked, openedAt, ...kept } = written;
  const stream = new Stream(id, asked, kept.transport, openedAt);
  return Object.assign(stream, kept, { text, durable: text });
}

function isWritten(value: unknown): value is Written {
  if (typeof value !== 'object' || value === null) return false;
  const { asked, openedAt, state, parts, finals, cuts } = value as Partial<Written>;
  if (typeof asked !== 'object' || asked === null) return false;
  const names = [asked.account, asked.platform, asked.chat, state];
  const lists = [parts, finals, cuts];
  return (
    typeof openedAt === 'number' &&
    names.every((name) => typeof name === 'string') &&
    lists.every((list) => Array.isArray(list))
  );
}

// What the last process told a message to show may not have been written down.
export function unsure(parts: readonly Part[]): Part[] {
  return parts.map((part) => ({ ...part, digest: null }));
}
