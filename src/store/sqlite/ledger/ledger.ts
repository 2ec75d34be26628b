// The ledger over the SQLite store, as the main thread sees it. Its thread starts with the first
// question and answers in the order asked.

import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { Delivery } from '../../../domain/delivery.ts';
import type { Attempt } from '../../../domain/outcome.ts';
import type {
  DeadGroup,
  DeliveryPage,
  Filter,
  HistoryEntry,
  Ledger,
} from '../../../ledger/ledger.ts';
import { storeFileOf } from '../../../system/databases/sqlite.ts';
import type { StateCount } from './rows.ts';
import type { LedgerQuestion, LedgerReply } from './worker.ts';

// The store in `dir` must have been opened by a journal before the first question.
export function openSqliteLedger(options: { dir: string }): Ledger {
  return new SqliteLedger(storeFileOf(options.dir));
}

// The store cannot be read now. Nothing is changed by that.
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable';
}

interface Asked {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

class SqliteLedger implements Ledger {
  readonly #file: string;
  readonly #asked: Asked[] = [];
  #worker: Worker | null = null;
  #isClosed = false;

  constructor(file: string) {
    this.#file = file;
  }

  get(seq: number) {
    return this.#ask<Delivery | null>({ kind: 'get', seq });
  }

  getMany(seqs: readonly number[]) {
    return this.#ask<Delivery[]>({ kind: 'getMany', seqs });
  }

  attempts(seq: number) {
    return this.#ask<Attempt[]>({ kind: 'attempts', seq });
  }

  history(seq: number) {
    return this.#ask<HistoryEntry[]>({ kind: 'history', seq });
  }

  search(filter: Filter, page: DeliveryPage) {
    return this.#ask<Delivery[]>({ kind: 'search', filter, page });
  }

  copiesOf(origin: number) {
    return this.#ask<Delivery[]>({ kind: 'copiesOf', origin });
  }

  hasCopies() {
    return this.#ask<boolean>({ kind: 'hasCopies' });
  }

  deadByCause(filter: Filter) {
    return this.#ask<DeadGroup[]>({ kind: 'deadByCause', filter });
  }

  countByState() {
    return this.#ask<StateCount[]>({ kind: 'countByState' });
  }

  async size(): Promise<number> {
    const files = [this.#file, `${this.#file}-wal`, `${this.#file}-shm`];
    const sizes = await Promise.all(
      files.map((file) =>
        stat(file).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #ask<T>(question: LedgerQuestion): Promise<T> {
    if (this.#isClosed) return Promise.reject(new LedgerUnavailable('the ledger is closed'));
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return new Promise<T>((resolve, reject) => {
      this.#asked.push({ resolve: (value) => resolve(value as T), reject });
      worker.postMessage(question);
    });
  }

  // A thread that fails takes its open questions with it; the next question starts another.
  #start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: this.#file,
    });
    let why = 'the ledger is closed';
    worker.on('message', (reply: LedgerReply) => this.#receive(reply));
    worker.on('error', (error) => {
      why = error.message;
    });
    worker.on('exit', () => {
      this.#worker = null;
      for (const { reject } of this.#asked.splice(0)) reject(new LedgerUnavailable(why));
    });
    return worker;
  }

  #receive(reply: LedgerReply): void {
    const asked = this.#asked.shift();
    if (reply.kind === 'value') asked?.resolve(reply.value);
    else asked?.reject(new LedgerUnavailable(reply.message));
  }
}
