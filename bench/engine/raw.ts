// The floor under a durable accept: rows of the same size into one plain table, on this thread, all that arrived
// in one turn in one transaction, acknowledged after the commit.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/system/sqlite.ts';

export function openRaw(folder: string) {
  const path = join(folder, 'raw.db');
  const db = openDatabase(path, { readOnly: false, busyMsMax: 0 });
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000');
  db.exec('CREATE TABLE rows (seq INTEGER PRIMARY KEY, lane TEXT, due REAL, body TEXT)');
  const insert = db.prepare('INSERT INTO rows (lane, due, body) VALUES (?, ?, ?)');
  let pending: { lane: string; body: string; done: () => void }[] = [];

  const commit = () => {
    const batch = pending;
    pending = [];
    db.exec('BEGIN');
    for (const { lane, body } of batch) insert.run(lane, 0, body);
    db.exec('COMMIT');
    for (const { done } of batch) done();
  };
  return {
    append(lane: string, body: string): Promise<void> {
      return new Promise((done) => {
        if (pending.length === 0) setImmediate(commit);
        pending.push({ lane, body, done });
      });
    },
    db,
    close() {
      db.close();
      rmSync(path, { force: true });
    },
  };
}
