// Answers to interactions carry no credential but the token in their path, which nobody but Discord can check: where
// others than this machine can call, a stranger's would be queued, and its refusals counted against this address. So
// there they are taken only for interactions that Discord has posted here, or with a bot's own token beside them.

import { scalarText } from '../../domain/scalar.ts';
import type { Clock } from '../../system/clock.ts';
import { INTERACTION_MS, madeAt } from './describe.ts';

// Of interactions that are remembered; more than that, and the oldest are forgotten.
const INTERACTIONS_MAX = 100_000;

export class Interactions {
  readonly #clock: Clock;
  readonly #takesAll: boolean;
  // Until when, by token. Insertion order is age order.
  readonly #until = new Map<string, number>();

  constructor(clock: Clock, takesAll: boolean) {
    this.#clock = clock;
    this.#takesAll = takesAll;
  }

  takes(token: string): boolean {
    return this.#takesAll || (this.#until.get(token) ?? 0) > this.#clock.now();
  }

  // An update whose signature was right.
  received(update: unknown): void {
    if (this.#takesAll) return;
    const { id, token } = Object(update) as { id?: unknown; token?: unknown };
    const since = madeAt(scalarText(id));
    const name = scalarText(token);
    if (since === null || name === '') return;
    this.#until.set(name, since + INTERACTION_MS);
    this.#forget();
  }

  // A few at a time, each once: they come in the order in which they end.
  #forget(): void {
    const now = this.#clock.now();
    for (const [token, until] of this.#until) {
      if (until > now && this.#until.size <= INTERACTIONS_MAX) return;
      this.#until.delete(token);
    }
  }
}
