// The main thread's side of group commit. Commands of one turn ride in batches of moderate size; the worker
// commits together whatever has come while it was busy. So a commit is as large as the disk is slow, and both threads
// work at once: while one batch's answers are read here, the next is being written there. A command that comes alone,
// as the one before it did, waits for nobody. Answers come back in the order of the questions.

import { type EventEmitter, once } from 'node:events';
import { atEndOfTurn } from '../../system/turn.ts';
import type { CommitWatch } from '../commit-watch.ts';
import { JournalUnavailable } from '../ports/unavailable.ts';
import type { Request, StoreAnswer } from './server.ts';
import { WireReader } from './wire.ts';

const NO_WORDS: never[] = [];
const BATCHES_OUT_MAX = 64;
const BATCH_COMMANDS_MAX = 128;
// Words are mostly short; payloads are what makes a batch large.
const BATCH_CHARS_MAX = 8 * 1024 * 1024;

// The store's thread, or what stands for it: emits 'message', 'error' and 'exit'.
export interface StoreThread extends EventEmitter {
  postMessage(request: Request): void;
}

// Written out as data, without closures: one is made for every command there is.
interface Command {
  readonly subject: unknown;
  readonly read: (reader: WireReader, subject: never) => unknown;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: JournalUnavailable) => void;
  // null: the answer is all that is waited for.
  readonly durable: Durable | null;
}

interface Durable {
  // Whether the answer has come before the disk has what it tells of.
  readonly isAhead: (answer: never) => boolean;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: JournalUnavailable) => void;
}

interface Batch {
  // Empty when they have been handed over: payloads need not be kept until the answer.
  words: (string | number | null)[];
  readonly commands: Command[];
  // Its commands only read: they must not fail with those that cannot be written.
  readonly isReading: boolean;
  chars: number;
}

interface Expected {
  readonly answered: (answer: StoreAnswer) => void;
  readonly failed: (error: JournalUnavailable) => void;
}

export class GroupCommit {
  readonly #thread: StoreThread;
  readonly #watch: CommitWatch | null;
  readonly #waiting: Batch[] = [];
  readonly #expected: Expected[] = [];
  // Answered, and not on the disk yet.
  readonly #unforced: { answer: unknown; durable: Durable }[] = [];
  #batchesOut = 0;
  #flushIsDue = false;
  // Whether the last command was handed over by itself, with no other under way.
  #wasAlone = false;
  #broken: JournalUnavailable | null = null;
  #recoveries = 0;

  constructor(thread: StoreThread, watch: CommitWatch | null = null) {
    this.#thread = thread;
    this.#watch = watch;
    thread.on('message', (answer: StoreAnswer) => this.#receive(answer));
    thread.on('error', (error) => this.#break(`its thread failed: ${error.message}`));
    thread.on('exit', () => this.#break('it is closed'));
  }

  // `write` puts the subject's words on the batch, and knows the subject whose words were put there before; `read`
  // takes its answer off the reply. Both are given the subject, so that they need not hold it.
  submit<S, T>(
    subject: S,
    write: (words: (string | number | null)[], subject: S, before: unknown) => void,
    read: (reader: WireReader, subject: S) => T,
    chars = 0,
    durable: Durable | null = null,
    isReading = false,
  ): Promise<T> {
    if (this.#broken !== null) {
      durable?.reject(this.#broken);
      return Promise.reject(this.#broken);
    }
    const batch = this.#openBatch(isReading);
    const { commands } = batch;
    write(batch.words, subject, commands[commands.length - 1]?.subject);
    batch.chars += chars;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    commands.push({ subject, read, resolve, reject, durable });
    this.#flushSoon();
    return promise;
  }

  // The same of a command whose answer may come before the disk has it: one promise for each.
  submitAhead<S, T>(
    subject: S,
    write: (words: (string | number | null)[], subject: S, before: unknown) => void,
    read: (reader: WireReader, subject: S) => T,
    chars: number,
    isAhead: (answer: T) => boolean,
  ): { written: Promise<T>; durable: Promise<T> } {
    const { promise: durable, resolve, reject } = Promise.withResolvers<T>();
    const written = this.submit(subject, write, read, chars, { isAhead, resolve, reject });
    return { written, durable };
  }

  // A question outside the batches, in its turn.
  ask(request: Request): Promise<StoreAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#broken !== null) return reject(this.#broken);
      this.#expected.push({ answered: resolve, failed: reject });
      this.#thread.postMessage(request);
    });
  }

  // A number for a recovery, which is several questions; see recovery.ts.
  nextRecovery(): number {
    this.#recoveries += 1;
    return this.#recoveries;
  }

  // What was submitted before is answered first; what comes after is refused.
  async close(): Promise<void> {
    if (this.#broken !== null) return;
    const drained = this.drained();
    this.#broken = new JournalUnavailable('journal_failed', 'the journal is closed');
    await drained;
    this.#expected.push({ answered: () => {}, failed: () => {} });
    this.#thread.postMessage({ kind: 'close' } satisfies Request);
    await once(this.#thread, 'exit');
  }

  // Resolves when all that was submitted before has been answered.
  drained(): Promise<void> {
    return this.submit(
      null,
      () => {},
      () => {},
    );
  }

  #openBatch(isReading: boolean): Batch {
    const last = this.#waiting.at(-1);
    if (
      last !== undefined &&
      last.isReading === isReading &&
      last.commands.length < BATCH_COMMANDS_MAX &&
      last.chars < BATCH_CHARS_MAX
    ) {
      return last;
    }
    const batch: Batch = { words: [], commands: [], isReading, chars: 0 };
    this.#waiting.push(batch);
    return batch;
  }

  #flushSoon(): void {
    if (this.#flushIsDue || this.#batchesOut >= BATCHES_OUT_MAX) return;
    this.#flushIsDue = true;
    const flush = () => {
      this.#flushIsDue = false;
      this.#flush();
    };
    if (this.#wasAlone) queueMicrotask(flush);
    // When this turn of the loop has read all its sockets: what they bring shares one message and one commit.
    else atEndOfTurn(flush);
  }

  #flush(): void {
    while (this.#batchesOut < BATCHES_OUT_MAX && this.#waiting.length > 0) {
      const batch = this.#waiting.shift()!;
      this.#batchesOut += 1;
      this.#wasAlone = this.#batchesOut === 1 && batch.commands.length === 1;
      const handedAt = this.#watch?.now() ?? 0;
      this.#expected.push({
        answered: (answer) => {
          this.#watch?.written(batch.commands.length, this.#watch.now() - handedAt);
          this.#settle(batch, answer);
        },
        failed: (error) => {
          this.#batchesOut -= 1;
          failAll(batch, error);
        },
      });
      this.#thread.postMessage(batch.words);
      batch.words = NO_WORDS;
    }
  }

  #receive(answer: StoreAnswer): void {
    if (!Array.isArray(answer) && answer.kind === 'forced') {
      this.#forced();
      return;
    }
    const expected = this.#expected.shift();
    if (expected === undefined) return;
    if (!Array.isArray(answer) && answer.kind === 'failed') {
      expected.failed(new JournalUnavailable(answer.code, answer.message));
    } else {
      expected.answered(answer);
    }
    this.#flush();
  }

  #settle(batch: Batch, answer: StoreAnswer): void {
    this.#batchesOut -= 1;
    const reader = new WireReader(answer as unknown[], 0);
    for (const command of batch.commands) {
      const value = command.read(reader, command.subject as never) as never;
      const { durable } = command;
      command.resolve(value);
      if (durable?.isAhead(value)) this.#unforced.push({ answer: value, durable });
      else durable?.resolve(value);
    }
  }

  #forced(): void {
    for (const { answer, durable } of this.#unforced.splice(0)) durable.resolve(answer as never);
  }

  #break(why: string): void {
    if (this.#broken !== null) return;
    this.#broken = new JournalUnavailable('journal_failed', `the journal cannot be used: ${why}`);
    for (const { failed } of this.#expected.splice(0)) failed(this.#broken);
    for (const batch of this.#waiting.splice(0)) failAll(batch, this.#broken);
    for (const { durable } of this.#unforced.splice(0)) durable.reject(this.#broken);
  }
}

function failAll(batch: Batch, error: JournalUnavailable): void {
  for (const command of batch.commands) {
    command.reject(error);
    command.durable?.reject(error);
  }
}
