// Copies the store on its own thread and its own reading connection, adds the uploads that its messages need, tells how
// many they are, and ends. A failure ends the thread with an error, which its starter sees.

import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase, storeFileOf } from '../../../system/databases/sqlite.ts';
import type { CopyOrder } from './snapshot.ts';
import { HeldFiles } from './snapshot-files.ts';

const BUSY_MS_MAX = 5_000;

const { dir, to } = workerData as CopyOrder;
const held = new HeldFiles(dir);
const db = openDatabase(storeFileOf(dir), { readOnly: true, busyMsMax: BUSY_MS_MAX });
db.prepare('VACUUM INTO ?').run(to);
db.close();

const copy = openDatabase(to, { readOnly: false, busyMsMax: 0 });
parentPort!.postMessage(held.packInto(copy));
copy.close();
held.close();
