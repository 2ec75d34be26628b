// The floor under a durable accept: inserts on this thread, all that arrived in one turn in one transaction,
// acknowledged after the commit, and nothing else. Once with the very rows that accepting a message writes, once
// with rows of the same size in a table of four columns, which no journal could do with.

import { join } from 'node:path';
import { insertPlainRows } from '../../src/store/sqlite/plain.ts';
import { openSqliteJournal } from '../../src/store/sqlite/sqlite.ts';
import { type Database, openDatabase, storeFileOf } from '../../src/system/databases/sqlite.ts';

const WRITING = { readOnly: false, busyMsMax: 1000 };
const PRAGMAS = 'PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000';

export interface Raw {
  append(chat: string, body: string): Promise<void>;
  close(): void;
}

export async function rawSameRows(dir: string): Promise<Raw> {
  // The journal makes its tables and leaves.
  await (await openSqliteJournal({ dir })).close();
  const db = openDatabase(storeFileOf(dir), WRITING);
  db.exec(PRAGMAS);
  const delivery = db.prepare(insertPlainRows(1));
  let seq = 0;
  return grouped(db, (chat, body) => {
    seq += 1;
    const call = ['telegram:1', 'telegram', chat, 'sendMessage', 'send', 'broadcast'];
    const at = 1_700_000_000_000.5 + seq;
    // Held by nobody, and without a check: what a check costs is the journal's.
    delivery.run(seq, ...call, 2, at, at, seq, body, 0, null);
  });
}

export async function rawBareRows(dir: string): Promise<Raw> {
  const db = openDatabase(join(dir, 'raw.db'), WRITING);
  db.exec(`PRAGMA journal_mode = WAL; ${PRAGMAS}`);
  db.exec('CREATE TABLE rows (seq INTEGER PRIMARY KEY, lane TEXT, due REAL, body TEXT)');
  const insert = db.prepare('INSERT INTO rows (lane, due, body) VALUES (?, 0, ?)');
  return grouped(db, (chat, body) => insert.run(chat, body));
}

function grouped(db: Database, insert: (chat: string, body: string) => void): Raw {
  let pending: { chat: string; body: string; done: () => void }[] = [];
  const commit = () => {
    const batch = pending;
    pending = [];
    db.exec('BEGIN IMMEDIATE');
    for (const { chat, body } of batch) insert(chat, body);
    db.exec('COMMIT');
    for (const { done } of batch) done();
  };
  return {
    append(chat, body) {
      return new Promise((done) => {
        if (pending.length === 0) setImmediate(commit);
        pending.push({ chat, body, done });
      });
    },
    close: () => db.close(),
  };
}
