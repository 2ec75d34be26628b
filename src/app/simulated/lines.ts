// The network between the nodes of a simulated fleet: questions take their time, arrive in order, and get lost on the
// way there or back. Who asks learns what the real line would tell (cluster/peers.ts): that it never left, or that it
// may have been carried out.

import type { PeerValue } from '../../cluster/peers.ts';
import { type Clock, sleep } from '../../system/clock.ts';
import { intBelow, type Random } from '../../system/random.ts';
import type { SimulatedProcess } from '../../system/simulated-process.ts';

export interface LineEnd {
  readonly name: string;
  readonly process: SimulatedProcess;
  // Answers a question of another node.
  answer(path: string, question: object): Promise<PeerValue>;
}

const WAY_MS_MAX = 40;
// One question in so many is slow, as over a line that repeats what it loses.
const SLOW_EVERY = 20;
const SLOW_MS_MAX = 1_500;
const LOST_EVERY = 100;
const CONNECT_MS_MAX = 1_000;
// As the real line finds out that nobody is there.
const PROBE_MS = 2_500;

export class NodeLines {
  // Names of nodes that none of the others reaches.
  readonly cutOff = new Set<string>();
  #isHealed = false;
  readonly #clock: Clock;
  readonly #random: Random;
  // When the last question on its way arrives, by who asks whom.
  readonly #arrivesAt = new Map<string, number>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  // Nothing is lost or cut any more.
  heal(): void {
    this.#isHealed = true;
    this.cutOff.clear();
  }

  // `to`: null: nobody listens there.
  async ask(from: LineEnd, to: LineEnd | null, path: string, question: object): Promise<PeerValue> {
    return from.process.via(this.#asked(from, to, path, question));
  }

  async #asked(
    from: LineEnd,
    to: LineEnd | null,
    path: string,
    question: object,
  ): Promise<PeerValue> {
    if (to === null || !to.process.isAlive) {
      await sleep(this.#clock, 1);
      return { kind: 'unsent' };
    }
    if (this.#isCut(from, to)) {
      await sleep(this.#clock, CONNECT_MS_MAX);
      return { kind: 'unsent' };
    }
    const { promise, resolve } = Promise.withResolvers<PeerValue>();
    this.#watch(from, to, resolve);
    const isLostThere = this.#isLost();
    const isLostBack = this.#isLost();
    const arrivesAt = this.#arrivalAt(`${from.name} ${to.name}`);
    this.#clock.schedule(arrivesAt, () => {
      if (isLostThere || this.#isCut(from, to)) return;
      to.process.whenRunning(() => {
        void to.answer(path, question).then(async (value) => {
          await sleep(this.#clock, this.#wayMs());
          if (!isLostBack && !this.#isCut(from, to) && to.process.isRunning) resolve(value);
        });
      });
    });
    return promise;
  }

  // Asked now and then whether it is there, and told so at the second time that nothing has come of it.
  #watch(from: LineEnd, to: LineEnd, resolve: (value: PeerValue) => void): void {
    let looks = 0;
    const look = () => {
      looks += 1;
      const isThere = to.process.isRunning && !this.#isCut(from, to);
      if (!isThere || looks === 2) resolve({ kind: 'lost' });
      else this.#clock.schedule(this.#clock.now() + PROBE_MS, look);
    };
    this.#clock.schedule(this.#clock.now() + PROBE_MS, look);
  }

  #isCut(from: LineEnd, to: LineEnd): boolean {
    return this.cutOff.has(from.name) || this.cutOff.has(to.name);
  }

  #isLost(): boolean {
    return intBelow(this.#random, LOST_EVERY) === 0 && !this.#isHealed;
  }

  #wayMs(): number {
    const isSlow = intBelow(this.#random, SLOW_EVERY) === 0 && !this.#isHealed;
    return 1 + intBelow(this.#random, isSlow ? SLOW_MS_MAX : WAY_MS_MAX);
  }

  #arrivalAt(way: string): number {
    const at = Math.max(this.#clock.now() + this.#wayMs(), this.#arrivesAt.get(way) ?? 0);
    this.#arrivesAt.set(way, at);
    return at;
  }
}
