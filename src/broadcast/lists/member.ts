// One recipient, read once: a chat in the one form it is compared by, and fields as text.

import { NAME_LENGTH_MAX } from '../../accept/context.ts';
import type { BadLine, NewMember } from '../types.ts';

export type ReadLine = NewMember | BadLine;

// Reads a list line by line. What a line comes to may be known only after others.
export interface LineReader {
  line(text: string, number: number): Iterable<ReadLine>;
  // The next line is too long to be read; or there is none.
  end(): Iterable<ReadLine>;
}

export const FIELDS_MAX = 64;
const VALUE_LENGTH_MAX = 4096;
// What a spreadsheet makes of a long number.
const SHORTENED = /^-?\d([.,]\d+)?E\+?\d+$/i;
const WHOLE = /^[+]?(-?)(\d+)$/;
const LEADING_ZEROS = /^0+(?=\d)/;

export function memberOf(chat: unknown, fields: unknown, line: number): NewMember | BadLine {
  const known = chatOf(chat);
  if ('expected' in known) return { line, ...known };
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    return { line, expected: 'fields with names' };
  }
  const entries = Object.entries(fields);
  if (entries.length > FIELDS_MAX) return { line, expected: `at most ${FIELDS_MAX} fields` };
  const texts: Record<string, string> = {};
  for (const [name, value] of entries) {
    if (typeof value === 'object' && value !== null) {
      return { line, expected: `a text or a number as ${name}` };
    }
    if (name.length > NAME_LENGTH_MAX) {
      return { line, expected: `names of fields of at most ${NAME_LENGTH_MAX} characters` };
    }
    const text = typeof value === 'string' ? value : String(value ?? '');
    if (text.length > VALUE_LENGTH_MAX) {
      return { line, expected: `at most ${VALUE_LENGTH_MAX} characters as ${name}` };
    }
    texts[name] = text;
  }
  return { chat: known.chat, fields: texts };
}

function chatOf(chat: unknown): { chat: string } | { expected: string } {
  const text = typeof chat === 'number' ? String(chat) : chat;
  if (typeof text !== 'string') return { expected: 'a chat: its id or @name' };
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > NAME_LENGTH_MAX || /\s/.test(trimmed)) {
    return { expected: 'a chat: its id or @name' };
  }
  if (SHORTENED.test(trimmed)) {
    return { expected: 'the whole number of the chat (a spreadsheet has shortened it)' };
  }
  // Names do not tell cases apart, and numbers no leading zeros.
  if (trimmed.startsWith('@')) return { chat: trimmed.toLowerCase() };
  const whole = WHOLE.exec(trimmed);
  return { chat: whole === null ? trimmed : whole[1]! + whole[2]!.replace(LEADING_ZEROS, '') };
}
