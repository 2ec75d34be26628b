// The thread that moves the engine's log, as the writer sees it: started when there is first something to move. If it
// fails, the writer moves the log itself when it has grown too long.

import { Worker } from 'node:worker_threads';
import type { OpenOptions } from './open.ts';
import type { Covered } from './page-sums.ts';

export class Checkpointer {
  readonly #dir: string;
  #worker: Worker | null = null;
  #hasEnded = false;
  #moved: ((covered: Covered | null) => void) | null = null;

  constructor(dir: string) {
    this.#dir = dir;
  }

  // False: it is no more.
  move(moved: (covered: Covered | null) => void): boolean {
    if (this.#hasEnded) return false;
    this.#moved = moved;
    this.#worker ??= this.#start();
    this.#worker.postMessage('move');
    return true;
  }

  // Calls back when its connection is closed.
  close(closed: () => void): void {
    this.#moved = null;
    const worker = this.#worker;
    if (worker === null || this.#hasEnded) {
      closed();
      return;
    }
    worker.once('exit', closed);
    worker.postMessage('close');
  }

  #told(covered: Covered | null): void {
    const moved = this.#moved;
    this.#moved = null;
    moved?.(covered);
  }

  #start(): Worker {
    const workerData = { dir: this.#dir } satisfies Pick<OpenOptions, 'dir'>;
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData });
    worker.on('message', (covered: Covered) => this.#told(covered));
    worker.on('error', () => {});
    worker.on('exit', () => {
      this.#hasEnded = true;
      this.#told(null);
    });
    return worker;
  }
}
