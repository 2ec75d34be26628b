// The ledger's own thread and reading connection: a slow search delays other searches, never a
// commit.

import { parentPort, workerData } from 'node:worker_threads';
import type { DeliveryPage, Filter } from '../../../ledger/ledger.ts';
import { assert } from '../../../system/assert.ts';
import { openDatabase } from '../../../system/databases/sqlite.ts';
import { SqliteReader } from './reader.ts';

export type LedgerQuestion =
  | { kind: 'get'; seq: number }
  | { kind: 'getMany'; seqs: readonly number[] }
  | { kind: 'attempts'; seq: number }
  | { kind: 'history'; seq: number }
  | { kind: 'search'; filter: Filter; page: DeliveryPage }
  | { kind: 'copiesOf'; origin: number }
  | { kind: 'hasCopies' }
  | { kind: 'deadByCause'; filter: Filter }
  | { kind: 'countByState' };

export type LedgerReply = { kind: 'value'; value: unknown } | { kind: 'failed'; message: string };

const BUSY_MS_MAX = 5_000;

assert(parentPort !== null, 'runs as a worker');
const port = parentPort;
const db = openDatabase(String(workerData), { readOnly: true, busyMsMax: BUSY_MS_MAX });
const reader = new SqliteReader(db);

port.on('message', (question: LedgerQuestion) => port.postMessage(reply(question)));

function reply(question: LedgerQuestion): LedgerReply {
  try {
    return { kind: 'value', value: answer(question) };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

function answer(question: LedgerQuestion): unknown {
  switch (question.kind) {
    case 'get':
      return reader.get(question.seq);
    case 'getMany':
      return reader.getMany(question.seqs);
    case 'attempts':
      return reader.attempts(question.seq);
    case 'history':
      return reader.history(question.seq);
    case 'search':
      return reader.search(question.filter, question.page);
    case 'copiesOf':
      return reader.copiesOf(question.origin);
    case 'hasCopies':
      return reader.hasCopies();
    case 'deadByCause':
      return reader.deadByCause(question.filter);
    case 'countByState':
      return reader.countByState();
  }
}
