import { readFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { logFileOf, openDatabase, storeFileOf } from '../../../system/databases/sqlite.ts';
import { aDelivery } from '../../contract/journal.fixture.ts';
import { soleOwner } from '../../contract/sole-owner.fixture.ts';
import { makeFolder } from '../sqlite.fixture.ts';
import { openSqliteJournal } from '../sqlite.ts';
import type { Mover } from './checkpoints.ts';
import { type OpenStore, openStore } from './open.ts';

const PAGE = 'x'.repeat(4000);
const PAGES_PER_COMMIT = 100;

let dir = '';
beforeEach(() => {
  dir = makeFolder();
});
afterEach(() => rmSync(dir, { recursive: true }));

describe('the log', () => {
  let store: OpenStore;
  let mover: Mover;
  beforeEach(() => {
    store = openStore({ dir, pageCountMax: null }, (moved) => mover(moved));
    store.db.exec('CREATE TABLE pages (no INTEGER PRIMARY KEY, text TEXT)');
  });
  afterEach(() => store.close());

  const commit = () => {
    store.db.exec('BEGIN');
    for (let i = 0; i < PAGES_PER_COMMIT; i++) {
      store.db.prepare('INSERT INTO pages (text) VALUES (?)').run(PAGE);
    }
    store.db.exec('COMMIT');
  };
  const pages = () => store.db.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { log: number };

  test('is moved beside the writing, the rest by the writer, and then begins anew', () => {
    const asked: Parameters<Mover>[0][] = [];
    const { checkpoints } = store;
    mover = (moved) => asked.push(moved) > 0;
    const other = openDatabase(storeFileOf(dir), { readOnly: false, busyMsMax: 0 });
    while (asked.length === 0) {
      commit();
      checkpoints.committed();
    }
    // What comes after a reader has begun cannot be moved before it ends.
    const reader = openDatabase(storeFileOf(dir), { readOnly: true, busyMsMax: 0 });
    reader.exec('BEGIN; SELECT count(*) FROM pages');
    store.db.prepare('INSERT INTO pages (text) VALUES (?)').run(PAGE);
    other.exec('PRAGMA wal_checkpoint(PASSIVE)');
    reader.close();
    expect(pages().log).toBeGreaterThan(1000);
    asked[0]!({ salt1: 0, salt2: 0, frames: 0 });
    store.db.prepare('INSERT INTO pages (text) VALUES (?)').run(PAGE);
    expect(pages().log).toBeLessThan(10);
    expect(asked).toHaveLength(1);
    other.close();
  });

  test('is moved by the writer when nobody else does', () => {
    const { checkpoints } = store;
    mover = () => false;
    let longest = 0;
    do {
      commit();
      checkpoints.committed();
      longest = Math.max(longest, pages().log);
    } while (pages().log === longest);
    expect(longest).toBeLessThan(3_000);
  });
});

test('under a real journal the log begins anew again and again, and goes with the last connection', async () => {
  const journal = soleOwner(await openSqliteJournal({ dir }));
  const file = logFileOf(storeFileOf(dir));
  // The engine counts the beginnings in the log's head.
  const beginnings = () => readFileSync(file).readUInt32BE(12);
  const first = beginnings();
  const bounds = { queueMax: 1_000_000 };
  const body = JSON.stringify({ text: PAGE });
  while (beginnings() < first + 3) {
    await Promise.all(
      Array.from({ length: 50 }, () => journal.append(aDelivery({ body }), bounds)),
    );
  }
  await journal.close();
  expect(() => readFileSync(file)).toThrow('ENOENT');
});
