// What is on the disk before the engine opens it, held against the mark: is all there that must be? Damage that leaves
// everything known is mended here (a changed bit in the log, a lost file whose pages are all in the log). The rest is a
// loss, told with its count; the files are left as they are, because to open and close them would tidy the evidence.

import { existsSync, statSync } from 'node:fs';
import { bootId } from '../../../system/boot.ts';
import {
  type Database,
  logFileOf,
  openDatabase,
  sqliteCodeOf,
  sumsFileOf,
} from '../../../system/databases/sqlite.ts';
import type { StoreNote } from '../../store-note.ts';
import { schemaVersionOf } from '../schema/schema.ts';
import { hasOnlyWholeRows } from './dead-rows.ts';
import { mendLog, scanLog } from './engine-log.ts';
import { fileFromLog } from './log-pages.ts';
import { type HeldRows, type Loss, lossOf, lossOfPages } from './loss.ts';
import type { Mark, ReadMark } from './mark.ts';
import { commitsOf, epochOf, wasClosed } from './owner.ts';
import { hasSums, makeSums, verifyPages } from './page-sums.ts';
import { countMissing } from './salvage.ts';

const HELD = `SELECT max((SELECT value FROM meta WHERE name = 'seq_last'),
  (SELECT coalesce(max(seq), 0) FROM deliveries)) AS seqLast,
  (SELECT coalesce(sum(count), 0) FROM tallies WHERE state = 'queued' OR state = 'sending') AS live`;

export interface Checked {
  readonly notes: StoreNote[];
  readonly loss: Loss | null;
}

export function checkStore(file: string, read: ReadMark): Checked {
  const notes: StoreNote[] = [];
  const mark = read.kind === 'mark' ? read.mark : null;
  if (!isThere(file)) {
    const log = scanLog(logFileOf(file));
    if (mark === null && log === null) return { notes, loss: null };
    if (log === null || !fileFromLog(file, log)) {
      return { notes, loss: lossOf(mark, null, `${file} is gone, or empty`) };
    }
    warn(notes, `${file} was gone, or empty; all of it was in its log, and it was written anew`);
  }
  const damaged = checkPages(file, mark, notes);
  let held = holdOf(file);
  const seqLast = mark?.seqLast ?? 0;
  const ofPages = () => lossOfPages(file, damaged!, countMissing(file, damaged!, seqLast), seqLast);
  if (mark === null) {
    if (held?.isLogMissed) return { notes, loss: lossOf(null, held, logMissed(file)) };
    if (held !== null && held.epoch > 0) warn(notes, missingMark(read));
    return { notes, loss: held !== null && damaged !== null ? ofPages() : null };
  }
  while (!holdsAll(held, mark) && mendOnce(file, notes)) held = holdOf(file);
  if (damaged !== null && (held === null || holdsAll(held, mark))) {
    return { notes, loss: ofPages() };
  }
  if (holdsAll(held, mark)) {
    if (held!.epoch > mark.epoch + 1) warn(notes, 'the mark of the store is an old one; made anew');
    return { notes, loss: null };
  }
  return { notes, loss: lossOf(mark, held, held === null ? unreadable(file) : faultOf(file)) };
}

// Pages that are not as they were written, after those were put right that could be; none of them named: they do not
// fit together. null: all are well.
function checkPages(file: string, mark: Mark | null, notes: StoreNote[]): readonly number[] | null {
  const sums = sumsFileOf(file);
  const log = scanLog(logFileOf(file));
  // A process that ended without closing leaves its log. If that is gone, the engine has moved it on its own (a thread
  // was cut off, somebody opened the store with another tool), and nobody has written down the checks of what it moved.
  const isKnown = hasSums(sums) && (log !== null || mark?.pid === 0);
  if (!isKnown) {
    if (!isSound(file)) return [];
    useLog(file);
    makeSums(sums, file);
    return null;
  }
  const { mended, damaged } = verifyPages(sums, file, log);
  if (mended.length > 0) {
    warn(
      notes,
      `one bit had changed in each of these pages of ${file}, and was put right: ${mended}`,
    );
  }
  return damaged.length > 0 ? damaged : null;
}

// A snapshot is a store without a log. To give it one changes its first page, and not by way of the log: so that is
// done before the checks are made.
function useLog(file: string): void {
  const db = openDatabase(file, { readOnly: false, busyMsMax: 0 });
  try {
    db.exec('PRAGMA journal_mode = WAL');
  } finally {
    db.close();
  }
}

// As the engine sees it: whole, and its indexes agree with its tables.
export function isSound(file: string): boolean {
  let db: Database | null = null;
  try {
    db = openDatabase(file, { readOnly: true, busyMsMax: 0 });
    return db.prepare('PRAGMA integrity_check(1)').get()?.integrity_check === 'ok';
  } catch (error) {
    if (sqliteCodeOf(error) === null) throw error;
    return false;
  } finally {
    db?.close();
  }
}

// The engine's checks and ours. A store that is too large is not looked through as often as it takes.
const TRIED_BYTES_MAX = 256 * 1024 * 1024;

export function fitsItsChecks(file: string): boolean {
  if (statSync(file).size > TRIED_BYTES_MAX || !isSound(file)) return false;
  const db = openDatabase(file, { readOnly: true, busyMsMax: 0 });
  try {
    return schemaVersionOf(db) === 0 || hasOnlyWholeRows(db);
  } finally {
    db.close();
  }
}

// A later start than the mark's has written the store: then it held what the mark says when that start began.
function holdsAll(held: HeldRows | null, mark: Mark): boolean {
  if (held === null || held.epoch < mark.epoch) return false;
  return held.epoch > mark.epoch || held.commits >= mustHold(mark);
}

// What was written outlives the process; the machine only what was forced to the disk.
function mustHold({ boot, written, forced }: Mark): number {
  return boot !== null && boot === bootId() ? written : forced;
}

function mendOnce(file: string, notes: StoreNote[]): boolean {
  const path = logFileOf(file);
  const log = scanLog(path);
  if (log === null || !mendLog(path, log, () => fitsItsChecks(file))) return false;
  warn(notes, `one bit of ${path} had changed (frame ${log.badFrame}) and was put right`);
  return true;
}

function faultOf(file: string): string {
  const path = logFileOf(file);
  const log = scanLog(path);
  if (log === null) return `its log ${path} is gone or empty, or the store is an older one`;
  if (log.badFrame === 0) return `the beginning of its log ${path} is damaged`;
  return `its log ${path} is damaged or cut short after frame ${log.badFrame - 1}, or the store is an older one`;
}

const unreadable = (file: string) => `${file} cannot be read as a store`;

function isThere(file: string): boolean {
  return existsSync(file) && statSync(file).size > 0;
}

export function hold(db: Database): { seqLast: number; live: number } {
  const row = db.prepare(HELD).get();
  return { seqLast: Number(row?.seqLast), live: Number(row?.live) };
}

// Read without changing anything; null: it cannot be.
function holdOf(file: string): HeldRows | null {
  // To open the store makes a log.
  const isLogGone = scanLog(logFileOf(file)) === null;
  let db: Database | null = null;
  try {
    db = openDatabase(file, { readOnly: true, busyMsMax: 0 });
    if (schemaVersionOf(db) === 0) {
      return { epoch: 0, commits: 0, seqLast: 0, live: 0, isLogMissed: false };
    }
    const isLogMissed = isLogGone && wasClosed(db) === false;
    return { epoch: epochOf(db), commits: commitsOf(db), ...hold(db), isLogMissed };
  } catch (error) {
    if (sqliteCodeOf(error) === null) throw error;
    return null;
  } finally {
    db?.close();
  }
}

const logMissed = (file: string) =>
  `it was not closed, its log ${logFileOf(file)} is gone or empty, and so is its mark`;

function missingMark(read: ReadMark): string {
  const how = read.kind === 'none' ? 'missing' : 'damaged';
  return `the mark of the store is ${how}: nobody can say whether all is there that was; made anew`;
}

function warn(notes: StoreNote[], text: string): void {
  notes.push({ level: 'warn', text });
}
