// Whether owners have taken up what was written for them: their callers wait for it. The store is asked for all of them
// together, by one who looks again and again, so that a node that failed does not hold up what is written for others.

import { type Clock, sleep } from '../../system/clock.ts';
import type { HandOverStore } from '../ports/hand-over.ts';

interface Waiting {
  readonly seq: number;
  // By the clock.
  readonly until: number;
  readonly resolve: (isTakenUp: boolean) => void;
  readonly reject: (error: unknown) => void;
}

// Between two looks.
const LOOK_MS = 50;

export class LeftBehind {
  readonly #store: Pick<HandOverStore, 'stillLeft'>;
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();
  #isLooking = false;

  constructor(store: Pick<HandOverStore, 'stillLeft'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  // False: it has not been taken up, after so long.
  takenUp(seq: number, msMax: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ seq, until: this.#clock.now() + msMax, resolve, reject });
      if (!this.#isLooking) void this.#look();
    });
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    try {
      while (this.#waiting.size > 0) {
        await this.#lookOnce([...this.#waiting]);
        if (this.#waiting.size > 0) await sleep(this.#clock, LOOK_MS);
      }
    } catch (error) {
      for (const { reject } of this.#waiting) reject(error);
      this.#waiting.clear();
    }
    this.#isLooking = false;
  }

  async #lookOnce(asked: readonly Waiting[]): Promise<void> {
    const left = new Set(await this.#store.stillLeft(asked.map(({ seq }) => seq)));
    const now = this.#clock.now();
    for (const one of asked) {
      const isLeft = left.has(one.seq);
      if (isLeft && now < one.until) continue;
      this.#waiting.delete(one);
      one.resolve(!isLeft);
    }
  }
}
