// CSV as people have it (RFC 4180, and what spreadsheets make of it): a header that names the columns, one of them
// `chat`; commas, semicolons or tabs; quotes around what holds them, over several lines if need be.
// The hard thing is a quote that is never closed: read to the letter it swallows everyone after it. Records are
// therefore cut line by line, csv-parse reads only what is whole, and a bad line costs no more than itself: where a
// closing quote never comes, or comes only after lines that are recipients of their own, the line that opened it is
// told, and reading goes on with the line after it. Whole records are read some hundred at a time: to begin costs
// csv-parse ten times what a record does.

import { CsvError, parse } from 'csv-parse/sync';
import { NAME_LENGTH_MAX } from '../../accept/context.ts';
import type { BadLine } from '../types.ts';
import { FIELDS_MAX, type LineReader, memberOf, type ReadLine } from './member.ts';

const DELIMITERS = [',', ';', '\t'] as const;
const CHAT = /^chat(_?id)?$/i;
// A chat's id, or the @name of one.
const NUMBER_OR_NAME = /^(?:-?\d+|@.*)$/;
// Of one record. Values have at most 4096 characters, so no record that could be used is longer.
const RECORD_LINES_MAX = 100;
// Whole records that are read together.
const RECORDS_MAX = 200;
const RECORDS_CHARS_MAX = 1_000_000;
const UNCLOSED = 'a closing quote';
const HEADER = 'a header that names the columns, one of them `chat`';

interface Head {
  readonly delimiter: string;
  readonly names: readonly string[];
  readonly chatAt: number;
}

interface Line {
  readonly text: string;
  readonly number: number;
}

export class CsvReader implements LineReader {
  readonly #recordCharsMax: number;
  #head: Head | null = null;
  #isHopeless = false;
  // The lines of a record whose quotes are still open.
  #held: Line[] = [];
  #heldChars = 0;
  #state: CellState = 'start';
  // Records whose quotes are all closed, each with the number of its first line.
  #whole: Line[] = [];
  #wholeChars = 0;

  constructor(recordCharsMax: number) {
    this.#recordCharsMax = recordCharsMax;
  }

  *line(text: string, number: number): Generator<ReadLine> {
    yield* this.#readAll([{ text, number }]);
  }

  // `left`: the next one last.
  *#readAll(left: Line[]): Generator<ReadLine> {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const found = this.#read(next);
      const isFull = this.#whole.length >= RECORDS_MAX || this.#wholeChars > RECORDS_CHARS_MAX;
      if (isFull || found !== null) yield* this.#readWhole();
      if (found === null) continue;
      yield found;
      // It gives back those that were held after it.
      this.#release(left);
    }
  }

  *#readWhole(): Generator<ReadLine> {
    const records = this.#whole;
    this.#whole = [];
    this.#wholeChars = 0;
    if (this.#head === null || records.length === 0) return;
    const cells = cellsOfAll(records, this.#head.delimiter);
    for (const [i, { number }] of records.entries()) {
      yield recipientOf(cells[i]!, this.#head, number);
    }
  }

  *end(): Generator<ReadLine> {
    while (this.#held.length > 0) {
      const [first] = this.#held as [Line];
      const left: Line[] = [];
      this.#release(left);
      yield* this.#readWhole();
      yield { line: first.number, expected: UNCLOSED };
      yield* this.#readAll(left);
    }
    yield* this.#readWhole();
  }

  // All that is held but the first goes back to be read.
  #release(left: Line[]): void {
    for (let at = this.#held.length - 1; at > 0; at--) left.push(this.#held[at]!);
    this.#held = [];
    this.#heldChars = 0;
    this.#state = 'start';
  }

  #read(line: Line): BadLine | null {
    if (this.#isHopeless) return null;
    if (this.#head === null) return this.#readHead(line);
    if (this.#held.length === 0 && line.text.trim() === '') return null;
    if (this.#held.length > 0 && this.#isRecipient(line, this.#head)) return this.#unclosed(line);
    this.#state = stateAfter(line.text, this.#head.delimiter, this.#state);
    this.#held.push(line);
    this.#heldChars += line.text.length + 1;
    switch (this.#state) {
      case 'broken':
        return this.#held.length > 1
          ? { line: this.#held[0]!.number, expected: UNCLOSED }
          : { line: line.number, expected: 'nothing between a closing quote and the next cell' };
      case 'quoted': {
        const isTooLong =
          this.#held.length >= RECORD_LINES_MAX || this.#heldChars > this.#recordCharsMax;
        return isTooLong ? { line: this.#held[0]!.number, expected: UNCLOSED } : null;
      }
      default:
        return this.#keepWhole();
    }
  }

  #unclosed(line: Line): BadLine {
    this.#held.push(line);
    return { line: this.#held[0]!.number, expected: `${UNCLOSED} before the next recipient` };
  }

  #keepWhole(): null {
    const [first] = this.#held as [Line];
    const text = this.#held.map((line) => line.text).join('\n');
    this.#whole.push({ text, number: first.number });
    this.#wholeChars += text.length;
    this.#held = [];
    this.#heldChars = 0;
    this.#state = 'start';
    return null;
  }

  // Whether it would be one if it were read alone. Where chats are names, only after one that begins with a name, too:
  // a line of a longer text often begins with a word.
  #isRecipient({ text, number }: Line, head: Head): boolean {
    const chat = chatOf(text, head, number);
    if (chat === null) return false;
    return NUMBER_OR_NAME.test(chat) || isName(chatOf(this.#held[0]!.text, head, number));
  }

  #readHead({ text, number }: Line): BadLine | null {
    if (text.trim() === '') return null;
    const head = headOf(text);
    if (!('expected' in head)) {
      this.#head = head;
      return null;
    }
    // Without columns no line means anything: the first one says so for all.
    this.#isHopeless = true;
    return { line: number, ...head };
  }
}

// The chat of a line that is read alone; null: it has none.
function chatOf(text: string, head: Head, line: number): string | null {
  const { delimiter, names, chatAt } = head;
  const quote = text.indexOf('"');
  const cells = (quote < 0 ? text : text.slice(0, quote)).split(delimiter);
  const isWhole = chatAt < cells.length - (quote < 0 ? 0 : 1);
  if (names.length > 1 && !text.includes(delimiter)) return null;
  if (isWhole) return memberChat(memberOf(cells[chatAt]!, {}, line));
  const isClosed = stateAfter(text, delimiter, 'start') === 'start';
  return isClosed ? memberChat(recipientOf(cellsOf(text, delimiter), head, line)) : null;
}

function memberChat(found: ReadLine): string | null {
  return 'line' in found ? null : found.chat;
}

function isName(chat: string | null): boolean {
  return chat !== null && !NUMBER_OR_NAME.test(chat);
}

function recipientOf(cells: readonly string[] | null, head: Head, line: number): ReadLine {
  if (cells === null) return { line, expected: 'cells in quotes that are closed' };
  if (cells.length > head.names.length) {
    return { line, expected: `at most ${head.names.length} cells, as the header has` };
  }
  const fields: Record<string, string> = {};
  for (const [i, name] of head.names.entries()) {
    if (i !== head.chatAt && name !== '') fields[name] = cells[i] ?? '';
  }
  return memberOf(cells[head.chatAt] ?? '', fields, line);
}

function headOf(record: string): Head | { expected: string } {
  let best: Head | null = null;
  for (const delimiter of DELIMITERS) {
    const names = cellsOf(record, delimiter)?.map((name) => name.trim()) ?? [];
    const chatAt = names.findIndex((name) => CHAT.test(name));
    const isBetter = chatAt >= 0 && names.length > (best?.names.length ?? 0);
    if (isBetter) best = { delimiter, names, chatAt };
  }
  if (best === null) return { expected: HEADER };
  const named = best.names.filter((name) => name !== '');
  const twice = named.find((name, i) => named.indexOf(name) < i);
  if (twice !== undefined) return { expected: 'a header whose columns have different names' };
  if (named.length > FIELDS_MAX + 1) return { expected: `at most ${FIELDS_MAX} columns` };
  if (named.some((name) => name.length > NAME_LENGTH_MAX)) {
    return { expected: `names of columns of at most ${NAME_LENGTH_MAX} characters` };
  }
  return best;
}

// Of each record; null: its quotes are not closed, or not where they should be.
function cellsOfAll(records: readonly Line[], delimiter: string): (string[] | null)[] {
  const quoted = records.filter(({ text }) => text.includes('"'));
  const read = parsed(quoted.map(({ text }) => text).join('\n'), delimiter);
  // One of them is not what it seemed to be.
  if (read?.length !== quoted.length) return records.map(({ text }) => cellsOf(text, delimiter));
  const next = read.values();
  return records.map(({ text }) =>
    text.includes('"') ? next.next().value! : text.split(delimiter),
  );
}

function cellsOf(record: string, delimiter: string): string[] | null {
  // Without quotes a cell is what stands between two delimiters.
  if (!record.includes('"')) return record.split(delimiter);
  const [cells, ...more] = parsed(record, delimiter) ?? [];
  return cells === undefined || more.length > 0 ? null : cells;
}

// null: it is no CSV.
function parsed(text: string, delimiter: string): string[][] | null {
  try {
    const options = { delimiter, record_delimiter: '\n', relax_quotes: true };
    return parse(text, { ...options, relax_column_count: true }) as string[][];
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
}

// Where a line ends: between cells, inside quotes, or after a closing quote that something follows.
type CellState = 'start' | 'quoted' | 'broken';

// A quote opens only at the beginning of a cell; anywhere else in a cell without quotes it is a character like others.
function stateAfter(text: string, delimiter: string, before: CellState): CellState {
  let at = 0;
  let isQuoted = before === 'quoted';
  for (;;) {
    if (isQuoted) {
      at = closingQuote(text, at);
      if (at < 0) return 'quoted';
      if (at === text.length) return 'start';
      if (text[at] !== delimiter) return 'broken';
      at += 1;
    } else if (text[at] !== '"') {
      const next = text.indexOf(delimiter, at);
      if (next < 0) return 'start';
      at = next + 1;
    }
    isQuoted = text[at] === '"';
    if (isQuoted) at += 1;
    else if (at >= text.length) return 'start';
  }
}

// The place after it; -1: there is none.
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at + 1;
  }
  return -1;
}
