import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase, storeFileOf } from '../../../system/databases/sqlite.ts';
import { accepted, delivered, recovered } from '../../contract/journal.fixture.ts';
import { SCHEMA_VERSION } from '../schema/schema.ts';
import { makeFolder } from '../sqlite.fixture.ts';
import { openSqliteJournal, restoreSnapshot } from '../sqlite.ts';
import { explained } from './open.ts';
import { takeSnapshot } from './snapshot.ts';

let root: string;
let dir: string;
beforeEach(() => {
  root = makeFolder();
  dir = join(root, 'data');
});
afterEach(() => rmSync(root, { recursive: true }));

async function makeStore(): Promise<void> {
  const journal = await openSqliteJournal({ dir });
  await accepted(journal);
  await journal.close();
}

function change(sql: string): void {
  const db = openDatabase(storeFileOf(dir), { readOnly: false, busyMsMax: 0 });
  db.exec(sql);
  db.close();
}

describe('a store that cannot be opened says why and what to do', () => {
  test('a second process on the same folder', async () => {
    const first = await openSqliteJournal({ dir });
    await expect(openSqliteJournal({ dir })).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining('stop it'),
    });
    expect(await accepted(first)).toBe(1);
    await first.close();
    const next = await openSqliteJournal({ dir });
    expect(await accepted(next)).toBe(2);
    await next.close();
  });

  test('a thread that ended without closing leaves no lock behind', async () => {
    const url = new URL('../worker.ts', import.meta.url);
    const holder = new Worker(url, { workerData: { dir, pageCountMax: null } });
    await once(holder, 'message');
    await holder.terminate();
    const journal = await openSqliteJournal({ dir });
    await journal.close();
  });

  test('two that run all the same: the older one cannot write, and is told', async () => {
    const lost = Promise.withResolvers<Error>();
    const older = await openSqliteJournal({ dir, onOwnerLost: lost.resolve });
    expect(await accepted(older)).toBe(1);
    // In one process nobody can tell by the mark who lives.
    rmSync(join(dir, 'sluice.lock'));
    const newer = await openSqliteJournal({ dir });
    await expect(accepted(older)).rejects.toMatchObject({ code: 'journal_failed' });
    expect((await lost.promise).message).toContain('another process has taken over');
    expect(await accepted(newer)).toBe(2);
    await newer.close();
    const next = await openSqliteJournal({ dir });
    expect((await recovered(next)).map(({ queued }) => queued.seq)).toEqual([1, 2]);
    await next.close();
  });

  test('a file in the place of the folder, or above it', async () => {
    writeFileSync(dir, '');
    for (const path of [dir, join(dir, 'below')]) {
      await expect(openSqliteJournal({ dir: path })).rejects.toMatchObject({
        code: 'not_a_folder',
      });
    }
  });

  test('a folder that cannot be written', async () => {
    const denied = Object.assign(new Error('permission denied'), { code: 'EACCES' });
    expect(explained(denied, dir)).toMatchObject({ code: 'read_only' });
    // What the kernel lends to no one, not even to root.
    if (!existsSync('/sys/kernel')) return;
    const opening = openSqliteJournal({ dir: '/sys/kernel' });
    await expect(opening).rejects.toMatchObject({ code: 'read_only' });
  });

  test('a file that is no database', async () => {
    mkdirSync(dir);
    writeFileSync(
      storeFileOf(dir),
      'not a database, but long enough to look like a header'.repeat(99),
    );
    await expect(openSqliteJournal({ dir })).rejects.toMatchObject({ code: 'corrupt' });
  });

  test('a store cut short', async () => {
    await makeStore();
    truncateSync(storeFileOf(dir), Math.floor(statSync(storeFileOf(dir)).size / 2));
    await expect(openSqliteJournal({ dir })).rejects.toMatchObject({ code: 'loss' });
  });

  test('a database of another program', async () => {
    mkdirSync(dir);
    change('CREATE TABLE other (x)');
    await expect(openSqliteJournal({ dir })).rejects.toMatchObject({ code: 'not_a_store' });
  });

  test('a store of a newer program', async () => {
    await makeStore();
    change(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    await expect(openSqliteJournal({ dir })).rejects.toMatchObject({
      code: 'newer_schema',
      message: expect.stringContaining('newer Sluice'),
    });
  });
});

describe('snapshot and restore', () => {
  test('a snapshot of a working store becomes a store', async () => {
    const journal = await openSqliteJournal({ dir });
    await delivered(journal, {}, {});
    await accepted(journal, { chat: 'kept' });
    const copy = join(root, 'copy.db');
    await takeSnapshot(dir, copy);
    await expect(takeSnapshot(dir, copy)).rejects.toMatchObject({ code: 'exists' });
    await accepted(journal, { chat: 'after the snapshot' });

    const other = join(root, 'other');
    await restoreSnapshot(copy, other);
    const restored = await openSqliteJournal({ dir: other });
    expect(restored.tag).toBe(journal.tag);
    expect(await recovered(restored)).toMatchObject([{ queued: { seq: 2, chat: 'kept' } }]);
    // Number 3 was given out after the snapshot; it must not name another message.
    expect(await accepted(restored)).toBeGreaterThan(3);
    await restored.close();
    await journal.close();
  });

  test('never overwrites a store, and takes nothing but a snapshot', async () => {
    await makeStore();
    const copy = join(root, 'copy.db');
    await expect(restoreSnapshot(copy, dir)).rejects.toMatchObject({ code: 'missing' });
    writeFileSync(copy, 'x'.repeat(5_000));
    await expect(restoreSnapshot(copy, dir)).rejects.toMatchObject({ code: 'exists' });
    const empty = join(root, 'empty');
    await expect(restoreSnapshot(copy, empty)).rejects.toMatchObject({ code: 'corrupt' });
    expect(existsSync(storeFileOf(empty))).toBe(false);
  });
});
