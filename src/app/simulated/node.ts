// A node of a simulated fleet: the road, the membership and the road between nodes as the gateway composes them
// (app/fleet.ts), in a process that can be frozen and killed, on a store, a board and lines that it may be cut from.

import { FleetAccounts } from '../../cluster/accounts.ts';
import type { Coordination, FleetNode } from '../../cluster/coordination.ts';
import { Membership } from '../../cluster/membership.ts';
import type { MembershipPace } from '../../cluster/pace.ts';
import type { PeerValue } from '../../cluster/peers.ts';
import { reachedBy } from '../../cluster/reached.ts';
import { acceptedHere, FleetRoad } from '../../cluster/road.ts';
import { FleetViews } from '../../cluster/views.ts';
import type { Settings } from '../../config/config.ts';
import type { NewDelivery } from '../../domain/delivery.ts';
import { FLEET_PATHS } from '../../domain/fleet.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { AskedRoad, MoveOrder } from '../../road/road.ts';
import type { WorldPorts } from '../../sim/sim.ts';
import type { Stray } from '../../store/ports/hand-over.ts';
import { type Clock, sleep } from '../../system/clock.ts';
import type { Transport } from '../../system/http/transport.ts';
import type { Periodic, PeriodicJob } from '../../system/periodic.ts';
import type { SimulatedProcess } from '../../system/simulated-process.ts';
import { createEngine, type Engine } from '../delivery.ts';
import type { LineEnd } from './lines.ts';
import { openPlatforms, type Platforms, worldAccounts } from './parts.ts';
import type { FleetMistake, SharedStore } from './shared-store.ts';

export interface SimulatedNodeParts {
  readonly world: WorldPorts;
  readonly settings: Settings;
  readonly process: SimulatedProcess;
  // As its machine has it.
  readonly clock: Clock;
  readonly periodic: Periodic;
  readonly transport: Transport;
  readonly store: SharedStore;
  readonly ledger: Ledger;
  readonly coordination: Coordination;
  readonly self: Omit<FleetNode, 'state'>;
  readonly pace: MembershipPace;
  // Accounts that the platform refuses, which the fleet's nodes tell each other.
  readonly refused: Set<string>;
  readonly ask: (from: LineEnd, url: string, path: string, question: object) => Promise<PeerValue>;
  readonly mistake: FleetMistake | null;
  readonly fatal: (error: unknown) => void;
}

// As in app/fleet.ts and store/spill/store.ts.
const STRAYS_TOPIC = 'strays';
const STRAYS_EVERY_MS = 2_000;
const STRAY_LOOK_MS = 50;
const TAKEN_UP_MS_MAX = 2_000;
const CERTAIN_LOOK_MS = 500;
const HAND_OVER_MS_MAX = 20_000;

export async function openNode(parts: SimulatedNodeParts): Promise<SimulatedNode> {
  const { world, settings, clock, transport } = parts;
  const platforms = await openPlatforms({ ...world, clock, transport }, settings);
  return new SimulatedNode(parts, platforms);
}

export class SimulatedNode implements LineEnd {
  readonly name: string;
  readonly incarnation: string;
  readonly process: SimulatedProcess;
  readonly platforms: Platforms;
  readonly store: SharedStore;
  readonly clock: Clock;
  readonly road: AskedRoad;
  readonly accounts: FleetAccounts;
  readonly #p: SimulatedNodeParts;
  readonly #engine: Engine;
  readonly #coordination: Coordination;
  readonly #membership: Membership;
  readonly #jobs: PeriodicJob[] = [];
  #isLeaving = false;
  #hasStoodStill = false;

  constructor(parts: SimulatedNodeParts, platforms: Platforms) {
    this.#p = parts;
    const { clock, periodic, store, process, self, pace } = parts;
    this.name = self.name;
    this.incarnation = self.incarnation;
    this.process = process;
    this.platforms = platforms;
    this.store = store;
    this.clock = clock;
    this.#coordination = reachedBy(process, parts.coordination);
    const journal = store.journal();
    this.#engine = this.#openEngine(journal);
    const { dispatch } = this.#engine;
    this.accounts = new FleetAccounts({
      store: journal,
      self: self.incarnation,
      members: () => this.members,
      lookAgain: () => this.#membership.lookAgain(),
      isStoreAway: () => store.isAway || this.#membership.isOutOfTouch,
      road: {
        take: (account) => dispatch.take(account),
        handOver: (account, ms) => dispatch.handOver(account, ms),
      },
      services: () => [],
      handOverMsMax: HAND_OVER_MS_MAX,
      count: () => {},
      onFailure: () => {},
    });
    this.#membership = new Membership({
      periodic,
      coordination: this.#coordination,
      self,
      pace: () => pace,
      accounts: this.accounts,
      isStoreAway: () => store.isAway,
      onFailure: () => {},
    });
    this.road = this.#fleetRoad(journal).road;
  }

  get members(): readonly FleetNode[] {
    return this.#membership.members;
  }

  // Alive, and to stay.
  get isStaying(): boolean {
    return this.process.isAlive && !this.#isLeaving;
  }

  start(): void {
    void this.#engine.dispatch.start().then(() => this.#membership.start());
    this.#coordination.subscribe(STRAYS_TOPIC, () => void this.#takeStrays());
    this.#every('take_strays', STRAYS_EVERY_MS, () => this.#takeStrays());
    this.#every('check_standstill', CERTAIN_LOOK_MS, () => this.#lookAtCertainty());
  }

  async leave(deadlineMs: number): Promise<void> {
    this.#isLeaving = true;
    for (const job of this.#jobs) void job.stop(0);
    await this.#membership.stop(deadlineMs);
    this.process.crash();
  }

  // As the internal listener does (http/fleet/inner.ts).
  async answer(path: string, question: object): Promise<PeerValue> {
    const { road } = this.#engine;
    const { delivery, order, account } = question as {
      delivery?: NewDelivery;
      order?: MoveOrder;
      account?: AccountId;
    };
    const of = delivery?.account ?? order?.account ?? account;
    if (of === undefined) return { kind: 'lost' };
    const where = await this.accounts.claim(of);
    if (where.kind !== 'here') {
      return { kind: 'moved', to: where.kind === 'there' ? where.node.incarnation : null };
    }
    const value = await this.#answered(path, road, { delivery, order, account: of });
    if (value === null) return { kind: 'lost' };
    return 'kind' in value && value.kind === 'not_owner'
      ? { kind: 'moved', to: null }
      : { kind: 'answered', value };
  }

  async #answered(
    path: string,
    road: AskedRoad,
    asked: {
      delivery?: NewDelivery | undefined;
      order?: MoveOrder | undefined;
      account: AccountId;
    },
  ): Promise<object | null> {
    try {
      if (path === FLEET_PATHS.submit) {
        return await road.submit(acceptedHere(asked.delivery!, this.clock));
      }
      if (path === FLEET_PATHS.move) return await road.move(asked.order!);
      await this.accounts.refresh(asked.account);
      return {};
    } catch {
      // Its store is away: an error to who asked.
      return null;
    }
  }

  #openEngine(journal: ReturnType<SharedStore['journal']>): Engine {
    const { world, settings, clock, periodic, ledger, refused, pace, fatal } = this.#p;
    return createEngine({
      ...{ journal, ledger, clock, periodic, random: world.random, settings, fatal },
      accounts: worldAccounts(
        { ...world, clock },
        { platforms: this.platforms, settings },
        journal,
        refused,
      ),
      fleet: { certainMs: pace.ttlMs, onLost: (account) => this.accounts.lost(account) },
      report: (_stage, error) => fatal(error),
    });
  }

  #fleetRoad(journal: ReturnType<SharedStore['journal']>): FleetRoad {
    const { clock, ledger, settings, self, ask } = this.#p;
    const { dispatch, road: local } = this.#engine;
    const { scheduler } = dispatch.state;
    const peers = {
      ask: ({ url }: Pick<FleetNode, 'url'>, path: string, question: object) =>
        ask(this, url, path, question),
    };
    const members = () => this.members;
    return new FleetRoad({
      ...{ clock, local, journal, ledger, accounts: this.accounts, peers },
      isOnRoad: (seq) => scheduler.isInFlight(seq) || scheduler.isWaiting(seq),
      queueMaxOf: () => settings.queueMax,
      views: new FleetViews({ clock, peers, self: self.incarnation, members }),
      takenUp: (seq) => this.#takenUp(seq),
    });
  }

  async #takenUp(seq: number): Promise<boolean> {
    const { store, mistake } = this.#p;
    if (mistake === 'stray_untold') return true;
    await this.#coordination.publish(STRAYS_TOPIC, '').catch(() => {});
    for (let waited = 0; waited < TAKEN_UP_MS_MAX; waited += STRAY_LOOK_MS) {
      if (!(await store.isStray(seq))) return true;
      await sleep(this.clock, STRAY_LOOK_MS);
    }
    return false;
  }

  async #takeStrays(): Promise<void> {
    const { store } = this.#p;
    const { state } = this.#engine.dispatch;
    try {
      const taken: Stray[] = [];
      for (const stray of await store.strays()) {
        const { queued } = stray;
        if (queued !== null && !this.accounts.isHere(queued.account)) continue;
        taken.push(stray);
        if (queued === null) continue;
        const { seq } = queued;
        if (!state.scheduler.isWaiting(seq) && !state.scheduler.isInFlight(seq)) {
          state.admit(queued, null);
        }
      }
      await store.forgetStrays(taken);
    } catch {
      // Away: looked again in a moment.
    }
  }

  // Others may have written for its accounts meanwhile, or taken them.
  #lookAtCertainty(): void {
    if (!this.#membership.isCertain(this.clock.now())) this.#hasStoodStill = true;
    else if (this.#hasStoodStill) {
      this.#hasStoodStill = false;
      for (const account of [...this.accounts.open()]) void this.accounts.refresh(account);
    }
  }

  #every(name: string, everyMs: number, run: () => unknown): void {
    const job = this.#p.periodic.job({ name, everyMs, run });
    this.#jobs.push(job);
    void job.start();
  }
}
