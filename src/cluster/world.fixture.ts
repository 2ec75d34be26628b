// A simulated fleet: nodes come, go, freeze, crash and are cut off, messages are late, lost and doubled, clocks are
// wrong; all of it from one seed. Afterwards everything is healed, and what was promised must come true within a
// bound.

import type { AccountId } from '../domain/ids.ts';
import { intBelow, pick, type Random, seededRandom } from '../system/random.ts';
import { type VirtualClock, virtualClock } from '../system/virtual-clock.ts';
import { MemoryBoard } from './memory.ts';
import type { MembershipPace } from './pace.ts';
import { ownerFor } from './rendezvous.ts';
import { WorldNode } from './world-node.fixture.ts';
import { DRIFT_MAX, type Mistake, WorldStore } from './world-store.fixture.ts';

export interface FleetWorldOptions {
  readonly seed: number;
  readonly pace: MembershipPace;
  readonly nodes?: number;
  readonly accounts?: number;
  readonly mistake?: Mistake;
  readonly answersLost?: number;
}

const START_AT = 1_800_000_000_000;
const NODES = 5;
const ACCOUNTS = 12;
const ANSWERS_LOST = 0.02;
const CLOCK_OFF_MS_MAX = 3_600_000;
const COORDINATION_MS_MAX = 40;
const MESSAGE_MS_MAX = 2_000;
const TROUBLE_MS_MAX = 15_000;
const SENDS_WITHIN_MS = 3_000;
// Between two disturbances.
const CALM_MS_MAX = 4_000;

export class FleetWorld {
  readonly clock: VirtualClock;
  readonly store: WorldStore;
  readonly board: MemoryBoard;
  readonly nodes: WorldNode[] = [];
  readonly #options: FleetWorldOptions;
  readonly #random: Random;
  // Names of nodes that do not reach the board.
  readonly #cut = new Set<string>();
  readonly #ends = new Set<() => void>();
  #starts = 0;

  constructor(options: FleetWorldOptions) {
    const { seed, nodes = NODES, accounts: count = ACCOUNTS, mistake = null } = options;
    this.#options = options;
    this.#random = seededRandom(seed);
    this.clock = virtualClock(START_AT, { promisesOnly: true });
    const accounts = Array.from({ length: count }, (_, i): AccountId => `account:${i}`);
    const { answersLost = ANSWERS_LOST } = options;
    this.store = new WorldStore({
      ...{ clock: this.clock, random: this.#random, accounts, mistake, answersLost },
    });
    this.board = new MemoryBoard(this.clock, {
      callMs: (node) => (this.#cut.has(node) ? null : 1 + this.#below(COORDINATION_MS_MAX)),
      copiesMs: (from, to) => (this.#cut.has(from) || this.#cut.has(to) ? [] : this.#copiesMs()),
    });
    for (let i = 1; i <= nodes; i++) this.start(`node-${i}`);
  }

  get alive(): WorldNode[] {
    return this.nodes.filter(({ isAlive }) => isAlive);
  }

  get epochs(): number[] {
    return this.store.accounts.map((account) => this.store.rowOf(account).epoch);
  }

  start(name: string): WorldNode {
    this.#starts += 1;
    const incarnation = `${name}#${this.#starts}`;
    const drift = (this.#random.next() * 2 - 1) * DRIFT_MAX;
    const node = new WorldNode({
      ...{ clock: this.clock, store: this.store, name, incarnation, rate: 1 + drift },
      offsetMs: this.#below(2 * CLOCK_OFF_MS_MAX) - CLOCK_OFF_MS_MAX,
      coordination: this.board.handle(name),
      pace: this.#options.pace,
      mistake: this.#options.mistake ?? null,
    });
    this.nodes.push(node);
    return node;
  }

  run(ms: number): Promise<void> {
    return this.clock.run(this.clock.now() + ms);
  }

  async disturb(ms: number): Promise<void> {
    const until = this.clock.now() + ms;
    while (this.clock.now() < until) {
      if (this.alive.length > 0) this.#disturbOnce(pick(this.#random, this.alive));
      await this.run(this.#below(CALM_MS_MAX));
    }
  }

  // Everything works again, and every name has its process.
  heal(): void {
    this.#cut.clear();
    this.store.unreachable.clear();
    for (const node of this.nodes) node.wake();
    for (const end of this.#ends) end();
    for (const name of new Set(this.nodes.map((node) => node.name))) this.#startAgain(name);
  }

  // Accounts that nothing was sent for since then.
  idleSince(at: number): string[] {
    return this.store.accounts
      .filter((account) => (this.store.sentAt.get(account) ?? -Infinity) < at)
      .map((account) => `${account}: nothing sent; it is ${this.store.rowOf(account).node}'s`);
  }

  // What is not as it should be when all has been well for a while: no owner, the wrong one, or one that does not send.
  unsettled(): string[] {
    const members = this.alive.map(({ name, incarnation }, startedAt) => ({
      ...{ name, incarnation, startedAt },
    }));
    const misplaced = this.store.accounts.flatMap((account) => {
      const { node } = this.store.rowOf(account);
      const should = ownerFor(account, members)?.incarnation;
      return node === should ? [] : [`${account} is ${node}'s and should be ${should}'s`];
    });
    return [...misplaced, ...this.idleSince(this.clock.now() - SENDS_WITHIN_MS)];
  }

  #disturbOnce(node: WorldNode): void {
    const { name, incarnation } = node;
    const forMs = this.#below(TROUBLE_MS_MAX);
    const later = (run: () => void) => this.#later(forMs, run);
    switch (this.#below(7)) {
      case 0:
        node.freeze();
        later(() => node.wake());
        break;
      case 1:
        node.crash();
        later(() => this.#startAgain(name));
        break;
      case 2:
        void node.leave();
        later(() => this.#startAgain(name));
        break;
      case 3:
        this.#cut.add(name);
        later(() => this.#cut.delete(name));
        break;
      case 4:
        this.store.unreachable.add(incarnation);
        later(() => this.store.unreachable.delete(incarnation));
        break;
      case 5:
        this.board.clear();
        break;
      default:
        // A successor starts while its predecessor runs, or is frozen.
        if (this.alive.filter((each) => each.name === name).length === 1) {
          node.freeze();
          this.start(name);
          later(() => node.wake());
          this.#later(forMs + CALM_MS_MAX, () => node.crash());
        }
    }
  }

  #startAgain(name: string): void {
    const isThere = this.nodes.some((node) => node.name === name && node.isStaying);
    if (!isThere) this.start(name);
  }

  // How a trouble ends; at the latest when all is healed.
  #later(ms: number, run: () => void): void {
    const end = () => {
      if (this.#ends.delete(end)) run();
    };
    this.#ends.add(end);
    this.clock.schedule(this.clock.now() + ms, end);
  }

  #copiesMs(): number[] {
    const kind = this.#random.next();
    if (kind < 0.1) return [];
    const soon = 1 + this.#below(COORDINATION_MS_MAX);
    if (kind < 0.2) return [soon, this.#below(MESSAGE_MS_MAX)];
    return [kind < 0.4 ? this.#below(MESSAGE_MS_MAX) : soon];
  }

  #below(bound: number): number {
    return intBelow(this.#random, bound);
  }
}
