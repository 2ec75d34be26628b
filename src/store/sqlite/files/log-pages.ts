// The store's file from the pages in its log, when the file itself is gone: a young store has all of them there. The
// engine would take an empty file for a new store, and throw the log away.

import { closeSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { logFileOf, PAGE_BYTES } from '../../../system/databases/sqlite.ts';
import { makePrivateFile } from '../../../system/private-files.ts';
import { FRAME_HEADER_BYTES, frameOffset, type ScannedLog } from './engine-log.ts';

// Says whether it could: every page must be there.
export function fileFromLog(file: string, { pages, pageCount }: ScannedLog): boolean {
  for (let page = 1; page <= pageCount; page++) if (!pages.has(page)) return false;
  if (pageCount === 0) return false;
  rmSync(file, { force: true });
  makePrivateFile(file);
  const from = openSync(logFileOf(file), 'r');
  const to = openSync(file, 'r+');
  try {
    const bytes = Buffer.alloc(PAGE_BYTES);
    for (let page = 1; page <= pageCount; page++) {
      readSync(from, bytes, 0, PAGE_BYTES, frameOffset(pages.get(page)!) + FRAME_HEADER_BYTES);
      writeSync(to, bytes, 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
    }
    fsyncSync(to);
    return true;
  } finally {
    closeSync(from);
    closeSync(to);
  }
}
