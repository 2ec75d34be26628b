// Opening the store's files: the lock, the pragmas, the migrations, and every way it can fail said
// in words. The hard thing is the lock: it must keep a second process out for the life of this one
// and leave nothing behind after kill -9. An exclusive transaction on an empty file beside the
// store does both.

import { closeSync, fdatasyncSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bootId, processStart } from '../../../system/boot.ts';
import { systemClock } from '../../../system/clock.ts';
import {
  type Database,
  logFileOf,
  markFileOf,
  openDatabase,
  SQLITE,
  sqliteCodeOf,
  storeFileOf,
  sumsFileOf,
} from '../../../system/databases/sqlite.ts';
import {
  makePrivateFile,
  makePrivateFolder,
  type Tightened,
  tighten,
} from '../../../system/private-files.ts';
import { JournalOpenError } from '../../store-error.ts';
import type { StoreNote } from '../../store-note.ts';
import { migrate } from '../schema/schema.ts';
import { checkStore, hold, isSound } from './check.ts';
import { Checkpoints, type Mover } from './checkpoints.ts';
import { type AcceptedLoss, type Loss, lossesOf, recordLoss, refusal, setAside } from './loss.ts';
import { type ReadMark, readMark, StoreMark } from './mark.ts';
import { epochOf, OwnerLost, refuseLiveOwner, StoreOwner } from './owner.ts';
import { hasSums, makeSums, PageSums } from './page-sums.ts';
import { salvage } from './salvage.ts';

export interface OpenOptions {
  readonly dir: string;
  // A bound on the store's size, in pages; null: the disk is the bound.
  readonly pageCountMax: number | null;
  // A store that holds less than it must is opened all the same; the loss is recorded.
  readonly acceptLoss?: boolean;
}

export interface OpenStore {
  readonly db: Database;
  readonly notes: readonly StoreNote[];
  readonly owner: StoreOwner;
  readonly mark: StoreMark;
  readonly checkpoints: Checkpoints;
  // Those that were accepted, the latest last.
  readonly losses: readonly AcceptedLoss[];
  // Forces all that was committed to the disk. Throws LogLost when the disk does not take it.
  sync(): void;
  close(): void;
}

const BUSY_MS_MAX = 5_000;
// A predecessor that is just ending gets this long to let go.
const LOCK_MS_MAX = 1_000;
// What Sluice keeps in the data folder.
const OURS = /^(sluice\.|(spool|secret|admin-key|address)$)/;
const CACHE_KIB = 32 * 1024;
const KEPT_DEAD = 'of them can be read in part, and are kept as dead letters (damaged)';
const NOTHING_MISSING =
  'accept_loss is set, and nothing is missing: remove it, or the next loss is accepted unseen';

// For every connection that writes.
export const NO_OWN_CHECKPOINTS = 'PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0';

// `mover`: what moves the log beside the writing.
export function openStore(options: OpenOptions, mover: Mover | null = null): OpenStore {
  makeFolder(options.dir);
  const lock = takeLock(options.dir);
  try {
    const notes = tighten(options.dir, (name) => OURS.test(name)).map(noteOf);
    const read = readMark(markFileOf(options.dir));
    refuseLiveOwner(read, markFileOf(options.dir), options.dir);
    const loss = checkFiles(options, read, notes);
    return openFiles(options, { read, loss, notes, lock, mover });
  } catch (error) {
    lock.close();
    throw explained(error, options.dir);
  }
}

// The loss that is accepted, if there is one.
function checkFiles(options: OpenOptions, read: ReadMark, notes: StoreNote[]): Loss | null {
  const { acceptLoss = false } = options;
  const file = storeFileOf(options.dir);
  const checked = checkStore(file, read);
  notes.push(...checked.notes);
  const { loss } = checked;
  if (loss === null) {
    if (acceptLoss) notes.push({ level: 'warn', text: NOTHING_MISSING });
    return null;
  }
  if (!acceptLoss) throw refusal(loss);
  notes.push({ level: 'warn', text: `the store goes on with a loss: ${loss.text}` });
  keepWhatIsLeft(file, loss, notes);
  return loss;
}

// What can be read goes into a store without damage; the files as they were are kept.
function keepWhatIsLeft(file: string, loss: Loss, notes: StoreNote[]): void {
  if (loss.isReadable && loss.damaged.length === 0 && isSound(file)) {
    makeSums(sumsFileOf(file), file);
    return;
  }
  const aside = setAside(file, notes);
  if (aside !== null && loss.isReadable) {
    const kept = salvage(aside, loss, file, systemClock().now());
    if (kept > 0) notes.push({ level: 'warn', text: `${kept} ${KEPT_DEAD}` });
  }
  makePrivateFile(file);
  makeSums(sumsFileOf(file), file);
}

interface Found {
  readonly read: ReadMark;
  readonly loss: Loss | null;
  readonly notes: StoreNote[];
  readonly lock: Database;
  readonly mover: Mover | null;
  // Nothing was in its file.
  readonly isNew: boolean;
}

function openFiles(options: OpenOptions, checked: Omit<Found, 'isNew'>): OpenStore {
  const file = storeFileOf(options.dir);
  makePrivateFile(file);
  const isNew = statSync(file).size === 0;
  if (!hasSums(sumsFileOf(file))) makeSums(sumsFileOf(file), file);
  const db = openFile(file, options.pageCountMax);
  try {
    return openMarked(options, db, { ...checked, isNew });
  } catch (error) {
    db.close();
    throw error;
  }
}

function openMarked(options: OpenOptions, db: Database, found: Found): OpenStore {
  const { read, loss, notes, lock, mover, isNew } = found;
  const file = storeFileOf(options.dir);
  const sums = new PageSums(sumsFileOf(file), logFileOf(file));
  const checkpoints = new Checkpoints(db, sums, mover);
  // What a crash has left in the log. That of a new store holds all of it, and can stand in for the file.
  if (!isNew) checkpoints.moveAll();
  const log = openSync(logFileOf(file), 'r+');
  const epoch = 1 + Math.max(epochOf(db), read.kind === 'mark' ? read.mark.epoch : 0);
  const owner = takeOver(db, epoch, loss);
  fdatasyncSync(log);
  // The file itself says from now on that its log is not to be missed.
  if (!isNew) checkpoints.moveAll();
  const { pid } = process;
  const { commits } = owner;
  const mark = new StoreMark(markFileOf(options.dir), {
    ...{ epoch, boot: bootId(), pid, pidStart: processStart(pid) ?? 0 },
    ...{ written: commits, forced: commits, ...hold(db) },
  });
  return {
    db,
    notes,
    owner,
    mark,
    checkpoints,
    losses: lossesOf(db),
    sync() {
      forceToDisk(log);
      mark.forced();
    },
    close() {
      leave(owner, checkpoints);
      mark.release();
      closeSync(log);
      db.close();
      sums.close();
      lock.close();
    },
  };
}

// The engine moves what is left when its last connection closes; the checks of it are written down before.
function leave(owner: StoreOwner, checkpoints: Checkpoints): void {
  try {
    owner.close();
    checkpoints.moveAll();
  } catch (error) {
    if (error instanceof OwnerLost) return;
    if (sqliteCodeOf(error) === null && systemCodeOf(error) === null) throw error;
  }
}

function takeOver(db: Database, epoch: number, loss: Loss | null): StoreOwner {
  db.exec('BEGIN IMMEDIATE');
  try {
    const owner = new StoreOwner(db, epoch);
    if (loss !== null) recordLoss(db, loss, systemClock().now());
    db.exec('COMMIT');
    return owner;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

// What the disk has refused to keep may be half there: nobody can say what is durable any more, and trying again
// would only seem to help. The one honest thing is to stop and to read the store anew.
export class LogLost extends Error {
  override readonly name = 'LogLost';
}

function forceToDisk(log: number): void {
  try {
    fdatasyncSync(log);
  } catch (error) {
    throw new LogLost(`the disk did not take what was written: ${String(error)}`);
  }
}

// The engine writes each commit to its log; when the log is forced to the disk is decided by whoever commits, and when
// it is moved into the file by checkpoints.ts.
function openFile(path: string, pageCountMax: number | null): Database {
  const db = openDatabase(path, { readOnly: false, busyMsMax: BUSY_MS_MAX });
  try {
    db.exec(`PRAGMA journal_mode = WAL; ${NO_OWN_CHECKPOINTS}; PRAGMA cache_size = -${CACHE_KIB}`);
    migrate(db);
    if (pageCountMax !== null) db.exec(`PRAGMA max_page_count = ${pageCountMax}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

export function quickCheck(db: Database): void {
  const found = db.prepare('PRAGMA quick_check(1)').get()?.quick_check;
  if (found !== 'ok') throw new JournalOpenError('corrupt', corruptSentence(String(found)));
}

function makeFolder(dir: string): void {
  try {
    makePrivateFolder(dir);
  } catch (error) {
    throw explained(error, dir);
  }
}

function noteOf(found: Tightened): StoreNote {
  const { path } = found;
  if (found.kind === 'tightened') {
    return { level: 'warn', text: `${path} was open to other users; now it is not` };
  }
  return { level: 'warn', text: `${path} is open to other users: ${found.why}` };
}

function takeLock(dir: string): Database {
  let lock: Database | undefined;
  try {
    const path = join(dir, 'sluice.lock');
    makePrivateFile(path);
    lock = openDatabase(path, { readOnly: false, busyMsMax: LOCK_MS_MAX });
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    if (sqliteCodeOf(error) === SQLITE.BUSY) {
      throw new JournalOpenError(
        'locked',
        `another Sluice is using ${dir}: stop it, or give this one its own data folder`,
      );
    }
    throw explained(error, dir);
  }
}

export function explained(error: unknown, dir: string): JournalOpenError {
  if (error instanceof JournalOpenError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const readOnly = `${dir} cannot be written (${text}): allow it, or name another folder`;
  switch (sqliteCodeOf(error) ?? systemCodeOf(error)) {
    case SQLITE.NOTADB:
    case SQLITE.CORRUPT:
      return new JournalOpenError('corrupt', corruptSentence(text));
    case SQLITE.READONLY:
    case SQLITE.CANTOPEN:
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new JournalOpenError('read_only', readOnly);
    case 'ENOTDIR':
    case 'EEXIST':
      return new JournalOpenError(
        'not_a_folder',
        `${dir} is not a folder: name one for the data, or move that file away`,
      );
    case 'ENOENT':
      return new JournalOpenError('missing', `${dir} is missing and cannot be made (${text})`);
    case SQLITE.FULL:
    case 'ENOSPC':
      return new JournalOpenError('disk_full', `no space on the disk of ${dir}: free some`);
    default:
      return new JournalOpenError('failed', `the store in ${dir} cannot be opened: ${text}`);
  }
}

function corruptSentence(detail: string): string {
  return (
    `the store is damaged (${detail}): keep a copy of the folder, ` +
    'then restore the latest snapshot into an empty one'
  );
}

function systemCodeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
