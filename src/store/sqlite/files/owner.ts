// One process owns a data folder. Three things see to it. A lock on a file beside the store, which the kernel drops
// with its process: enough, unless somebody removes the file. The mark names the process that runs on the store: a
// second one that finds it alive does not start. And the store itself names its owner, a word drawn anew at each
// start, which every commit reads in its own transaction: if two should ever run all the same, the older one's next
// commit fails, and without a commit it can neither accept nor send.

import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { bootId, processStart } from '../../../system/boot.ts';
import { type Database, prepareArrays, type Statement } from '../../../system/databases/sqlite.ts';
import { JournalOpenError } from '../../store-error.ts';
import type { Mark, ReadMark } from './mark.ts';

const WORD_BYTES = 12;
// Epochs count from one.
const NOT_CLOSED = 0;

// Another process has taken the store over. Nothing of the transaction was done, and this process must end.
export class OwnerLost extends Error {
  override readonly name = 'OwnerLost';
}

// Refuses while the process that the mark names runs on this very folder.
export function refuseLiveOwner(read: ReadMark, markFile: string, dir: string): void {
  if (read.kind !== 'mark' || !isAlive(read.mark, markFile)) return;
  throw new JournalOpenError(
    'locked',
    `another Sluice (process ${read.mark.pid}) is using ${dir}, though its lock file is gone: stop it, or give ` +
      'this one its own data folder',
  );
}

function isAlive({ pid, pidStart, boot, inode }: Mark, markFile: string): boolean {
  // A thread of this process that ended without closing has left the mark; the lock tells whether one lives.
  if (pid === 0 || pid === process.pid) return false;
  if (boot === null || boot !== bootId()) return false;
  if (statSync(markFile).ino !== inode) return false;
  return processStart(pid) === pidStart;
}

// 0: from before there were owners.
export function epochOf(db: Database): number {
  const word = db.prepare(`SELECT value FROM meta WHERE name = 'owner'`).get()?.value;
  return word === undefined ? 0 : Number(String(word).split(':', 1)[0]);
}

// Whether the process that owned the store last has closed it: then its log held nothing any more. null: it is from
// before stores said so.
export function wasClosed(db: Database): boolean | null {
  const epoch = db.prepare(`SELECT value FROM meta WHERE name = 'closed'`).get()?.value;
  return epoch === undefined ? null : Number(epoch) === epochOf(db);
}

export function setClosed(db: Database, epoch = epochOf(db)): void {
  db.prepare(`INSERT OR REPLACE INTO meta (name, value) VALUES ('closed', ?)`).run(epoch);
}

// How many commits the store holds, as it says itself. The number lies among the tallies, on a page that nearly every
// commit writes anyway, under no account.
const COMMITS = `account = '' AND state = 'commits'`;

export function commitsOf(db: Database): number {
  return Number(db.prepare(`SELECT count FROM tallies WHERE ${COMMITS}`).get()?.count ?? 0);
}

export class StoreOwner {
  commits: number;
  readonly #db: Database;
  readonly #epoch: number;
  readonly #word: string;
  readonly #read: Statement;
  readonly #count: Statement;
  #changes = 0;

  // Takes the store over, in the transaction that is open.
  constructor(db: Database, epoch: number) {
    this.#db = db;
    this.#epoch = epoch;
    this.#word = `${epoch}:${randomBytes(WORD_BYTES).toString('base64url')}`;
    db.prepare(`INSERT OR REPLACE INTO meta (name, value) VALUES ('owner', ?)`).run(this.#word);
    setClosed(db, NOT_CLOSED);
    db.exec(`INSERT OR IGNORE INTO tallies (account, state, count) VALUES ('', 'commits', 0)`);
    this.#read = prepareArrays(db, `SELECT value, total_changes() FROM meta WHERE name = 'owner'`);
    this.#count = db.prepare(`UPDATE tallies SET count = ? WHERE ${COMMITS}`);
    this.commits = commitsOf(db);
  }

  // In each transaction, after all that it writes: is this process still the owner? Counts it, if it wrote anything.
  commit(): void {
    const changes = this.check();
    if (changes === this.#changes) return;
    this.commits += 1;
    this.#count.run(this.commits);
    this.#changes = changes + 1;
  }

  // Answers how many rows this connection has ever changed.
  check(): number {
    const [word, changes] = (this.#read.get() ?? []) as unknown as [string, number];
    if (word === this.#word) return changes;
    throw new OwnerLost(
      'another process has taken over the data folder: this one ends without touching it any more',
    );
  }

  // The last thing it writes: whoever opens the store next need not ask for its log.
  close(): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      this.check();
      setClosed(this.#db, this.#epoch);
      this.#db.exec('COMMIT');
    } finally {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    }
  }

  // The transaction that was counted is no more.
  rollback(): void {
    this.commits = commitsOf(this.#db);
  }
}
