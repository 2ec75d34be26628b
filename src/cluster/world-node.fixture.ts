// A process of a simulated fleet: the membership as the gateway runs it, and in the gateway's place a sender that
// begins and sends for every account it has open. It has a clock of its own that is set wrong and drifts.

import type { AccountId } from '../domain/ids.ts';
import type { Owner } from '../store/ports/ownership.ts';
import type { Clock } from '../system/clock.ts';
import { Periodic } from '../system/periodic.ts';
import { SimulatedProcess } from '../system/simulated-process.ts';
import type { Coordination, FleetNode } from './coordination.ts';
import { Membership } from './membership.ts';
import type { MembershipPace } from './pace.ts';
import type { HandOver } from './plan.ts';
import { reachedBy } from './reached.ts';
import { BEGIN_GUARD_MS, type Mistake, type WorldStore } from './world-store.fixture.ts';

export interface WorldNodeParts {
  readonly clock: Clock;
  // Of its own clock: by how much it is off, and how fast it runs.
  readonly offsetMs: number;
  readonly rate: number;
  readonly coordination: Coordination;
  readonly store: WorldStore;
  readonly name: string;
  readonly incarnation: string;
  readonly pace: MembershipPace;
  readonly mistake: Mistake | null;
}

const SEND_MS = 600;

export class WorldNode {
  readonly name: string;
  readonly incarnation: string;
  readonly membership: Membership;
  readonly #parts: WorldNodeParts;
  readonly #clock: Clock;
  readonly #open = new Map<AccountId, Owner>();
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #process = new SimulatedProcess();
  #isLeaving = false;

  constructor(parts: WorldNodeParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.incarnation = parts.incarnation;
    this.#clock = this.#process.clock(parts.clock, parts);
    const { store, incarnation } = parts;
    this.membership = new Membership({
      periodic: new Periodic(this.#clock, () => {}),
      coordination: this.#reached(parts.coordination),
      self: { ...parts, url: '', startedAt: this.#clock.now() },
      pace: () => parts.pace,
      accounts: {
        open: () => this.#open.keys(),
        rows: (others) => this.#via(store.rows(incarnation, others)),
        take: (accounts) => this.#take(accounts),
        handOver: (handOvers) => this.#handOver(handOvers),
        lose: async (accounts) => {
          for (const account of accounts) this.#open.delete(account);
        },
      },
      onFailure: () => {},
    });
    void this.membership.start();
    this.#sendLater();
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  freeze(): void {
    this.#process.freeze();
  }

  wake(): void {
    this.#process.wake();
  }

  crash(): void {
    this.#process.crash();
  }

  // Alive, and to stay.
  get isStaying(): boolean {
    return this.isAlive && !this.#isLeaving;
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    await this.membership.stop(5_000);
    this.crash();
  }

  async #take(accounts: readonly AccountId[]): Promise<void> {
    const { store, incarnation } = this.#parts;
    const opening = accounts.map(async (account) => {
      const owner = await this.#via(store.open(incarnation, account));
      this.#open.set(account, owner);
      this.#sendNext(account, owner);
    });
    await Promise.allSettled(opening);
  }

  async #handOver(handOvers: readonly HandOver[]): Promise<void> {
    const { store, incarnation, mistake } = this.#parts;
    const closing = handOvers.map(async ({ account }) => {
      const owner = this.#open.get(account);
      if (owner === undefined) return;
      if (mistake !== 'hand_over_keeps_sending') this.#open.delete(account);
      await this.#inFlight.get(account);
      await this.#via(store.close(incarnation, owner));
    });
    await Promise.allSettled(closing);
  }

  #sendLater(): void {
    this.#clock.schedule(this.#clock.now() + SEND_MS, () => {
      for (const [account, owner] of this.#open) this.#sendNext(account, owner);
      this.#sendLater();
    });
  }

  #sendNext(account: AccountId, owner: Owner): void {
    if (this.#inFlight.has(account)) return;
    const sending = this.#send(account, owner).finally(() => this.#inFlight.delete(account));
    this.#inFlight.set(account, sending);
  }

  async #send(account: AccountId, owner: Owner): Promise<void> {
    const { store, incarnation, mistake } = this.#parts;
    const askedAt = this.#clock.now();
    try {
      const begun = await this.#via(store.begin(incarnation, owner));
      const isLate = this.#clock.now() - askedAt > BEGIN_GUARD_MS;
      if (begun === null) {
        if (this.#open.get(account) === owner) this.#open.delete(account);
        this.membership.wake();
      } else if (!isLate || mistake === 'no_begin_guard') store.send(begun);
    } catch {
      // The store is away: whether it was begun is not known, and nothing is sent.
    }
  }

  #via<T>(answer: Promise<T>): Promise<T> {
    return this.#process.via(answer);
  }

  #reached(outside: Coordination): Coordination {
    const reached = reachedBy(this.#process, outside);
    if (this.#parts.mistake !== 'members_never_expire') return reached;
    const everSeen = new Map<string, FleetNode>();
    return {
      ...reached,
      members: async () => {
        for (const member of await reached.members()) everSeen.set(member.incarnation, member);
        return [...everSeen.values()];
      },
    };
  }
}
