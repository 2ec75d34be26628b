import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../../system/databases/sqlite.ts';
import { accepted, delivered } from '../../contract/journal.fixture.ts';
import { makeFolder } from '../sqlite.fixture.ts';
import { openSqliteJournal, restoreSnapshot } from '../sqlite.ts';
import { takeSnapshot } from './snapshot.ts';
import { HeldFiles } from './snapshot-files.ts';

let root: string;
let dir: string;
beforeEach(() => {
  root = makeFolder();
  dir = join(root, 'data');
  mkdirSync(join(dir, 'spool'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const spoolOf = (folder: string) => join(folder, 'spool');
const LARGE = Buffer.alloc(2.5 * 1024 * 1024, 'sluice');

function spool(content: Buffer): string {
  const id = createHash('sha256').update(content).digest('base64url');
  writeFileSync(join(spoolOf(dir), id), content);
  return id;
}

// A message waits for the large file and for the empty one; another that had one of its own is sent.
async function snapshotOf(waiting: readonly string[]) {
  const journal = await openSqliteJournal({ dir });
  await accepted(journal, { files: [...waiting] });
  await delivered(journal, { files: [spool(Buffer.from('sent'))] }, {});
  const packed = await takeSnapshot(dir, join(root, 'copy.db'));
  await journal.close();
  return packed;
}

test('the uploads of what waits come along, and only they; the restored store has no more than it had', async () => {
  const ids = [spool(LARGE), spool(Buffer.alloc(0))];
  expect(await snapshotOf(ids)).toEqual({ files: 2, missing: 0 });
  const other = join(root, 'other');
  await restoreSnapshot(join(root, 'copy.db'), other);
  expect(readdirSync(spoolOf(other)).sort()).toEqual(ids.toSorted());
  expect(readFileSync(join(spoolOf(other), ids[0]!)).equals(LARGE)).toBe(true);
  const restored = await openSqliteJournal({ dir: other });
  expect(await restored.filesInUse()).toEqual(ids.toSorted());
  await restored.close();
  const db = openDatabase(join(other, 'sluice.db'), { readOnly: true, busyMsMax: 0 });
  expect(db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'snapshot_files'`).all()).toEqual([]);
  expect(Number(db.prepare('PRAGMA page_count').get()!.page_count) * 4096).toBeLessThan(1e6);
  db.close();
});

test('one that is gone is told, and the snapshot taken', async () => {
  const ids = [spool(LARGE), spool(Buffer.from('lost'))];
  rmSync(join(spoolOf(dir), ids[1]!));
  expect(await snapshotOf(ids)).toEqual({ files: 1, missing: 1 });
});

test('one that is removed after the copy was begun is in it', async () => {
  const id = spool(LARGE);
  await snapshotOf([id]);
  const held = new HeldFiles(dir);
  rmSync(join(spoolOf(dir), id));
  const copy = openDatabase(join(root, 'copy.db'), { readOnly: false, busyMsMax: 0 });
  copy.exec('DROP TABLE snapshot_files');
  expect(held.packInto(copy)).toEqual({ files: 1, missing: 0 });
  copy.close();
  held.close();
});

test('a damaged one is not restored, nor is one that names another file', async () => {
  await snapshotOf([spool(LARGE)]);
  const copy = openDatabase(join(root, 'copy.db'), { readOnly: false, busyMsMax: 0 });
  copy.exec(`UPDATE snapshot_files SET id = '../../escaped'`);
  copy.close();
  const other = join(root, 'other');
  const restored = restoreSnapshot(join(root, 'copy.db'), other);
  await expect(restored).rejects.toMatchObject({ code: 'corrupt' });
  expect(readdirSync(root).sort()).toEqual(['copy.db', 'data', 'other']);
  expect(readdirSync(other)).toEqual(['spool']);
});
