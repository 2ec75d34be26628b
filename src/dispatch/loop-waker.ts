// When the loop has its turn: many wakings make one turn, on the next microtask; a time to wake at is one timer.

import type { Clock, Timer } from '../system/clock.ts';

export class LoopWaker {
  readonly #clock: Clock;
  // Does a turn; answers when to ask again (Infinity: when woken).
  readonly #turn: (now: number) => number;
  readonly #fatal: (error: unknown) => void;
  #isRunning = false;
  #isWoken = false;
  #timer: Timer | null = null;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, turn: (now: number) => number, fatal: (error: unknown) => void) {
    this.#clock = clock;
    this.#turn = turn;
    this.#fatal = fatal;
  }

  start(): void {
    this.#isRunning = true;
    this.wake();
  }

  stop(): void {
    this.#isRunning = false;
    this.#timer?.cancel();
    this.#timer = null;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  wake(): void {
    if (!this.#isRunning || this.#isWoken) return;
    this.#isWoken = true;
    queueMicrotask(() => {
      this.#isWoken = false;
      if (!this.#isRunning) return;
      try {
        this.#wakeAt(this.#turn(this.#clock.now()));
      } catch (error) {
        this.#fatal(error);
      }
    });
  }

  #wakeAt(at: number): void {
    if (at === Number.POSITIVE_INFINITY) return;
    // A timer that fires too early costs one idle turn; moving it at every turn would cost more.
    if (this.#timer !== null && this.#timerAt <= at) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.#clock.schedule(at, () => {
      this.#timer = null;
      this.wake();
    });
  }
}

// How long before a call may leave it must be begun, so that it is on disk when its time comes: a smoothed mean of
// what beginning took. Without it every window would last longer by a commit.

const SMOOTHING = 1 / 8;
// A store that stalls must not make the loop decide long before it knows.
const LEAD_MS_MAX = 50;

export class BeginLatency {
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  observe(tookMs: number): void {
    this.#ms += (Math.min(tookMs, LEAD_MS_MAX) - this.#ms) * SMOOTHING;
  }
}
