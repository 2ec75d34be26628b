// Moves the engine's log into the store's file when it is told to, on a thread and a connection of its own, and says
// when it has. What it could not move (the disk is full, a reader still needs it) is moved another time.

import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../system/assert.ts';
import { openDatabase, sqliteCodeOf, storeFileOf } from '../system/sqlite.ts';
import { NO_OWN_CHECKPOINTS, type OpenOptions } from './sqlite-open.ts';

assert(parentPort !== null, 'runs as a worker');
const port = parentPort;
const { dir } = workerData as Pick<OpenOptions, 'dir'>;
const db = openDatabase(storeFileOf(dir), { readOnly: false, busyMsMax: 0 });
db.exec(NO_OWN_CHECKPOINTS);
const move = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');

port.on('message', (order: 'move' | 'close') => {
  if (order === 'close') {
    db.close();
    port.close();
    return;
  }
  try {
    move.get();
  } catch (error) {
    if (sqliteCodeOf(error) === null) throw error;
  }
  port.postMessage('moved');
});
