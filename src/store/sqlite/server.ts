// Answers the journal's requests on an open store, strictly in their order: a flat array is a batch
// of commands, `recover` asks for a page of what is alive, `close` ends it. Batches that came while the
// disk was busy are committed together, and those that only read are answered without a commit. Runs
// in the store's worker.

import { SQLITE, sqliteCodeOf } from '../../system/databases/sqlite.ts';
import type { JournalUnavailable } from '../ports/unavailable.ts';
import { BatchRunner } from './batch.ts';
import { LogLost, type OpenStore } from './files/open.ts';
import { OwnerLost } from './files/owner.ts';
import { PageWriter, type RecoveryPage } from './recovery.ts';
import { OP } from './wire.ts';

type Batch = (string | number | null)[];

export type Request =
  | Batch
  | { kind: 'recover'; recovery: number; isFirst: boolean }
  | { kind: 'close' };

export type StoreAnswer =
  | unknown[]
  | { kind: 'page'; page: RecoveryPage }
  // No answer, but a word after one: what goes at once and was answered is on the disk.
  | { kind: 'forced' }
  | { kind: 'failed'; code: JournalUnavailable['code']; message: string }
  | { kind: 'closed' };

export interface StoreServer {
  readonly tag: string;
  // One answer for each request.
  answer(requests: readonly Request[]): StoreAnswer[];
  // Whether all that was answered is on the disk; if not, it is to be forced soon.
  readonly isForced: boolean;
  force(): void;
  // To be asked after the answers have left: whether `forced` is to be told.
  forceBegun(): boolean;
}

export function serveStore(store: OpenStore): StoreServer {
  const runner = new BatchRunner(store);
  const pages = new PageWriter(store.db);
  const work = (request: Exclude<Request, unknown[]>): StoreAnswer => {
    if (request.kind === 'recover') {
      return { kind: 'page', page: pages.read(request.recovery, request.isFirst) };
    }
    runner.end();
    store.close();
    return { kind: 'closed' };
  };
  return {
    tag: String(store.db.prepare(`SELECT value FROM meta WHERE name = 'tag'`).get()?.value),
    answer(requests) {
      const answers: StoreAnswer[] = [];
      while (answers.length < requests.length) {
        const next = requests[answers.length]!;
        if (!Array.isArray(next)) answers.push(...tried(1, () => [work(next)]));
        else if (isReading(next)) answers.push(...tried(1, () => [runner.read(next)]));
        else {
          const batches = leadingBatches(requests, answers.length);
          answers.push(...tried(batches.length, () => runner.run(batches)));
        }
      }
      return answers;
    },
    get isForced() {
      return runner.isForced;
    },
    force: () => runner.force(),
    forceBegun: () => runner.forceBegun(),
  };
}

function leadingBatches(requests: readonly Request[], from: number): Batch[] {
  const batches: Batch[] = [];
  for (let i = from; i < requests.length; i++) {
    const request = requests[i]!;
    if (!Array.isArray(request) || isReading(request)) break;
    batches.push(request);
  }
  return batches;
}

// Reads share no batch with other commands.
function isReading(batch: Batch): boolean {
  return batch[0] === OP.broadcastReads;
}

function tried(count: number, run: () => StoreAnswer[]): StoreAnswer[] {
  try {
    return run();
  } catch (error) {
    if (error instanceof LogLost || error instanceof OwnerLost) throw error;
    return Array<StoreAnswer>(count).fill(failureOf(error));
  }
}

function failureOf(error: unknown): StoreAnswer {
  const message = error instanceof Error ? error.message : String(error);
  const code = sqliteCodeOf(error) === SQLITE.FULL ? 'disk_full' : 'journal_failed';
  return { kind: 'failed', code, message };
}
