// The thread that owns the store's writing connection: opens it, says so, and answers until closed.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { assert } from '../../system/assert.ts';
import { systemClock, type Timer } from '../../system/clock.ts';
import type { OpenErrorCode } from '../store-error.ts';
import type { StoreNote } from '../store-note.ts';
import { Checkpointer } from './files/checkpointer.ts';
import type { AcceptedLoss } from './files/loss.ts';
import { explained, type OpenOptions, openStore } from './files/open.ts';
import { type Request, type StoreAnswer, serveStore } from './server.ts';

export type OpenedStore =
  | {
      kind: 'opened';
      tag: string;
      notes: readonly StoreNote[];
      losses: readonly AcceptedLoss[];
    }
  | { kind: 'refused'; code: OpenErrorCode; message: string };

const REQUESTS_TOGETHER_MAX = 16;
// Settlements that were answered wait so long for a commit that is forced to the disk anyway.
const FORCE_AFTER_MS = 5;
// One that has nothing to write learns within this time that it is not the owner any more.
const OWNER_CHECK_MS = 2_000;

assert(parentPort !== null, 'runs as a worker');
const port = parentPort;
const options = workerData as OpenOptions;

try {
  const checkpointer = new Checkpointer(options.dir);
  const store = openStore(options, (moved) => checkpointer.move(moved));
  const server = serveStore(store);
  const clock = systemClock();
  const { checkpoints } = store;
  let forcing: Timer | null = null;

  const answer = (requests: readonly Request[]): void => {
    for (const each of server.answer(requests)) port.postMessage(each, buffersOf(each));
  };
  // The last connection to close tidies up, and that is to be this one.
  const close = (requests: readonly Request[]): void =>
    checkpointer.close(() => {
      ownerCheck.cancel();
      answer(requests);
      port.close();
    });
  port.on('message', (first: Request) => {
    forcing?.cancel();
    let requests = [first, ...waitingRequests()];
    for (; requests.length > 0; requests = waitingRequests()) {
      if (requests.some(isClose)) return close(requests);
      answer(requests);
      if (server.forceBegun()) port.postMessage({ kind: 'forced' } satisfies StoreAnswer);
      checkpoints.committed();
    }
    forcing = server.isForced
      ? null
      : clock.schedule(clock.now() + FORCE_AFTER_MS, () => server.force());
  });
  const checkOwner = (): void => {
    store.owner.check();
    ownerCheck = clock.schedule(clock.now() + OWNER_CHECK_MS, checkOwner);
  };
  let ownerCheck = clock.schedule(clock.now() + OWNER_CHECK_MS, checkOwner);
  const { notes, losses } = store;
  port.postMessage({ kind: 'opened', tag: server.tag, notes, losses } satisfies OpenedStore);
} catch (error) {
  const { code, message } = explained(error, options.dir);
  port.postMessage({ kind: 'refused', code, message } satisfies OpenedStore);
}

// It is the last request there is.
function isClose(request: Request): boolean {
  return !Array.isArray(request) && request.kind === 'close';
}

// What came while the last commit was under way shares the next one.
function waitingRequests(): Request[] {
  const requests: Request[] = [];
  while (requests.length < REQUESTS_TOGETHER_MAX) {
    const received = receiveMessageOnPort(port) as { message: Request } | undefined;
    if (received === undefined) break;
    requests.push(received.message);
  }
  return requests;
}

function buffersOf(answer: StoreAnswer): ArrayBuffer[] {
  if (Array.isArray(answer) || answer.kind !== 'page') return [];
  return [answer.page.codes.buffer, answer.page.numbers.buffer];
}
