// Updates from the store: what came by webhook, taken by an app that polls. As on the platform: asking from an
// offset confirms what is before it, a negative one counts from the end, and there is one poller per bot: a second
// one sends the first away.

import type { AccountId } from '../domain/ids.ts';
import type { Poll, UpdateReading } from '../platforms/platform.ts';
import type { UpdatePlace, UpdateStore } from '../store/ports/updates.ts';
import type { Clock } from '../system/clock.ts';
import { jsonOrUndefined } from '../system/json.ts';

export type Polled =
  // Each an update's JSON text.
  { kind: 'updates'; bodies: readonly string[] } | { kind: 'conflict' };

export interface PollsParts {
  readonly clock: Clock;
  readonly incoming: Pick<UpdateStore, 'waiting' | 'read' | 'doneBefore'>;
  taken(account: AccountId, count: number): void;
}

const PAGE = 100;
export const BEFORE_ALL: UpdatePlace = { order: Number.MIN_SAFE_INTEGER, updateId: '' };

interface Poller {
  end: 'conflict' | 'left' | null;
  wake(): void;
}

export class Polls {
  readonly #parts: PollsParts;
  readonly #pollers = new Map<AccountId, Poller>();

  constructor(parts: PollsParts) {
    this.#parts = parts;
  }

  // Something came for this account.
  wake(account: AccountId): void {
    this.#pollers.get(account)?.wake();
  }

  stop(): void {
    for (const account of [...this.#pollers.keys()]) this.#end(account, 'left');
  }

  async poll(
    account: AccountId,
    reading: UpdateReading,
    ask: Poll,
    signal: AbortSignal,
  ): Promise<Polled> {
    this.#end(account, 'conflict');
    const poller: Poller = { end: null, wake: () => {} };
    this.#pollers.set(account, poller);
    const left = () => this.#end(account, 'left', poller);
    signal.addEventListener('abort', left);
    try {
      const from = await this.#confirm(account, ask.offset);
      return await this.#wait(account, (body) => isTold(reading, body, ask), from, ask, poller);
    } finally {
      signal.removeEventListener('abort', left);
      if (this.#pollers.get(account) === poller) this.#pollers.delete(account);
    }
  }

  async #wait(
    account: AccountId,
    matches: (body: string) => boolean,
    from: number,
    ask: Poll,
    poller: Poller,
  ): Promise<Polled> {
    const { clock } = this.#parts;
    const until = clock.now() + ask.timeoutMs;
    for (;;) {
      // Armed before the look, so that what comes meanwhile is not slept through.
      const woken = new Promise<void>((resolve) => {
        poller.wake = resolve;
      });
      const bodies = poller.end === null ? await this.#read(account, matches, from, ask.limit) : [];
      if (poller.end === 'conflict') return { kind: 'conflict' };
      const isOver = poller.end !== null || clock.now() >= until;
      if (bodies.length > 0 || isOver) return { kind: 'updates', bodies };
      const timer = clock.schedule(until, () => poller.wake());
      await woken;
      timer.cancel();
    }
  }

  // From which order on there is anything to tell.
  async #confirm(account: AccountId, offset: number): Promise<number> {
    const { incoming, taken } = this.#parts;
    const from = offset >= 0 ? offset : await this.#fromEnd(account, -offset);
    const count = from > 0 ? await incoming.doneBefore({ account, order: from }) : 0;
    if (count > 0) taken(account, count);
    return from;
  }

  async #fromEnd(account: AccountId, count: number): Promise<number> {
    const orders: number[] = [];
    let after = BEFORE_ALL;
    for (;;) {
      const query = { afterAccount: account, after, max: PAGE };
      const page = await this.#parts.incoming.waiting(query);
      const own = page.filter((row) => row.account === account);
      for (const { order } of own) orders.push(order);
      if (own.length < PAGE) return orders.at(-count) ?? orders[0] ?? 0;
      after = own.at(-1)!;
    }
  }

  async #read(
    account: AccountId,
    matches: (body: string) => boolean,
    from: number,
    limit: number,
  ): Promise<string[]> {
    const bodies: string[] = [];
    let after: UpdatePlace = { order: from, updateId: '' };
    for (;;) {
      const page = await this.#parts.incoming.read({ account, after, max: PAGE });
      for (const { body } of page) {
        if (matches(body)) bodies.push(body);
        if (bodies.length === limit) return bodies;
      }
      if (page.length < PAGE) return bodies;
      after = page.at(-1)!;
    }
  }

  #end(account: AccountId, how: 'conflict' | 'left', only: Poller | null = null): void {
    const poller = this.#pollers.get(account);
    if (poller === undefined || (only !== null && poller !== only)) return;
    this.#pollers.delete(account);
    poller.end = how;
    poller.wake();
  }
}

// One that cannot be read is never told: it would spoil the answer that all of them share.
function isTold(reading: UpdateReading, body: string, poll: Poll): boolean {
  const update = jsonOrUndefined(body);
  if (typeof update !== 'object' || update === null) return false;
  return reading.isAsked(update as Record<string, unknown>, poll);
}
