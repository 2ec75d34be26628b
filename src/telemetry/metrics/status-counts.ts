// Answers by route and class of status, counted on every request: a look at the route, then an addition.

import type { Board } from './board.ts';
import type { Count } from './tally.ts';

export class StatusCounts {
  readonly #board: Board;
  // By route pattern, then by the first digit of the status.
  readonly #routes = new Map<string, (Count | undefined)[]>();

  constructor(board: Board) {
    this.#board = board;
  }

  add(route: string, status: number): void {
    let counts = this.#routes.get(route);
    if (counts === undefined) {
      counts = [];
      this.#routes.set(route, counts);
    }
    const digit = Math.trunc(status / 100);
    counts[digit] ??= this.#board.count('sluice_http_requests_total', {
      route,
      status: `${digit}xx`,
    });
    counts[digit].value += 1;
  }
}
