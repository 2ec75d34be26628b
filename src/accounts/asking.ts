// Asking a platform whose a credential is, so that strangers' guesses stay cheap: one question at a time per
// credential, few at once in all, and a "no" is remembered for a while. Everything here is bounded; what does
// not fit is told to come back later. Credentials are known by their digest only.

import type { Identified } from '../platforms/platform.ts';
import type { Clock } from '../system/clock.ts';

export interface AskingBounds {
  readonly inFlightMax: number;
  readonly waitingMax: number;
  readonly refusedMax: number;
  readonly refusedMs: number;
}

export const ASKING_BOUNDS: AskingBounds = {
  inFlightMax: 8,
  waitingMax: 1000,
  refusedMax: 10_000,
  refusedMs: 60_000,
};

type Refused = Extract<Identified, { kind: 'refused' }>;
export type Asked = Identified | { kind: 'busy' };

export class Asking {
  readonly #clock: Clock;
  readonly #bounds: AskingBounds;
  // Insertion order is age order: the first key is the oldest.
  readonly #refused = new Map<string, { answer: Refused; until: number }>();
  readonly #underWay = new Map<string, Promise<Asked>>();
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;

  constructor(clock: Clock, bounds: AskingBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  ask(digest: string, question: () => Promise<Identified>): Promise<Asked> {
    const known = this.#refused.get(digest);
    if (known !== undefined && known.until > this.#clock.now()) {
      return Promise.resolve(known.answer);
    }
    const same = this.#underWay.get(digest);
    if (same !== undefined) return same;
    const asked = this.#askInTurn(digest, question).finally(() => this.#underWay.delete(digest));
    this.#underWay.set(digest, asked);
    return asked;
  }

  async #askInTurn(digest: string, question: () => Promise<Identified>): Promise<Asked> {
    if (this.#inFlight >= this.#bounds.inFlightMax) {
      if (this.#waiting.length >= this.#bounds.waitingMax) return { kind: 'busy' };
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#inFlight += 1;
    }
    try {
      const answer = await question();
      if (answer.kind === 'refused') this.#remember(digest, answer);
      return answer;
    } finally {
      const next = this.#waiting.shift();
      // The place is handed on, not freed, so that no newcomer slips in between.
      if (next === undefined) this.#inFlight -= 1;
      else next();
    }
  }

  #remember(digest: string, answer: Refused): void {
    this.#refused.delete(digest);
    this.#refused.set(digest, { answer, until: this.#clock.now() + this.#bounds.refusedMs });
    if (this.#refused.size <= this.#bounds.refusedMax) return;
    for (const oldest of this.#refused.keys()) {
      this.#refused.delete(oldest);
      return;
    }
  }
}
