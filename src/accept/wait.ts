// Callers who wait for a delivery's end. Bounded in number (in all, per account and per address) and in time; a
// caller who hangs up, or a gateway that stops, ends the waiting and never the delivery.

import type { Ended, Road } from '../road/road.ts';
import type { Clock } from '../system/clock.ts';
import { type Claimant, Shares } from '../system/shares.ts';

export type Waited = { kind: 'ended'; ended: Ended } | { kind: 'time' | 'left' | 'stopping' };

// Whoever waits says `close` when it leaves.
export interface Caller {
  // It has left already.
  readonly destroyed?: boolean;
  once(event: 'close', left: () => void): unknown;
  off(event: 'close', left: () => void): unknown;
}

export class WaitingCallers {
  readonly #road: Pick<Road, 'ended'>;
  readonly #clock: Clock;
  readonly #places: Shares;
  readonly #stops = new Set<() => void>();
  // Of those who can take back what has not left yet.
  readonly #withdrawals = new Set<() => void>();
  #isStopping = false;

  constructor(road: Pick<Road, 'ended'>, clock: Clock, max: number) {
    this.#road = road;
    this.#clock = clock;
    this.#places = new Shares(max);
  }

  // A place to wait in, to be left again. False: there is none for this one.
  enter(claimant: Claimant): boolean {
    return this.#places.take(claimant);
  }

  leave(claimant: Claimant): void {
    this.#places.give(claimant);
  }

  // From now on no call is accepted that holds the line until the end: it could not go any more.
  get isStopping(): boolean {
    return this.#isStopping;
  }

  // `ms` null: as long as it takes.
  async until(
    seq: number,
    ms: number | null,
    caller: Caller,
    canWithdraw = false,
  ): Promise<Waited> {
    if (caller.destroyed === true) return { kind: 'left' };
    const controller = new AbortController();
    let why: 'time' | 'left' | 'stopping' = 'time';
    const end = (reason: typeof why) => {
      why = reason;
      controller.abort();
    };
    const timer =
      ms === null ? null : this.#clock.schedule(this.#clock.now() + ms, () => end('time'));
    const left = () => end('left');
    const stop = () => end('stopping');
    caller.once('close', left);
    this.#stops.add(stop);
    if (canWithdraw) this.#withdrawals.add(stop);
    try {
      return { kind: 'ended', ended: await this.#road.ended(seq, controller.signal) };
    } catch (error) {
      if (!controller.signal.aborted) throw error;
      return { kind: why };
    } finally {
      timer?.cancel();
      caller.off('close', left);
      this.#stops.delete(stop);
      this.#withdrawals.delete(stop);
    }
  }

  // The gateway begins to stop: nothing more leaves.
  beginStop(): void {
    this.#isStopping = true;
    for (const stop of this.#withdrawals) stop();
  }

  // What was in flight has ended.
  stop(): void {
    this.#isStopping = true;
    for (const stop of this.#stops) stop();
  }
}
