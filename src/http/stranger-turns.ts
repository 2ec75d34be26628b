// Many calls may come in one turn of the event loop, and whoever comes last waits for all of them. So those of accounts
// that nobody has configured have a few places in each turn; the others wait for the next, in the order they came,
// while the gateway reads what configured accounts send.

// A call passes through half a dozen turns, so what strangers take of each counts as often.
const PER_TURN_MAX = 2;

export class StrangerTurns {
  // Each is the next request of its connection, so they are bounded with the connections.
  readonly #waiting: (() => void)[] = [];
  readonly #atNextTurn: (run: () => void) => void;
  #used = 0;
  #isArmed = false;

  constructor(atNextTurn: (run: () => void) => void) {
    this.#atNextTurn = atNextTurn;
  }

  take(run: () => void): void {
    this.#arm();
    if (this.#used >= PER_TURN_MAX) {
      this.#waiting.push(run);
      return;
    }
    this.#used += 1;
    run();
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.#atNextTurn(() => this.#begin());
  }

  #begin(): void {
    this.#isArmed = false;
    const next = this.#waiting.splice(0, PER_TURN_MAX);
    this.#used = next.length;
    if (next.length > 0) this.#arm();
    for (const run of next) run();
  }
}
