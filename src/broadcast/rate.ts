// How many came to their end per second, over the last minute: a count for each second of it.

const SECONDS = 60;
// Sooner nothing is known.
const SPAN_S_MIN = 5;

export class EndRate {
  readonly #counts = new Array<number>(SECONDS).fill(0);
  readonly #since: number;
  #second: number;

  constructor(now: number) {
    this.#since = now;
    this.#second = Math.floor(now / 1000);
  }

  note(now: number): void {
    this.#advance(now);
    this.#counts[this.#second % SECONDS]! += 1;
  }

  // null: it has not been long enough, or nothing ended.
  perSecond(now: number): number | null {
    this.#advance(now);
    const seconds = Math.min(SECONDS, (now - this.#since) / 1000);
    const count = this.#counts.reduce((sum, each) => sum + each, 0);
    return seconds < SPAN_S_MIN || count === 0 ? null : count / seconds;
  }

  #advance(now: number): void {
    const second = Math.floor(now / 1000);
    const steps = Math.min(SECONDS, Math.max(0, second - this.#second));
    for (let i = 1; i <= steps; i++) this.#counts[(second - steps + i) % SECONDS] = 0;
    this.#second = Math.max(this.#second, second);
  }
}
