// When the engine's log is moved into the store's file. The engine would do it within a commit, and whoever waits for
// that commit would wait for thousands of pages. Here another thread moves them beside the writing, and the writer
// only the few that came meanwhile: then the log is moved whole, and begins anew with the next commit.

import type { Database, Statement } from '../system/sqlite.ts';

// Looking costs little, but not nothing.
const COMMITS_PER_LOOK = 16;
// So long the log may grow before it is worth moving.
const LOG_PAGES = 1000;
// So few the writer moves itself.
const REST_PAGES_MAX = 64;
// So many the writer moves itself too: nobody else does, or not fast enough.
const BEHIND_PAGES_MAX = 16_000;

// Moves what is in the log beside the writing, and says when it has; null: nobody does.
export type Mover = (moved: () => void) => void;

export class Checkpoints {
  readonly #mover: Mover | null;
  readonly #look: Statement;
  readonly #move: Statement;
  #commits = 0;
  #isMoving = false;

  constructor(db: Database, mover: Mover | null) {
    this.#mover = mover;
    this.#look = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#move = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  }

  // To be told of every commit, after its answer has left.
  committed(): void {
    this.#commits += 1;
    if (this.#commits >= COMMITS_PER_LOOK) this.#consider();
  }

  #consider(): void {
    this.#commits = 0;
    const { log, checkpointed } = this.#look.get() as { log: number; checkpointed: number };
    if (log < LOG_PAGES || this.#isMoving) {
      if (log - checkpointed >= BEHIND_PAGES_MAX) this.#move.get();
      return;
    }
    if (log - checkpointed <= REST_PAGES_MAX || this.#mover === null) this.#move.get();
    else {
      this.#isMoving = true;
      this.#mover(() => {
        this.#isMoving = false;
        this.#consider();
      });
    }
  }
}
