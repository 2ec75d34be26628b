// Answers and bodies that last: events, screens, texts that grow. A key is asked for when such a line is opened; what
// is said over it later needs the key to be good still, so the line is cut when it is not: at once when it is revoked,
// soon when it has expired or its session was closed.

import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '../system/clock.ts';

const LOOK_EVERY_MS = 5000;

interface Line {
  readonly response: ServerResponse;
  readonly isGood: () => boolean;
}

export class OpenConnections {
  readonly #clock: Clock;
  readonly #lines = new Set<Line>();
  #timer: Timer | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  hold(response: ServerResponse, isGood: () => boolean): void {
    const line = { response, isGood };
    this.#lines.add(line);
    response.once('close', () => {
      this.#lines.delete(line);
      if (this.#lines.size === 0) this.stop();
    });
    if (this.#timer === null) this.#lookLater();
  }

  look(): void {
    for (const { response, isGood } of this.#lines) if (!isGood()) response.destroy();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #lookLater(): void {
    this.#timer = this.#clock.schedule(this.#clock.now() + LOOK_EVERY_MS, () => {
      this.#lookLater();
      this.look();
    });
  }
}
