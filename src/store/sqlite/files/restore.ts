// Puts a snapshot into an empty data folder. The snapshot is copied, checked whole, and only then
// takes the store's name; the uploads that came with it go into the spool before. Numbers jump ahead: ids given out
// after the snapshot was taken, and lost with the old folder, are never given to other messages.

import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import {
  type Database,
  logFileOf,
  markFileOf,
  openDatabase,
  sharedFileOf,
  storeFileOf,
  sumsFileOf,
} from '../../../system/databases/sqlite.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../../../system/private-files.ts';
import { JournalOpenError } from '../../store-error.ts';
import { schemaVersionOf } from '../schema/schema.ts';
import { explained, quickCheck } from './open.ts';
import { setClosed } from './owner.ts';
import { publish } from './snapshot.ts';
import { unpackFiles } from './snapshot-files.ts';

const SEQ_GAP = 100_000_000;

// Rejects with JournalOpenError.
export async function restoreSnapshot(snapshotFile: string, dir: string): Promise<void> {
  const target = storeFileOf(dir);
  if (!existsSync(snapshotFile)) {
    throw new JournalOpenError('missing', `there is no file ${snapshotFile}: name a snapshot`);
  }
  if (existsSync(target)) {
    throw new JournalOpenError(
      'exists',
      `${dir} already holds a store: restore into an empty folder, or move that one away first`,
    );
  }
  const partial = `${target}.partial`;
  try {
    makePrivateFolder(dir);
    await rm(partial, { force: true });
    const copy = createWriteStream(partial, { flags: 'wx', mode: PRIVATE_FILE });
    await pipeline(createReadStream(snapshotFile), copy);
    prepareCopy(partial, dir);
    await clearAside(dir);
    await publish(partial, target);
  } catch (error) {
    const why = explained(error, dir);
    if (why.code !== 'not_a_folder') await rm(partial, { force: true });
    throw why;
  }
}

// What is left of a store that was here: its log would be read into the new one, and its mark asks for what it held.
async function clearAside(dir: string): Promise<void> {
  const target = storeFileOf(dir);
  const log = logFileOf(target);
  if (existsSync(log)) await rename(log, `${log}.old`);
  await rm(sharedFileOf(target), { force: true });
  await rm(markFileOf(dir), { force: true });
  await rm(sumsFileOf(target), { force: true });
}

function prepareCopy(path: string, dir: string): void {
  const db = openDatabase(path, { readOnly: false, busyMsMax: 0 });
  try {
    db.exec('PRAGMA journal_mode = DELETE');
    quickCheck(db);
    refuseEmpty(db);
    unpackFiles(db, dir);
    db.exec(`UPDATE meta SET value = ${SEQ_GAP} + max(value,
      coalesce((SELECT max(seq) FROM deliveries), 0)) WHERE name = 'seq_last'`);
    // It was taken from a store at work; all of that is in it.
    setClosed(db);
  } finally {
    db.close();
  }
}

function refuseEmpty(db: Database): void {
  if (schemaVersionOf(db) > 0) return;
  throw new JournalOpenError('not_a_store', 'the snapshot is empty: name another one');
}
