// Posts as a table that spreadsheets open (RFC 4180): lines end with CR LF, texts are quoted with their line breaks in
// them, and a byte order mark says that it is UTF-8, which some would take for something else.

import type { showPost } from './view.ts';

type ShownPost = ReturnType<typeof showPost>;

const COLUMNS = [
  ...(['source', 'messageId', 'date', 'editedAt', 'deletedAt', 'author', 'groupId'] as const),
  ...(['text', 'media', 'storedAt', 'versions'] as const),
];
const LINE_END = '\r\n';
const BYTE_ORDER_MARK = '\ufeff';

// What makes a spreadsheet take a cell for a formula, also by its wide forms: posts are written by strangers.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NEEDS_QUOTES = /[",;\t\r\n]/;

export const CSV_HEAD = `${BYTE_ORDER_MARK}${COLUMNS.join(',')}${LINE_END}`;

export function csvLine(post: ShownPost): string {
  return `${COLUMNS.map((name) => cell(post[name])).join(',')}${LINE_END}`;
}

// An apostrophe makes a text of what would be a formula.
function cell(value: unknown): string {
  if (value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
