// SQLite stores for tests, each in a folder of its own: with its threads, as it is used, or all in
// this thread, which opens a hundred times faster and runs the same code on both sides of the wire.

import { EventEmitter } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '../../ledger/ledger.ts';
import { openDatabase, storeFileOf } from '../../system/databases/sqlite.ts';
import type { Damage, Harness } from '../contract/journal.fixture.ts';
import { type AccountsBySeq, type OwnedStore, soleOwner } from '../contract/sole-owner.fixture.ts';
import { type OpenStore, openStore } from './files/open.ts';
import { GroupCommit } from './group-commit.ts';
import { openSqliteLedger } from './ledger/ledger.ts';
import { SqliteReader } from './ledger/reader.ts';
import { type Request, serveStore } from './server.ts';
import { openSqliteJournal, SqliteJournal, type SqliteJournalOptions } from './sqlite.ts';

export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'sluice-store-'));
}

// Without a disk, where there is such a folder: what a generated test writes is for nobody's eyes but its own, and
// thousands of fsyncs would be all its time.
const MEMORY_FOLDER = '/dev/shm';
function makeFolderInMemory(): string {
  const parent = existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir();
  return mkdtempSync(join(parent, 'sluice-store-'));
}

export interface SqliteHarness extends Harness {
  readonly dir: string;
  reopen(options?: Partial<SqliteJournalOptions>): Promise<void>;
}

export async function openHarness(
  options: Partial<SqliteJournalOptions> = {},
): Promise<SqliteHarness> {
  const root = makeFolder();
  const dir = join(root, 'data');
  const accounts: AccountsBySeq = new Map();
  const open = async (changes: Partial<SqliteJournalOptions>) => {
    const journal = await openSqliteJournal({ dir, ...changes });
    return {
      journal: soleOwner(journal, accounts),
      ledger: openSqliteLedger({ dir }),
      second: () => journal.beside('second'),
    };
  };
  const close = async () => {
    await harness.ledger.close();
    await harness.journal.close();
  };
  const harness: SqliteHarness = {
    ...(await open(options)),
    dir,
    async reopen(changes = options) {
      await close();
      Object.assign(harness, await open(changes));
    },
    damage: async (seq, change) => damageRow(dir, seq, change),
    async dispose() {
      await close();
      rmSync(root, { recursive: true });
    },
  };
  return harness;
}

export interface InlineHarness extends Harness {
  // Of each commit: how many batches shared it.
  readonly commits: number[];
}

export function inlineHarness(): InlineHarness {
  const dir = makeFolderInMemory();
  const commits: number[] = [];
  const accounts: AccountsBySeq = new Map();
  const open = () => {
    const { journal, ledger } = openInline(dir, commits);
    const second = () => journal.beside('second');
    return { journal: soleOwner(journal, accounts), ledger, second };
  };
  const harness: InlineHarness = {
    ...open(),
    commits,
    async reopen() {
      await harness.journal.close();
      Object.assign(harness, open());
    },
    damage: async (seq, change) => damageRow(dir, seq, change),
    async dispose() {
      await harness.journal.close();
      rmSync(dir, { recursive: true });
    },
  };
  return harness;
}

// By a connection of its own, as another program would.
export function damageRow(dir: string, seq: number, change: Damage): void {
  const db = openDatabase(storeFileOf(dir), { readOnly: false, busyMsMax: 1_000 });
  db.exec('PRAGMA wal_autocheckpoint = 0');
  for (const [column, value] of Object.entries(change)) {
    db.prepare(`UPDATE deliveries SET ${column} = ? WHERE seq = ?`).run(value, seq);
  }
  db.close();
}

// The store itself too, for tests of its files.
export function inlineStore(dir: string): { journal: OwnedStore; store: OpenStore } {
  const { journal, store } = openInline(dir, []);
  return { journal: soleOwner(journal), store };
}

function openInline(
  dir: string,
  commits: number[],
): { journal: SqliteJournal; ledger: Ledger; store: OpenStore } {
  const store = openStore({ dir, pageCountMax: null });
  const server = serveStore(store);
  const posted: Request[] = [];
  // As the worker does: what was posted before it came to it shares one commit.
  const answerAll = () => {
    const requests = posted.splice(0);
    commits.push(requests.length);
    const answers = server.answer(requests);
    for (const answer of answers) thread.emit('message', structuredClone(answer));
    if (server.forceBegun()) thread.emit('message', { kind: 'forced' });
    server.force();
    if (answers.some((each) => 'kind' in each && each.kind === 'closed')) thread.emit('exit');
  };
  const thread = Object.assign(new EventEmitter(), {
    postMessage(request: Request) {
      posted.push(structuredClone(request));
      if (posted.length === 1) queueMicrotask(answerAll);
    },
  });
  return {
    store,
    journal: new SqliteJournal(new GroupCommit(thread), server.tag),
    ledger: inlineLedger(new SqliteReader(store.db)),
  };
}

function inlineLedger(reader: SqliteReader): Ledger {
  return {
    get: async (seq) => reader.get(seq),
    getMany: async (seqs) => reader.getMany(seqs),
    attempts: async (seq) => reader.attempts(seq),
    history: async (seq) => reader.history(seq),
    search: async (filter, page) => reader.search(filter, page),
    copiesOf: async (origin) => reader.copiesOf(origin),
    hasCopies: async () => reader.hasCopies(),
    deadByCause: async (filter) => reader.deadByCause(filter),
    countByState: async () => reader.countByState(),
    size: async () => 0,
    close: async () => {},
  };
}
