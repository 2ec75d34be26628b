// CSV as people have it (RFC 4180, and what spreadsheets make of it): a header that names the columns, one of them
// `chat`; commas, semicolons or tabs; quotes around what holds them, over several lines if need be.

import { type LineReader, memberOf } from './member.ts';

const DELIMITERS = [',', ';', '\t'];
const CHAT = /^chat(_?id)?$/i;

interface Head {
  readonly delimiter: string;
  readonly names: readonly string[];
  readonly chatAt: number;
}

export function csvReader(recordCharsMax: number): LineReader {
  let head: Head | null = null;
  // A record whose quotes are still open, and where it began.
  let open = '';
  let openedAt = 0;
  return (line, number) => {
    const record = open === '' ? line : `${open}\n${line}`;
    const begunAt = open === '' ? number : openedAt;
    open = '';
    if (record.trim() === '') return null;
    if (hasOpenQuote(record)) {
      if (record.length > recordCharsMax) return { line: begunAt, expected: 'a closing quote' };
      [open, openedAt] = [record, begunAt];
      return null;
    }
    if (head === null) {
      head = headOf(record);
      if (head !== null) return null;
      // Without columns no line means anything: the first one says so for all.
      head = { delimiter: ',', names: [], chatAt: -1 };
      return { line: begunAt, expected: 'a header that names the columns, one of them `chat`' };
    }
    if (head.chatAt < 0) return null;
    const cells = cellsOf(record, head.delimiter);
    if (cells.length > head.names.length) {
      return { line: begunAt, expected: `at most ${head.names.length} cells, as the header has` };
    }
    const fields: Record<string, string> = {};
    for (const [i, name] of head.names.entries()) {
      if (i !== head.chatAt) fields[name] = cells[i] ?? '';
    }
    return memberOf(cells[head.chatAt] ?? '', fields, begunAt);
  };
}

function headOf(record: string): Head | null {
  const counts = DELIMITERS.map((each) => record.split(each).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))]!;
  const names = cellsOf(record, delimiter).map((name) => name.trim());
  const chatAt = names.findIndex((name) => CHAT.test(name));
  return chatAt < 0 ? null : { delimiter, names, chatAt };
}

function hasOpenQuote(record: string): boolean {
  let isOpen = false;
  for (let at = record.indexOf('"'); at >= 0; at = record.indexOf('"', at + 1)) isOpen = !isOpen;
  return isOpen;
}

function cellsOf(record: string, delimiter: string): string[] {
  if (!record.includes('"')) return record.split(delimiter);
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let i = 0; i < record.length; i++) {
    const sign = record[i]!;
    if (isQuoted && sign === '"' && record[i + 1] === '"') {
      cell += '"';
      i += 1;
    } else if (sign === '"') isQuoted = !isQuoted;
    else if (sign === delimiter && !isQuoted) {
      cells.push(cell);
      cell = '';
    } else cell += sign;
  }
  cells.push(cell);
  return cells;
}
