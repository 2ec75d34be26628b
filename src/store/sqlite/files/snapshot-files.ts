// The uploads that a snapshot holds: those of messages that may still go, as a table of pieces in the copy of the
// store, so that a snapshot stays one file. A restore writes them into the spool and drops the table.
// While a snapshot is taken the gateway goes on, and removes the files of what it has sent meanwhile. What was there at
// the beginning is held open, so that it can be read although its name is gone.

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { FILE_ID, SPOOL_FOLDER } from '../../../domain/body.ts';
import type { State } from '../../../domain/delivery.ts';
import type { Database } from '../../../system/databases/sqlite.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../../../system/private-files.ts';
import { mayStillGo } from '../../rules.ts';
import { JournalOpenError } from '../../store-error.ts';

const PIECE_BYTES = 1024 * 1024;
// Beyond so many, files are opened when their turn comes.
const OPEN_FILES_MAX = 1000;

const TABLE = 'snapshot_files';
export const CREATE_SNAPSHOT_FILES = `CREATE TABLE ${TABLE} (
  id TEXT NOT NULL,
  piece INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (id, piece)
) STRICT`;

export interface PackedFiles {
  readonly files: number;
  // Of messages that may still go, and not in the spool: they will die with that reason.
  readonly missing: number;
}

export class HeldFiles {
  readonly #spool: string;
  readonly #open = new Map<string, number>();

  constructor(dataDir: string) {
    this.#spool = join(dataDir, SPOOL_FOLDER);
    const names = existsSync(this.#spool) ? readdirSync(this.#spool) : [];
    for (const id of names.filter((name) => FILE_ID.test(name)).slice(0, OPEN_FILES_MAX)) {
      const file = openIfThere(join(this.#spool, id));
      if (file !== null) this.#open.set(id, file);
    }
  }

  // Into the copy of the store, which nobody else has open.
  packInto(copy: Database): PackedFiles {
    const ids = neededIn(copy);
    if (ids.length === 0) return { files: 0, missing: 0 };
    // A copy that fails is thrown away, and a whole one is synced when it is published.
    copy.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
    copy.exec(`BEGIN; ${CREATE_SNAPSHOT_FILES}`);
    const missing = ids.filter((id) => !this.#pack(copy, id)).length;
    copy.exec('COMMIT');
    return { files: ids.length - missing, missing };
  }

  close(): void {
    for (const file of this.#open.values()) closeSync(file);
    this.#open.clear();
  }

  #pack(copy: Database, id: string): boolean {
    const held = this.#open.get(id);
    const file = held ?? openIfThere(join(this.#spool, id));
    if (file === null) return false;
    const insert = copy.prepare(`INSERT INTO ${TABLE} (id, piece, bytes) VALUES (?, ?, ?)`);
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    for (let n = 0; ; n += 1) {
      const size = readSync(file, piece, 0, PIECE_BYTES, n * PIECE_BYTES);
      // An empty file has one piece, too.
      if (size > 0 || n === 0) insert.run(id, n, piece.subarray(0, size));
      if (size < PIECE_BYTES) break;
    }
    if (held === undefined) closeSync(file);
    return true;
  }
}

// Writes what the snapshot holds into the spool of the folder. One of an older version holds none.
export function unpackFiles(copy: Database, dataDir: string): void {
  if (!hasTable(copy, TABLE)) return;
  const spool = join(dataDir, SPOOL_FOLDER);
  makePrivateFolder(spool);
  const rows = copy.prepare(`SELECT DISTINCT id FROM ${TABLE} ORDER BY id`).all();
  for (const { id } of rows) unpack(copy, spool, String(id));
  syncFolder(spool);
  copy.exec(`DROP TABLE ${TABLE}`);
  copy.exec('VACUUM');
}

function unpack(copy: Database, spool: string, id: string): void {
  const part = join(spool, 'restored.part');
  const hash = createHash('sha256');
  const pieces = copy.prepare(`SELECT bytes FROM ${TABLE} WHERE id = ? ORDER BY piece`);
  const file = openSync(part, 'w', PRIVATE_FILE);
  try {
    for (const { bytes } of pieces.iterate(id)) {
      hash.update(bytes as Uint8Array);
      writeAll(file, bytes as Uint8Array);
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  // Its id is the digest of its content, and only such a name is given to a file.
  if (hash.digest('base64url') !== id) {
    throw new JournalOpenError('corrupt', 'an uploaded file in the snapshot is damaged');
  }
  renameSync(part, join(spool, id));
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

function neededIn(copy: Database): string[] {
  // Of a store that an older version has written.
  if (!hasTable(copy, 'spooled')) return [];
  const rows = copy
    .prepare('SELECT s.id, d.state FROM spooled s JOIN deliveries d ON d.seq = s.seq')
    .all();
  const needed = rows.filter(({ state }) => mayStillGo(state as State));
  return [...new Set(needed.map(({ id }) => String(id)))].sort();
}

function hasTable(db: Database, name: string): boolean {
  const sql = `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`;
  return db.prepare(sql).get(name) !== undefined;
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
