// A process in a simulated world. Frozen, nothing of it goes on, neither timers nor answers, until it wakes; dead,
// never. Whatever reaches it from outside comes through here.

import type { Clock, Timer } from './clock.ts';

export interface WrongClock {
  // By how much it is off, and how fast it runs.
  readonly offsetMs: number;
  readonly rate: number;
}

export class SimulatedProcess {
  #life: 'running' | 'frozen' | 'dead' = 'running';
  #awake = Promise.withResolvers<void>();
  #heldBack: (() => void)[] = [];

  get isAlive(): boolean {
    return this.#life !== 'dead';
  }

  get isRunning(): boolean {
    return this.#life === 'running';
  }

  freeze(): void {
    if (this.#life === 'running') this.#life = 'frozen';
  }

  wake(): void {
    if (this.#life !== 'frozen') return;
    this.#life = 'running';
    this.#awake.resolve();
    this.#awake = Promise.withResolvers();
    for (const run of this.#heldBack.splice(0)) run();
  }

  crash(): void {
    this.#life = 'dead';
  }

  // What comes from outside comes when this process runs.
  async via<T>(answer: Promise<T>): Promise<T> {
    const [settled] = await Promise.allSettled([answer]);
    await this.#running();
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value;
  }

  whenRunning(run: () => void): void {
    if (this.#life === 'running') run();
    else if (this.#life === 'frozen') this.#heldBack.push(run);
  }

  clock(outside: Clock, { offsetMs, rate }: WrongClock): Clock {
    return {
      now: () => outside.now() * rate + offsetMs,
      schedule: (at, run): Timer => {
        let isCancelled = false;
        const timer = outside.schedule((at - offsetMs) / rate, () => {
          this.whenRunning(() => {
            if (!isCancelled) run();
          });
        });
        return {
          cancel() {
            isCancelled = true;
            timer.cancel();
          },
        };
      },
    };
  }

  #running(): Promise<void> {
    if (this.#life === 'running') return Promise.resolve();
    if (this.#life === 'dead') return new Promise(() => {});
    return this.#awake.promise.then(() => this.#running());
  }
}
