// The check that a delivery's row carries: over its number, what it says and where it goes. The engine does not notice
// a changed byte within a value; whoever reads a body back to send or show it holds it against this. The account is
// left out, because accounts can be given other ids.

import { crc32 } from 'node:zlib';

export interface CheckedRow {
  readonly seq: number;
  readonly chat: string;
  readonly thread: string | null;
  readonly method: string;
  readonly body: string;
}

// In plain arguments: it runs for every message that is accepted.
export function rowCheck(
  seq: number,
  chat: string,
  thread: string | null,
  method: string,
  body: string,
): number {
  // In two steps, so that the body is not copied behind the rest.
  return crc32(body, crc32(`${seq}\0${chat}\0${thread ?? ''}\0${method}\0`));
}

// `check` is null in rows that an older version wrote, the body where it is no longer kept: neither can be checked.
export function isIntact(
  row: Omit<CheckedRow, 'body'> & { readonly body: string | null },
  check: number | null,
): boolean {
  if (check === null || row.body === null) return true;
  return check === rowCheck(row.seq, row.chat, row.thread, row.method, row.body);
}
