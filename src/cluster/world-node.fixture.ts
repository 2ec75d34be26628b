// A process of a simulated fleet: the membership as the gateway runs it, and in the gateway's place a sender that
// begins and sends for every account it has open. It has a clock of its own that is set wrong and drifts. Frozen,
// nothing of it goes on, neither timers nor answers, until it wakes; dead, never.

import type { Owner } from '../store/ports/ownership.ts';
import type { Clock, Timer } from '../system/clock.ts';
import type { Coordination, FleetNode } from './coordination.ts';
import { Membership } from './membership.ts';
import type { MembershipPace } from './pace.ts';
import type { HandOver } from './plan.ts';
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
  readonly #open = new Map<string, Owner>();
  readonly #inFlight = new Map<string, Promise<void>>();
  #life: 'running' | 'frozen' | 'dead' = 'running';
  #isLeaving = false;
  #awake = Promise.withResolvers<void>();
  #heldBack: (() => void)[] = [];

  constructor(parts: WorldNodeParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.incarnation = parts.incarnation;
    this.#clock = this.#ownClock();
    const { store, incarnation } = parts;
    this.membership = new Membership({
      clock: this.#clock,
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
    return this.#life !== 'dead';
  }

  freeze(): void {
    if (this.#life === 'running') this.#life = 'frozen';
  }

  wake(): void {
    if (this.#life !== 'frozen') return;
    this.#life = 'running';
    this.#awake.resolve();
    this.#awake = Promise.withResolvers();
    for (const run of this.#heldBack.splice(0)) run();
  }

  crash(): void {
    this.#life = 'dead';
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

  async #take(accounts: readonly string[]): Promise<void> {
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

  #sendNext(account: string, owner: Owner): void {
    if (this.#inFlight.has(account)) return;
    const sending = this.#send(account, owner).finally(() => this.#inFlight.delete(account));
    this.#inFlight.set(account, sending);
  }

  async #send(account: string, owner: Owner): Promise<void> {
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

  // What comes from outside comes when this process runs.
  async #via<T>(answer: Promise<T>): Promise<T> {
    const [settled] = await Promise.allSettled([answer]);
    await this.#running();
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value;
  }

  #running(): Promise<void> {
    if (this.#life === 'running') return Promise.resolve();
    if (this.#life === 'dead') return new Promise(() => {});
    return this.#awake.promise.then(() => this.#running());
  }

  #whenRunning(run: () => void): void {
    if (this.#life === 'running') run();
    else if (this.#life === 'frozen') this.#heldBack.push(run);
  }

  #ownClock(): Clock {
    const { clock, offsetMs, rate } = this.#parts;
    return {
      now: () => clock.now() * rate + offsetMs,
      schedule: (at, run): Timer => {
        let isCancelled = false;
        const timer = clock.schedule((at - offsetMs) / rate, () => {
          this.#whenRunning(() => {
            if (!isCancelled) run();
          });
        });
        return {
          cancel() {
            isCancelled = true;
            timer.cancel();
          },
        };
      },
    };
  }

  #reached(outside: Coordination): Coordination {
    const everSeen = new Map<string, FleetNode>();
    return {
      join: (node, ttlMs) => this.#via(outside.join(node, ttlMs)),
      leave: () => this.#via(outside.leave()),
      members: async () => {
        const members = await this.#via(outside.members());
        if (this.#parts.mistake !== 'members_never_expire') return members;
        for (const member of members) everSeen.set(member.incarnation, member);
        return [...everSeen.values()];
      },
      claim: (lease) => this.#via(outside.claim(lease)),
      release: (lease) => this.#via(outside.release(lease)),
      publish: (topic, message) => this.#via(outside.publish(topic, message)),
      subscribe: (topic, listener) =>
        outside.subscribe(topic, (message) => this.#whenRunning(() => listener(message))),
      close: () => outside.close(),
    };
  }
}
