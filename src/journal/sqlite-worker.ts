// The thread that owns the store's writing connection. It answers messages strictly in their order:
// a flat array is a batch of commands, `recover` asks for a page of what is alive, `close` ends it.

import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../system/assert.ts';
import { SQLITE, sqliteCodeOf } from '../system/sqlite.ts';
import type { JournalUnavailable } from './journal.ts';
import { BatchRunner } from './sqlite-batch.ts';
import { explained, type OpenOptions, type OpenStore, openStore } from './sqlite-open.ts';
import { type Page, PageWriter } from './sqlite-recovery.ts';
import type { OpenErrorCode } from './store-error.ts';

export type Request =
  | (string | number | null)[]
  | { kind: 'recover'; afterSeq: number }
  | { kind: 'close' };

export type Opened =
  | { kind: 'opened'; tag: string }
  | { kind: 'refused'; code: OpenErrorCode; message: string };

export type Answer =
  | unknown[]
  | { kind: 'page'; page: Page }
  | { kind: 'failed'; code: JournalUnavailable['code']; message: string }
  | { kind: 'closed' };

assert(parentPort !== null, 'runs as a worker');
const port = parentPort;
const options = workerData as OpenOptions;

try {
  serve(openStore(options));
} catch (error) {
  const { code, message } = explained(error, options.dir);
  port.postMessage({ kind: 'refused', code, message } satisfies Opened);
}

function serve(store: OpenStore): void {
  const runner = new BatchRunner(store.db);
  const pages = new PageWriter(store.db);
  const tag = String(store.db.prepare(`SELECT value FROM meta WHERE name = 'tag'`).get()?.value);

  port.on('message', (request: Request) => {
    const answer = attempt(() => {
      if (Array.isArray(request)) return runner.run(request);
      if (request.kind === 'recover') return { kind: 'page', page: pages.read(request.afterSeq) };
      store.close();
      return { kind: 'closed' };
    });
    port.postMessage(answer, buffersOf(answer));
    if (!Array.isArray(answer) && answer.kind === 'closed') port.close();
  });
  port.postMessage({ kind: 'opened', tag } satisfies Opened);
}

function attempt(work: () => Answer): Answer {
  try {
    return work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const code = sqliteCodeOf(error) === SQLITE.FULL ? 'disk_full' : 'journal_failed';
    return { kind: 'failed', code, message };
  }
}

function buffersOf(answer: Answer): ArrayBuffer[] {
  if (Array.isArray(answer) || answer.kind !== 'page') return [];
  return [answer.page.codes.buffer, answer.page.numbers.buffer];
}
