// Group commit: while one batch is under way the next collects, so a commit is as large as the database is slow. A
// batch is one call of the server's `run` (batch.ts): one round trip, one transaction. Work that is more than one call
// (retention, reads of a start) waits for the batch before it, and the next batch for it: what was asked for first is
// done first. When a batch fails, all that wait are told so together: nobody is told of a later one before an earlier.
// The answer to a batch may be lost with its connection. Then the database is asked what became of it; if it is away,
// whoever appends is told how to ask later, and goes on; moves wait until it is known; what can be repeated is refused.

import { randomUUID } from 'node:crypto';
import { sleep, systemClock } from '../../system/clock.ts';
import {
  codeOf,
  isAnswer,
  isUnreachable,
  NotConnected,
  PG,
  type PostgresConnection,
} from '../../system/databases/postgres.ts';
import { atEndOfTurn } from '../../system/turn.ts';
import type { CommitWatch } from '../commit-watch.ts';
import { CommandInDoubt, CommandRefused, JournalUnavailable } from '../ports/unavailable.ts';
import { JournalOpenError } from '../store-error.ts';
import { type EncodedBatch, encodeBatch, RUN, type WriteCommand } from './batch.ts';

const BATCH_COMMANDS_MAX = 1_000;
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
// Two nodes may wait for each other; the server then ends one of them. A connection may be cut.
const TRIES_MAX = 5;
// A batch without an answer after so long is in doubt, and so is its connection.
const BATCH_MS_MAX = 4_000;
// Between two questions what became of one.
const DOUBT_PAUSE_MS = 200;

const OUTCOME = 'SELECT batch, answers FROM writers WHERE id = $1 FOR UPDATE';
// And those of processes that ended otherwise, long ago.
const FORGET = `DELETE FROM writers WHERE id = $1 OR at < now() - interval '30 days'`;
// What is still under way somewhere with this number or a lower one comes to nothing.
const GIVE_UP = `INSERT INTO writers (id, batch) VALUES ($1, $2)
  ON CONFLICT (id) DO UPDATE SET batch = excluded.batch`;

interface Promised {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: JournalUnavailable) => void;
}

interface Pending extends Promised {
  readonly command: WriteCommand;
}

interface Work extends Promised {
  readonly work: (connection: PostgresConnection) => Promise<unknown>;
}

export class BatchCommit {
  readonly #connection: PostgresConnection;
  readonly #watch: CommitWatch | null;
  readonly #waiting: (Pending | Work)[] = [];
  // How many of those that wait go one by one, for one of them cannot be taken.
  #alone = 0;
  #isBusy = false;
  #idle = Promise.withResolvers<void>();
  #isClosed = false;
  // Under which the server keeps the answers of the last batch.
  #writer: string;
  #number = 0;

  constructor(connection: PostgresConnection, watch: CommitWatch | null = null) {
    this.#connection = connection;
    this.#writer = randomUUID();
    this.#watch = watch;
  }

  submit<T>(command: WriteCommand, read: (answer: unknown) => T): Promise<T> {
    return this.#enter((promised) => ({ command, ...promised })).then(read);
  }

  // By itself, in its turn.
  run<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    return this.#enter((promised) => ({ work, ...promised })) as Promise<T>;
  }

  #enter(entry: (promised: Promised) => Pending | Work): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#isClosed) {
      return Promise.reject(new JournalUnavailable('journal_failed', 'the journal is closed'));
    }
    this.#waiting.push(entry({ resolve, reject }));
    if (!this.#isBusy) {
      this.#isBusy = true;
      this.#idle = Promise.withResolvers<void>();
      // When this turn of the loop has read all its sockets: what they bring shares one commit.
      atEndOfTurn(() => void this.#drain());
    }
    return promise;
  }

  // What was submitted before is answered first; what comes after is refused.
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isBusy) await this.#idle.promise;
    // Nobody asks for its last batch any more. A database that is away keeps it for a while.
    await this.#connection
      .bounded(BATCH_MS_MAX)
      .run(FORGET, this.#writer)
      .catch(() => {});
  }

  async #drain(): Promise<void> {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if ('command' in first) await this.#commit(this.#takeBatch());
      else await this.#work(this.#waiting.shift() as Work);
    }
    this.#isBusy = false;
    this.#idle.resolve();
  }

  async #work({ work, resolve, reject }: Work): Promise<void> {
    try {
      resolve(await work(this.#connection));
    } catch (error) {
      reject(unavailable(error));
    }
  }

  #takeBatch(): Pending[] {
    const batch: Pending[] = [];
    const commandsMax = this.#alone > 0 ? 1 : BATCH_COMMANDS_MAX;
    this.#alone = Math.max(0, this.#alone - 1);
    let bytes = 0;
    for (const next of this.#waiting) {
      const isFull = batch.length === commandsMax || bytes > BATCH_BYTES_MAX;
      if (isFull || !('command' in next)) break;
      batch.push(next);
      bytes += next.command.bytes;
      // Its answer changes how later commands are encoded.
      if (next.command.op === 'caller') break;
    }
    this.#waiting.splice(0, batch.length);
    return batch;
  }

  async #commit(batch: readonly Pending[]): Promise<void> {
    const handedAt = this.#watch?.now() ?? 0;
    const encoded = encodeBatch(batch.map(({ command }) => command));
    try {
      const answers = await this.#runBatch(encoded);
      this.#watch?.written(batch.length, this.#watch.now() - handedAt);
      for (const [i, { resolve }] of batch.entries()) resolve(answers[i]);
    } catch (error) {
      if (error instanceof BatchInDoubt) return this.#doubt(batch, encoded, error.cause);
      // One that the server cannot take ends alone. They wait again, ahead of what came since: if the database goes
      // away in between, all that are left are told so in their order.
      if (batch.length > 1 && isRefusal(error)) {
        this.#waiting.unshift(...batch);
        this.#alone = batch.length;
        return;
      }
      const told = isRefusal(error) ? refusal(error) : unavailable(error);
      for (const { reject } of batch) reject(told);
      if (!isRefusal(error)) this.#refuseWaiting(told);
    }
  }

  #refuseWaiting(error: JournalUnavailable): void {
    this.#alone = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  async #runBatch(batch: EncodedBatch): Promise<unknown[]> {
    const { accounts, commands, columns } = batch;
    for (let tries = 1; ; tries += 1) {
      this.#number += 1;
      const params = [accounts, commands, this.#writer, this.#number, ...columns] as const;
      try {
        const row = await this.#connection.getWithin(BATCH_MS_MAX, RUN, ...params);
        return batch.answersOf(row!.answers);
      } catch (error) {
        if (error instanceof NotConnected || (isAnswer(error) && !isCollision(error))) throw error;
        const answers = isCollision(error) ? null : await this.#outcomeNow(batch);
        if (answers !== null) return answers;
        if (tries === TRIES_MAX) throw error;
      }
    }
  }

  async #outcomeNow(encoded: EncodedBatch): Promise<unknown[] | null> {
    try {
      return await this.#outcome({ writer: this.#writer, batch: this.#number }, encoded);
    } catch (cause) {
      throw new BatchInDoubt('what became of a batch is not known', { cause });
    }
  }

  // The connection was lost before the answer came: what became of the batch. null: nothing, now and for ever.
  #outcome({ writer, batch }: Asked, encoded: EncodedBatch): Promise<unknown[] | null> {
    return this.#connection.transaction('', async (sql) => {
      const row = await sql.get(OUTCOME, writer);
      if (row?.batch === batch) return row.answers === null ? null : encoded.answersOf(row.answers);
      await sql.run(GIVE_UP, writer, batch);
      return null;
    });
  }

  // Its answers are kept under the writer's id, so the next batch is another writer's.
  #doubt(batch: readonly Pending[], encoded: EncodedBatch, cause: unknown): void {
    const asked: Asked = { writer: this.#writer, batch: this.#number };
    this.#writer = randomUUID();
    this.#number = 0;
    const { message } = unavailable(cause);
    const moves: [Pending, number][] = [];
    for (const [index, pending] of batch.entries()) {
      const { op } = pending.command;
      if (APPENDS.includes(op)) pending.reject(new CommandInDoubt(message, { ...asked, index }));
      else if (MOVES.includes(op)) moves.push([pending, index]);
      else pending.reject(unavailable(cause));
    }
    this.#refuseWaiting(unavailable(cause));
    if (moves.length > 0) void this.#answerLater(asked, encoded, moves);
  }

  async #answerLater(
    asked: Asked,
    encoded: EncodedBatch,
    moves: readonly [Pending, number][],
  ): Promise<void> {
    for (;;) {
      await sleep(systemClock(), DOUBT_PAUSE_MS);
      try {
        const answers = this.#isClosed ? null : await this.#outcome(asked, encoded);
        for (const [{ resolve, reject }, index] of moves) {
          if (answers === null)
            reject(new JournalUnavailable('journal_failed', 'nothing came of it'));
          else resolve(answers[index]);
        }
        return;
      } catch {
        // Still away.
      }
    }
  }
}

const APPENDS: readonly string[] = ['append', 'append_plain'];
const MOVES: readonly string[] = ['begin', 'settle', 'settle_ended', 'move', 'receipt'];

interface Asked {
  readonly writer: string;
  readonly batch: number;
}

class BatchInDoubt extends Error {
  override readonly name = 'BatchInDoubt';
}

function isCollision(error: unknown): boolean {
  const code = codeOf(error);
  return code === PG.deadlock || code === PG.serialization;
}

// Of what the commands say, and not of the server's state: its classes of errors 22, 23 and 54 (more than it can hold).
function isRefusal(error: unknown): boolean {
  return isAnswer(error) && /^(?:2[23]|54)/.test(codeOf(error) ?? '');
}

function refusal(error: unknown): CommandRefused {
  return new CommandRefused('journal_failed', told(error));
}

export function openError(error: unknown): JournalOpenError {
  if (error instanceof JournalOpenError) return error;
  const { message } = unavailable(error);
  if (!isUnreachable(error)) {
    return new JournalOpenError('failed', `the database cannot be used: ${message}`);
  }
  return new JournalOpenError('unreachable', `the database cannot be reached: ${message}`);
}

export function unavailable(error: unknown): JournalUnavailable {
  const code = codeOf(error);
  return new JournalUnavailable(code === PG.diskFull ? 'disk_full' : 'journal_failed', told(error));
}

function told(error: unknown): string {
  return `the database did not take it: ${error instanceof Error ? error.message : String(error)}`;
}
