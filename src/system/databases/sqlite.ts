// The only way to the SQLite driver. Synchronous by nature, so it is opened in worker threads, or
// in commands that serve nobody meanwhile. Errors keep the engine's primary result code.

import { join } from 'node:path';
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite';

export type Database = DatabaseSync;
export type Statement = StatementSync;
export type SqlInput = SQLInputValue;
export type SqlRow = Record<string, SQLOutputValue>;

export const SQLITE = {
  BUSY: 5,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
} as const;

// The engine's own measure, which the store has never changed.
export const PAGE_BYTES = 4096;

export function storeFileOf(dir: string): string {
  return join(dir, 'sluice.db');
}

// How much the store must hold; see store/sqlite/files/mark.ts.
export function markFileOf(dir: string): string {
  return join(dir, 'sluice.mark');
}

// A check for every page of the store; see store/sqlite/files/page-sums.ts.
export function sumsFileOf(path: string): string {
  return path.replace(/\.db$/, '.sums');
}

// The engine's log of what was committed and not yet moved into the file; it is there while the store is open.
export function logFileOf(path: string): string {
  return `${path}-wal`;
}

// What the connections of a store share: above all, how far its log goes.
export function sharedFileOf(path: string): string {
  return `${path}-shm`;
}

export function openDatabase(
  path: string,
  options: { readOnly: boolean; busyMsMax: number },
): Database {
  return new DatabaseSync(path, { readOnly: options.readOnly, timeout: options.busyMsMax });
}

// Rows of this statement come as arrays, in the order of its columns.
export function prepareArrays(db: Database, sql: string): Statement {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

// The primary result code, or null when the error is not the engine's.
export function sqliteCodeOf(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null;
}
