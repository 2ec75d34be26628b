// Asking a platform whose a credential is, so that strangers' guesses stay cheap: one question at a time per
// credential, few at once, so many in a second, and a "no" is remembered for a while. Addresses take turns, so that
// whoever asks much waits for itself; an address with many wrong tokens is told to come back later. Configured
// accounts have places of their own. Everything here is bounded. Credentials are known by their digest only.

import type { Identified } from '../platforms/platform.ts';
import type { Clock, Timer } from '../system/clock.ts';
import { Rate } from '../system/rate.ts';

export interface AskingBounds {
  readonly inFlightMax: number;
  // Of those, kept free for configured accounts.
  readonly reservedMax: number;
  readonly waitingMax: number;
  readonly waitingPerAddressMax: number;
  // Questions of strangers in all: so many at once, then one in each such time.
  readonly burst: number;
  readonly everyMs: number;
  // Wrong tokens of one address: the same.
  readonly wrongBurst: number;
  readonly wrongEveryMs: number;
  readonly addressesMax: number;
  // What is remembered of refused tokens, and for how long.
  readonly refusedMax: number;
  readonly refusedMs: number;
}

export const ASKING_BOUNDS: AskingBounds = {
  inFlightMax: 10,
  reservedMax: 2,
  waitingMax: 1000,
  waitingPerAddressMax: 200,
  burst: 100,
  everyMs: 20,
  wrongBurst: 60,
  wrongEveryMs: 1000,
  addressesMax: 10_000,
  refusedMax: 10_000,
  refusedMs: 60_000,
};

type Refused = Extract<Identified, { kind: 'refused' }>;
export type AskedIdentity = Identified | { kind: 'busy'; retryAfterS: number };

export interface IdentityQuestion {
  readonly digest: string;
  // null: a configured account.
  readonly address: string | null;
  // The answer is known here, without asking anybody: it needs no turn.
  readonly isLocal: boolean;
  ask(): Promise<Identified>;
}

interface Turn {
  readonly question: IdentityQuestion;
  resolve(asked: AskedIdentity | Promise<AskedIdentity>): void;
}

const ALL = '';
const BUSY_RETRY_S = 1;

export class Asking {
  readonly #clock: Clock;
  readonly #bounds: AskingBounds;
  // Insertion order is age order: the first key is the oldest.
  readonly #refused = new Map<string, { answer: Refused; until: number }>();
  readonly #underWay = new Map<string, Promise<AskedIdentity>>();
  // By address; the first is next, and goes to the end after its turn.
  readonly #waiting = new Map<string, Turn[]>();
  readonly #configured: Turn[] = [];
  readonly #inAll: Rate;
  readonly #wrong: Rate;
  #waitingCount = 0;
  #inFlight = 0;
  #timer: Timer | null = null;

  constructor(clock: Clock, bounds: AskingBounds) {
    const { burst, everyMs, wrongBurst, wrongEveryMs, addressesMax } = bounds;
    this.#clock = clock;
    this.#bounds = bounds;
    this.#inAll = new Rate({ burst, everyMs, keysMax: 1 });
    this.#wrong = new Rate({ burst: wrongBurst, everyMs: wrongEveryMs, keysMax: addressesMax });
  }

  ask(question: IdentityQuestion): Promise<AskedIdentity> {
    const { digest } = question;
    const known = this.#refused.get(digest);
    if (known !== undefined && known.until > this.#clock.now()) {
      return Promise.resolve(known.answer);
    }
    const same = this.#underWay.get(digest);
    if (same !== undefined) return same;
    const asked = this.#askInTurn(question).finally(() => this.#underWay.delete(digest));
    this.#underWay.set(digest, asked);
    return asked;
  }

  #askInTurn(question: IdentityQuestion): Promise<AskedIdentity> {
    if (question.isLocal) return question.ask();
    const { address } = question;
    const busyS = address === null ? 0 : this.#busyS(address);
    if (busyS > 0) return Promise.resolve({ kind: 'busy', retryAfterS: busyS });
    return new Promise((resolve) => {
      const turn = { question, resolve };
      if (address === null) this.#configured.push(turn);
      else this.#wait(address, turn);
      this.#serve();
    });
  }

  // 0: it may wait for its turn.
  #busyS(address: string): number {
    const waitMs = this.#wrong.waitMs(address, this.#clock.now());
    if (waitMs > 0) return Math.ceil(waitMs / 1000);
    const { waitingMax, waitingPerAddressMax } = this.#bounds;
    const own = this.#waiting.get(address)?.length ?? 0;
    return this.#waitingCount >= waitingMax || own >= waitingPerAddressMax ? BUSY_RETRY_S : 0;
  }

  #wait(address: string, turn: Turn): void {
    const turns = this.#waiting.get(address);
    if (turns === undefined) this.#waiting.set(address, [turn]);
    else turns.push(turn);
    this.#waitingCount += 1;
  }

  #serve(): void {
    const { inFlightMax, reservedMax } = this.#bounds;
    while (this.#configured.length > 0 && this.#inFlight < inFlightMax) {
      this.#make(this.#configured.shift()!);
    }
    while (this.#waitingCount > 0 && this.#inFlight < inFlightMax - reservedMax) {
      const now = this.#clock.now();
      const waitMs = this.#inAll.waitMs(ALL, now);
      if (waitMs > 0) {
        this.#serveAt(now + waitMs);
        return;
      }
      const turn = this.#next();
      // Its address has used up its wrong tokens while it waited.
      const wrongMs = this.#wrong.waitMs(turn.question.address!, now);
      if (wrongMs > 0) {
        turn.resolve({ kind: 'busy', retryAfterS: Math.ceil(wrongMs / 1000) });
        continue;
      }
      this.#inAll.count(ALL, now);
      this.#make(turn);
    }
  }

  #serveAt(at: number): void {
    this.#timer ??= this.#clock.schedule(at, () => {
      this.#timer = null;
      this.#serve();
    });
  }

  #next(): Turn {
    const [address, turns] = this.#waiting.entries().next().value!;
    const turn = turns.shift()!;
    this.#waiting.delete(address);
    if (turns.length > 0) this.#waiting.set(address, turns);
    this.#waitingCount -= 1;
    return turn;
  }

  #make({ question, resolve }: Turn): void {
    this.#inFlight += 1;
    resolve(
      question
        .ask()
        .then((answer) => {
          if (answer.kind === 'refused') this.#remember(question, answer);
          return answer;
        })
        .finally(() => {
          this.#inFlight -= 1;
          this.#serve();
        }),
    );
  }

  #remember({ digest, address }: IdentityQuestion, answer: Refused): void {
    const now = this.#clock.now();
    if (address !== null) this.#wrong.count(address, now);
    this.#refused.delete(digest);
    this.#refused.set(digest, { answer, until: now + this.#bounds.refusedMs });
    if (this.#refused.size <= this.#bounds.refusedMax) return;
    for (const oldest of this.#refused.keys()) {
      this.#refused.delete(oldest);
      return;
    }
  }
}
