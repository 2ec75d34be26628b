// When the engine's log is moved into the store's file. The engine would do it within a commit, and whoever waits for
// that commit would wait for thousands of pages. Here another thread moves them beside the writing, and the writer
// only the few that came meanwhile: then the log is moved whole, and begins anew with the next commit.

import type { Database, Statement } from '../../../system/databases/sqlite.ts';
import type { Covered, PageSums } from './page-sums.ts';

// Looking costs little, but not nothing.
const COMMITS_PER_LOOK = 16;
// So long the log may grow before it is worth moving.
const LOG_PAGES = 1000;
// So few the writer moves itself.
const REST_PAGES_MAX = 64;

// Moves what is in the log beside the writing, and says when it has, and of how much it wrote down the checks; null:
// it could not. False: it is no more, and the writer must.
export type Mover = (moved: (covered: Covered | null) => void) => boolean;

export class Checkpoints {
  #mover: Mover | null;
  readonly #sums: PageSums;
  readonly #look: Statement;
  readonly #move: Statement;
  #commits = 0;
  #isMoving = false;

  // `mover` null: the writer moves all of it.
  constructor(db: Database, sums: PageSums, mover: Mover | null) {
    this.#mover = mover;
    this.#sums = sums;
    this.#look = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#move = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  }

  // To be told of every commit, after its answer has left.
  committed(): void {
    this.#commits += 1;
    if (this.#commits >= COMMITS_PER_LOOK) this.#consider();
  }

  // All of it, by the writer.
  moveAll(): void {
    const { log } = this.#look.get() as { log: number };
    if (log <= 0) return;
    this.#sums.cover(log);
    this.#move.get();
  }

  #consider(): void {
    this.#commits = 0;
    const { log, checkpointed } = this.#look.get() as { log: number; checkpointed: number };
    if (log < LOG_PAGES || this.#isMoving) return;
    if (log - checkpointed <= REST_PAGES_MAX || !this.#isMovedByOther()) this.moveAll();
  }

  #isMovedByOther(): boolean {
    if (this.#mover === null) return false;
    this.#isMoving = this.#mover((covered) => {
      this.#isMoving = false;
      if (covered === null) this.#mover = null;
      else this.#sums.adopt(covered);
      this.#consider();
    });
    if (!this.#isMoving) this.#mover = null;
    return this.#isMoving;
  }
}
