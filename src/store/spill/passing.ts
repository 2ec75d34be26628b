// A node that alone is cut from the store has others write down what it accepts: in its order, and before its callers
// are answered, so that what they send next comes behind it also at a node that has taken the account over meanwhile.
// While no other reaches the store either, nobody waits for it.

import { type Clock, sleep } from '../../system/clock.ts';
import type { HandedOver, SpilledRecord } from '../ports/hand-over.ts';
import { filesOf } from './pending.ts';

// Another node, which reaches the store, hands some over for this one; null: none does just now.
export type PassOn = (
  spill: string,
  records: readonly SpilledRecord[],
) => Promise<HandedOver[] | null>;

// The spill, as this sees it.
export interface PassedSpill {
  mode(): 'direct' | 'away' | 'draining' | 'closed';
  has(seq: number): boolean;
  id(): string;
  // The next that can be handed over.
  first(): readonly SpilledRecord[];
  handedOver(some: readonly SpilledRecord[], answers: readonly HandedOver[]): void;
  // One part of it at a time is handed over, by whichever way.
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  // null: there are no other nodes.
  passOn(): PassOn | null;
}

// Between two parts, and after a try that found nobody.
const PASS_EVERY_MS = 50;
const PASS_AGAIN_MS = 1_000;
// How long a caller waits for it.
const PASS_MS_MAX = 2_000;
const LOOK_MS = 5;

export class SpillPassing {
  readonly #clock: Clock;
  readonly #spill: PassedSpill;
  // Whether the last try found a node that could.
  #canPass = false;
  #isRunning = false;
  #run: Promise<void> = Promise.resolve();

  constructor(clock: Clock, spill: PassedSpill) {
    this.#clock = clock;
    this.#spill = spill;
  }

  // From the moment that the store is away until it is back; if it goes away again in between, it goes on.
  run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#run = this.#passUntilBack();
  }

  // Resolves when nothing is passed on any more.
  ended(): Promise<void> {
    return this.#run;
  }

  async #passUntilBack(): Promise<void> {
    try {
      this.#canPass = this.#spill.passOn() !== null;
      for (;;) {
        const mode = this.#spill.mode();
        const passOn = this.#spill.passOn();
        if (mode === 'direct' || mode === 'closed' || passOn === null) return;
        this.#canPass = mode !== 'away' || (await this.#spill.inTurn(() => this.#passSome(passOn)));
        await sleep(this.#clock, this.#canPass ? PASS_EVERY_MS : PASS_AGAIN_MS);
      }
    } finally {
      this.#isRunning = false;
    }
  }

  // Resolves when it was passed on, or that is not to be waited for.
  async passed(seq: number): Promise<void> {
    const until = this.#clock.now() + PASS_MS_MAX;
    const waits = () => this.#canPass && this.#spill.mode() === 'away' && this.#spill.has(seq);
    while (waits() && this.#clock.now() < until) await sleep(this.#clock, LOOK_MS);
  }

  // False: nobody could. Files are brought by this node itself, and what comes behind one waits for it.
  async #passSome(passOn: PassOn): Promise<boolean> {
    const first = this.#spill.first();
    const withFile = first.findIndex((one) => filesOf([one]).length > 0);
    const some = withFile < 0 ? first : first.slice(0, withFile);
    if (some.length === 0 || this.#spill.mode() !== 'away') return true;
    const answers = await passOn(this.#spill.id(), some);
    if (answers === null) return false;
    this.#spill.handedOver(some, answers);
    return true;
  }
}
