// Lists of recipients as they arrive: CSV with a header, one JSON document per line, or one chat per line. Read piece
// by piece, so that a list of millions costs no memory; what cannot be read is told with the number of its line.

import type { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import type { ListFormat } from '../../domain/recipient-list.ts';
import { parseJson } from '../../system/json.ts';
import type { BadLine, NewMember, Piece } from '../types.ts';
import { CsvReader } from './csv.ts';
import { type LineReader, memberOf, type ReadLine } from './member.ts';

const LINE_CHARS_MAX = 65_536;
const LINE_END = /\r\n?|\n/g;
const PIECE_MAX = 500;

export async function* readRecipients(source: Readable, format: ListFormat): AsyncGenerator<Piece> {
  const read = readerOf(format);
  const lines = new NumberedLines();
  const decoder = new ListDecoder();
  for await (const chunk of source) {
    const text = decoder.decode(chunk as Buffer);
    if (text === null) {
      yield notText(lines);
      return;
    }
    yield* pieces(read, lines.add(text));
  }
  const rest = decoder.end();
  if (rest === null) {
    yield notText(lines);
    return;
  }
  yield* pieces(read, [...lines.add(rest), ...lines.end()]);
  yield* pieces(read, [], true);
}

// Small ones: what waits for the store to take it stays in memory.
function* pieces(read: LineReader, lines: Iterable<Line>, isEnd = false): Generator<Piece> {
  let members: NewMember[] = [];
  let bad: BadLine[] = [];
  for (const found of foundIn(read, lines, isEnd)) {
    if ('line' in found) bad.push(found);
    else members.push(found);
    if (members.length + bad.length < PIECE_MAX) continue;
    yield { members, bad };
    [members, bad] = [[], []];
  }
  if (members.length + bad.length > 0) yield { members, bad };
}

function* foundIn(read: LineReader, lines: Iterable<Line>, isEnd: boolean): Generator<ReadLine> {
  for (const { text, number } of lines) {
    if (text !== null) yield* read.line(text, number);
    else {
      yield* read.end();
      yield { line: number, expected: `at most ${LINE_CHARS_MAX} characters` };
    }
  }
  if (isEnd) yield* read.end();
}

function notText({ number }: NumberedLines): Piece {
  return { members: [], bad: [{ line: number, expected: 'text encoded as UTF-8 or UTF-16' }] };
}

// UTF-8, or UTF-16 as spreadsheets write it, told by its mark or by the zeros beside its first characters.
class ListDecoder {
  #decoder: TextDecoder | null = null;
  #head: Buffer = Buffer.alloc(0);

  // null: it is no such text.
  decode(chunk: Buffer): string | null {
    if (this.#decoder !== null) return this.#read(chunk, true);
    this.#head = Buffer.concat([this.#head, chunk]);
    return this.#head.length < HEAD_BYTES ? '' : this.#start(true);
  }

  end(): string | null {
    return this.#decoder === null ? this.#start(false) : this.#read(Buffer.alloc(0), false);
  }

  #start(stream: boolean): string | null {
    this.#decoder = new TextDecoder(encodingOf(this.#head), { fatal: true });
    return this.#read(this.#head, stream);
  }

  #read(chunk: Buffer, stream: boolean): string | null {
    try {
      return this.#decoder!.decode(chunk, { stream });
    } catch {
      return null;
    }
  }
}

const HEAD_BYTES = 2;

function encodingOf([first, second]: Buffer): string {
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || first === 0 ? 'utf-16be' : 'utf-8';
}

function readerOf(format: ListFormat): LineReader {
  switch (format) {
    case 'csv':
      return new CsvReader(LINE_CHARS_MAX);
    case 'ndjson':
      return eachLine(readJson);
    case 'text':
      return eachLine((line, number) => memberOf(line, {}, number));
  }
}

// Every line stands for itself; empty ones for nothing.
function eachLine(read: (line: string, number: number) => ReadLine): LineReader {
  return {
    line: (text, number) => (text.trim() === '' ? [] : [read(text, number)]),
    end: () => [],
  };
}

function readJson(line: string, number: number): ReadLine {
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
}

interface Line {
  // null: it was too long.
  readonly text: string | null;
  readonly number: number;
}

// Cuts text into lines, however its pieces fall. A line ends with LF, CR or both.
class NumberedLines {
  number = 1;
  #rest = '';
  #isTooLong = false;
  // The last piece ended with CR: an LF at the beginning of the next belongs to it.
  #isAfterCr = false;

  *add(piece: string): Generator<Line> {
    if (piece === '') return;
    const text = this.#isAfterCr && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.#isAfterCr = piece.endsWith('\r');
    let from = 0;
    for (const { index, 0: end } of text.matchAll(LINE_END)) {
      yield this.#line(text.slice(from, index));
      from = index + end.length;
    }
    const rest = text.slice(from);
    if (this.#rest.length + rest.length > LINE_CHARS_MAX) this.#isTooLong = true;
    this.#rest = this.#isTooLong ? '' : this.#rest + rest;
  }

  end(): Line[] {
    return this.#rest === '' && !this.#isTooLong ? [] : [this.#line('')];
  }

  #line(end: string): Line {
    const text = this.#rest === '' ? end : this.#rest + end;
    const isTooLong = this.#isTooLong || text.length > LINE_CHARS_MAX;
    const line = { text: isTooLong ? null : text, number: this.number };
    this.#rest = '';
    this.#isTooLong = false;
    this.number += 1;
    return line;
  }
}
