// Lists of recipients as they arrive: CSV with a header, one JSON document per line, or one chat per line. Read piece
// by piece, so that a list of millions costs no memory; what cannot be read is told with the number of its line.

import type { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import type { NewMember } from '../broadcast/broadcast.ts';
import { parseJson } from '../system/json.ts';
import { csvReader } from './csv.ts';
import { type BadLine, type LineReader, memberOf } from './member.ts';

export const LIST_FORMATS = ['csv', 'ndjson', 'text'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

export const LIST_TYPES: Readonly<Record<string, ListFormat>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'text/plain': 'text',
};

export interface Piece {
  readonly members: readonly NewMember[];
  readonly bad: readonly BadLine[];
}

const LINE_CHARS_MAX = 65_536;
const PIECE_MAX = 500;

export function formatOf(
  type: string | undefined,
  fileName: string | undefined,
): ListFormat | null {
  const known = LIST_TYPES[(type ?? '').split(';', 1)[0]!.trim().toLowerCase()];
  if (known !== undefined) return known;
  const ending = /\.(csv|ndjson|jsonl|txt)$/i.exec(fileName ?? '')?.[1]?.toLowerCase();
  if (ending === undefined) return null;
  return ending === 'csv' ? 'csv' : ending === 'txt' ? 'text' : 'ndjson';
}

export async function* readRecipients(source: Readable, format: ListFormat): AsyncGenerator<Piece> {
  const read = readerOf(format);
  const lines = new Lines();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of source) {
    const text = decoded(decoder, chunk as Buffer);
    if (text === null) {
      yield { members: [], bad: [{ line: lines.number, expected: 'text encoded as UTF-8' }] };
      return;
    }
    yield* pieces(read, lines.add(text));
  }
  yield* pieces(read, lines.end());
}

// Small ones: what waits for the store to take it stays in memory.
function* pieces(read: LineReader, lines: Iterable<Line>): Generator<Piece> {
  let members: NewMember[] = [];
  let bad: BadLine[] = [];
  for (const { text, number } of lines) {
    const found = text === null ? tooLong(number) : read(text, number);
    if (found === null) continue;
    if ('line' in found) bad.push(found);
    else members.push(found);
    if (members.length + bad.length < PIECE_MAX) continue;
    yield { members, bad };
    [members, bad] = [[], []];
  }
  if (members.length + bad.length > 0) yield { members, bad };
}

function tooLong(line: number): BadLine {
  return { line, expected: `at most ${LINE_CHARS_MAX} characters` };
}

function decoded(decoder: TextDecoder, chunk: Buffer): string | null {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    return null;
  }
}

function readerOf(format: ListFormat): LineReader {
  switch (format) {
    case 'csv':
      return csvReader(LINE_CHARS_MAX);
    case 'ndjson':
      return jsonReader;
    case 'text':
      return (line, number) => (line.trim() === '' ? null : memberOf(line, {}, number));
  }
}

const jsonReader: LineReader = (line, number) => {
  if (line.trim() === '') return null;
  const parsed = parseJson(line);
  if (parsed.kind === 'failure') {
    const { fault, detail } = parsed;
    return {
      line: number,
      expected: `one JSON document${fault === 'syntax' ? '' : `: it is ${detail}`}`,
    };
  }
  const { value } = parsed;
  if (typeof value !== 'object' || value === null) return memberOf(value, {}, number);
  const { chat, chat_id: chatId, fields, ...others } = value as Record<string, unknown>;
  return memberOf(chat ?? chatId, fields ?? others, number);
};

interface Line {
  // null: it was too long.
  readonly text: string | null;
  readonly number: number;
}

// Cuts text into lines, however its pieces fall.
class Lines {
  number = 1;
  #rest = '';
  #isTooLong = false;

  *add(text: string): Generator<Line> {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      yield this.#line(text.slice(from, end));
      from = end + 1;
    }
    const rest = text.slice(from);
    if (this.#rest.length + rest.length > LINE_CHARS_MAX) this.#isTooLong = true;
    this.#rest = this.#isTooLong ? '' : this.#rest + rest;
  }

  end(): Line[] {
    return this.#rest === '' && !this.#isTooLong ? [] : [this.#line('')];
  }

  #line(end: string): Line {
    const whole = this.#rest === '' ? end : this.#rest + end;
    const text = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    const isTooLong = this.#isTooLong || text.length > LINE_CHARS_MAX;
    const line = { text: isTooLong ? null : text, number: this.number };
    this.#rest = '';
    this.#isTooLong = false;
    this.number += 1;
    return line;
  }
}
