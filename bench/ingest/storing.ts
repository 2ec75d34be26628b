// Posts stored in a second: pages of a hundred through the port, each with its cursor and forced to the disk, as four
// looks at once make them; against the same rows inserted on this thread, a page to a transaction, which is as durable,
// and nothing else.

import type { IngestStore, NewPost } from '../../src/store/ports/ingest.ts';
import { INGEST_SQL } from '../../src/store/sqlite/ingest/statements.ts';
import { openSqliteJournal } from '../../src/store/sqlite/sqlite.ts';
import { openDatabase, storeFileOf } from '../../src/system/databases/sqlite.ts';
import { inFolder } from '../engine/folder.ts';
import { best, perSecond, type Row, ratioRow } from '../row.ts';

const POSTS = 40_000;
const PAGE = 100;
const SOURCES = 4;
const RUNS = 3;
const TEXT = 'A post of some length, as channels have them. '.repeat(8);
// As long as what a look writes of its progress.
const PROGRESS = JSON.stringify({ posts: Array(336).fill(0.12345) });

export async function storing(): Promise<Row[]> {
  const faster = (a: number, b: number) => a < b;
  const ours = await best(RUNS, () => inFolder(ourMs), faster);
  const raw = await best(RUNS, () => inFolder(rawMs), faster);
  return [
    ratioRow(
      'posts stored, pages of 100',
      perSecond(POSTS, ours, 'posts'),
      perSecond(POSTS, raw, 'raw inserts'),
      { atLeast: 0.5 },
    ),
  ];
}

async function ourMs(dir: string): Promise<number> {
  const store = await openSqliteJournal({ dir });
  const from = performance.now();
  const sources = Array.from({ length: SOURCES }, (_, i) => readSource(store.ingest, i));
  await Promise.all(sources);
  const ms = performance.now() - from;
  await store.close();
  return ms;
}

async function readSource(store: IngestStore, n: number): Promise<void> {
  const named = { readerKind: 'page', name: `@${n}`, settings: '{}' };
  const { source } = await store.addSource({ ...named, progress: '{}', createdAt: 0 });
  const lease = { name: 'page', epoch: 1 };
  const rest = { progress: PROGRESS, lease, deleted: [], at: 1, isDead: false, forwardSince: null };
  for (let revision = 0; revision < POSTS / SOURCES / PAGE; revision++) {
    const posts = pageOf(revision * PAGE);
    const committed = await store.commit({ source: source.id, revision, posts, ...rest });
    if (committed.kind !== 'committed') throw new Error(committed.kind);
  }
}

async function rawMs(dir: string): Promise<number> {
  // The journal makes its tables and leaves.
  await (await openSqliteJournal({ dir })).close();
  const db = openDatabase(storeFileOf(dir), { readOnly: false, busyMsMax: 1000 });
  db.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000');
  const insert = db.prepare(INGEST_SQL.addPost);
  const from = performance.now();
  for (let after = 0; after < POSTS; after += PAGE) {
    db.exec('BEGIN IMMEDIATE');
    for (const { id, date, editedAt, text, author, groupId, media, references } of pageOf(after)) {
      insert.run(1, id, date, editedAt, 1, text, author, groupId, media, references);
    }
    db.exec('COMMIT');
  }
  const ms = performance.now() - from;
  db.close();
  return ms;
}

function pageOf(after: number): NewPost[] {
  return Array.from({ length: PAGE }, (_, i) => {
    const content = { text: TEXT, author: null, groupId: null, media: '[]', references: '[]' };
    return { id: String(after + i + 1), date: 1_760_000_000_000, editedAt: null, ...content };
  });
}
