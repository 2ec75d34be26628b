// Answers the journal's requests on an open store, strictly in their order: a flat array is a batch
// of commands, `recover` asks for a page of what is alive, `close` ends it. Runs in the store's
// worker.

import { SQLITE, sqliteCodeOf } from '../system/sqlite.ts';
import type { JournalUnavailable } from './journal.ts';
import { BatchRunner } from './sqlite-batch.ts';
import type { OpenStore } from './sqlite-open.ts';
import { type Page, PageWriter } from './sqlite-recovery.ts';

export type Request =
  | (string | number | null)[]
  | { kind: 'recover'; afterSeq: number }
  | { kind: 'close' };

export type Answer =
  | unknown[]
  | { kind: 'page'; page: Page }
  | { kind: 'failed'; code: JournalUnavailable['code']; message: string }
  | { kind: 'closed' };

export interface StoreServer {
  readonly tag: string;
  answer(request: Request): Answer;
}

export function serveStore(store: OpenStore): StoreServer {
  const runner = new BatchRunner(store.db);
  const pages = new PageWriter(store.db);
  const work = (request: Request): Answer => {
    if (Array.isArray(request)) return runner.run(request);
    if (request.kind === 'recover') return { kind: 'page', page: pages.read(request.afterSeq) };
    store.close();
    return { kind: 'closed' };
  };
  return {
    tag: String(store.db.prepare(`SELECT value FROM meta WHERE name = 'tag'`).get()?.value),
    answer(request) {
      try {
        return work(request);
      } catch (error) {
        return failureOf(error);
      }
    },
  };
}

function failureOf(error: unknown): Answer {
  const message = error instanceof Error ? error.message : String(error);
  const code = sqliteCodeOf(error) === SQLITE.FULL ? 'disk_full' : 'journal_failed';
  return { kind: 'failed', code, message };
}
