// Moves the engine's log into the store's file when it is told to, on a thread and a connection of its own, and says
// when it has. What it may move is what it has first written down the checks of: a reading transaction of its own
// keeps the engine from moving, or beginning anew, what is committed meanwhile. What it could not move (the disk is
// full, a reader still needs it) is moved another time.

import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../../system/assert.ts';
import {
  logFileOf,
  openDatabase,
  sqliteCodeOf,
  storeFileOf,
  sumsFileOf,
} from '../../../system/databases/sqlite.ts';
import { NO_OWN_CHECKPOINTS, type OpenOptions } from './open.ts';
import { PageSums } from './page-sums.ts';

assert(parentPort !== null, 'runs as a worker');
const port = parentPort;
const { dir } = workerData as Pick<OpenOptions, 'dir'>;
const file = storeFileOf(dir);
const db = openDatabase(file, { readOnly: false, busyMsMax: 0 });
db.exec(NO_OWN_CHECKPOINTS);
const reader = openDatabase(file, { readOnly: true, busyMsMax: 0 });
const sums = new PageSums(sumsFileOf(file), logFileOf(file));
const look = db.prepare('PRAGMA wal_checkpoint(NOOP)');
const move = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');

port.on('message', (order: 'move' | 'close') => {
  if (order === 'close') {
    reader.close();
    db.close();
    sums.close();
    port.close();
    return;
  }
  reader.exec('BEGIN; SELECT count(*) FROM meta');
  const { log } = look.get() as { log: number };
  const covered = sums.cover(log);
  try {
    move.get();
  } catch (error) {
    if (sqliteCodeOf(error) === null) throw error;
  }
  reader.exec('COMMIT');
  port.postMessage(covered);
});
