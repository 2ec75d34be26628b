// One call of a reader, as ingest makes it: not inside a wait, not without the lease, repeated where the wire failed,
// and never for ever. Of one method of an account one call is under way at a time: two could cross the answer that asks
// for a wait. What a reader's code throws is a failed call.

import type { ChannelReader, Read, ReadFailure, ReadMethod } from '../platforms/history.ts';
import type { Clock } from '../system/clock.ts';
import { sleep } from '../system/clock.ts';
import type { Random } from '../system/random.ts';
import type { IngestCounters } from './counters.ts';
import { RETRY_MS_FIRST } from './settings.ts';
import type { Waits } from './waits.ts';

export interface CallParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly waits: Waits;
  readonly counters: IngestCounters;
  readonly turns: CallTurns;
  readonly retriesMax: number;
}

export interface OpenReader {
  // Whose: the name under which its waits, channels and lease are kept.
  readonly key: string;
  readonly reader: ChannelReader;
  readonly epoch: number;
  // Of an account that sends, too; null: it only reads.
  readonly sending: SendingSide | null;
}

// What the road knows of the account a reader reads with: what is sent and what is read have one ledger.
export interface SendingSide {
  // Until when the platform wants nothing of the account at all; 0: it may be called.
  heldUntil(): number;
  // A call is made: it counts for the account's limits.
  called(): void;
  // The platform wants nothing of it until then: nothing is sent, either.
  hold(until: number): Promise<void>;
}

// Why a look cannot go on.
export type CallTrouble =
  | { readonly kind: 'wait'; readonly until: number; readonly method: ReadMethod }
  | { readonly kind: 'failed'; readonly reason: ReadFailure; readonly detail: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly detail: string }
  | { readonly kind: 'logged_out'; readonly detail: string }
  // Paused, shut down, or the lease is another's.
  | { readonly kind: 'stopped' };

export type Called<T> = { readonly kind: 'read'; readonly value: T } | CallTrouble;

// An answer that has not come by then is not waited for.
const CALL_MS_MAX = 60_000;

// So long the next call of a method is put off where it would come too early by the platform's own count; what is
// longer is a wait like any other.
const REST_MS_MAX = 15_000;

export class CallTurns {
  readonly #last = new Map<string, Promise<void>>();
  // Until when a name's next turn is put off.
  readonly #rests = new Map<string, number>();

  restUntil(name: string): number {
    return this.#rests.get(name) ?? 0;
  }

  rest(name: string, until: number): void {
    this.#rests.set(name, until);
  }

  async take<T>(name: string, run: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(name, promise);
    try {
      await before;
      return await run();
    } finally {
      if (this.#last.get(name) === promise) this.#last.delete(name);
      resolve();
    }
  }
}

export class ReaderCalls {
  readonly #parts: CallParts;
  readonly #reader: string;
  readonly #sending: SendingSide | null;
  readonly #mayGoOn: () => boolean;

  constructor(parts: CallParts, open: Pick<OpenReader, 'key' | 'sending'>, mayGoOn: () => boolean) {
    this.#parts = parts;
    this.#reader = open.key;
    this.#sending = open.sending;
    this.#mayGoOn = mayGoOn;
  }

  async call<T>(method: ReadMethod, ask: () => Promise<Read<T>>): Promise<Called<T>> {
    const { clock, random, counters, retriesMax, turns } = this.#parts;
    for (let retries = 0; ; retries++) {
      const turn = `${this.#reader} ${method}`;
      const answer = await turns.take(turn, async () => {
        const restMs = turns.restUntil(turn) - clock.now();
        if (restMs > 0 && this.#mayGoOn()) await sleep(clock, restMs);
        return this.#once(method, ask);
      });
      if (answer.kind !== 'failed' || retries === retriesMax) return answer;
      counters.retries[answer.reason] += 1;
      await sleep(clock, RETRY_MS_FIRST * 2 ** retries * (1 + random.next() / 4));
    }
  }

  async #once<T>(method: ReadMethod, ask: () => Promise<Read<T>>): Promise<Called<T>> {
    const { counters, waits } = this.#parts;
    if (!this.#mayGoOn()) return { kind: 'stopped' };
    const waitUntil = waits.until(this.#reader, method);
    const heldUntil = this.#heldUntil();
    const until = Math.max(waitUntil, heldUntil);
    if (until > 0) return { kind: 'wait', until, method };
    counters.calls += 1;
    this.#sending?.called();
    const answer = await this.#answer(ask);
    if (answer.kind === 'logged_out') await waits.noteLoggedOut(this.#reader);
    if (answer.kind === 'read') await this.#rest(method, answer.restMs ?? 0);
    return answer.kind === 'wait' ? this.#wait(method, answer) : answer;
  }

  #heldUntil(): number {
    const until = this.#sending?.heldUntil() ?? 0;
    return until > this.#parts.clock.now() ? until : 0;
  }

  async #rest(method: ReadMethod, restMs: number): Promise<void> {
    const { clock, turns, waits } = this.#parts;
    if (restMs > REST_MS_MAX) await waits.note(this.#reader, method, restMs);
    else if (restMs > 0) turns.rest(`${this.#reader} ${method}`, clock.now() + restMs);
  }

  async #wait(
    method: ReadMethod,
    { waitMs, isOfAccount }: { waitMs: number; isOfAccount?: boolean },
  ): Promise<CallTrouble> {
    const { counters, waits } = this.#parts;
    counters.waitMs += waitMs;
    const until = await waits.note(this.#reader, method, waitMs);
    if (isOfAccount === true) await this.#sending?.hold(until);
    return { kind: 'wait', until, method };
  }

  async #answer<T>(ask: () => Promise<Read<T>>): Promise<Read<T>> {
    const { clock } = this.#parts;
    const late = Promise.withResolvers<Read<T>>();
    const timer = clock.schedule(clock.now() + CALL_MS_MAX, () =>
      late.resolve({ kind: 'failed', reason: 'timeout', detail: `no answer in ${CALL_MS_MAX} ms` }),
    );
    try {
      return await Promise.race([ask(), late.promise]);
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      return { kind: 'failed', reason: 'server', detail };
    } finally {
      timer.cancel();
    }
  }
}
