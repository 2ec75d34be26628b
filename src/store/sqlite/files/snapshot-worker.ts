// Copies the store on its own thread and its own reading connection, then ends. A failure ends the
// thread with an error, which its starter sees.

import { workerData } from 'node:worker_threads';
import { openDatabase } from '../../../system/sqlite.ts';
import type { CopyOrder } from './snapshot.ts';

const BUSY_MS_MAX = 5_000;

const { from, to } = workerData as CopyOrder;
const db = openDatabase(from, { readOnly: true, busyMsMax: BUSY_MS_MAX });
db.prepare('VACUUM INTO ?').run(to);
db.close();
