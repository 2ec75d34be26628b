// Runs again when it is told to; never twice at a time: told to while it runs, it runs once more afterwards.

import { assert } from '../system/assert.ts';
import type { Clock, Timer } from '../system/clock.ts';

export class Loop {
  readonly #clock: Clock;
  readonly #run: () => Promise<void>;
  #timer: Timer | null = null;
  #at = Infinity;
  #running: Promise<void> | null = null;
  #isStopped = false;

  constructor(clock: Clock, run: () => Promise<void>) {
    this.#clock = clock;
    this.#run = run;
  }

  // The earliest time asked for counts.
  runAt(at: number): void {
    if (this.#isStopped || at >= this.#at) return;
    this.#at = at;
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#running === null) this.#arm();
  }

  runSoon(): void {
    this.runAt(this.#clock.now());
  }

  async runNow(): Promise<void> {
    await this.#running;
    if (this.#isStopped) return;
    this.#timer?.cancel();
    await this.#go();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  async stopped(): Promise<void> {
    this.stop();
    await this.#running;
  }

  #arm(): void {
    if (this.#at === Infinity || this.#isStopped) return;
    this.#timer = this.#clock.schedule(this.#at, () => void this.#go());
  }

  #go(): Promise<void> {
    assert(this.#running === null, 'a loop runs once at a time');
    this.#timer = null;
    this.#at = Infinity;
    this.#running = this.#run().finally(() => {
      this.#running = null;
      this.#arm();
    });
    return this.#running;
  }
}
