// Joins a node with its fleet: who is alive, which accounts are this node's, calls to other nodes, and notices of
// changes in the store. Embedded there is none of it.

import { type AccountPart, FleetAccounts, type OwnershipEvent } from '../cluster/accounts.ts';
import type { Coordination, FleetNode } from '../cluster/coordination.ts';
import { Membership } from '../cluster/membership.ts';
import { ASK_LISTENER_MS_MAX, POSTGRES_PACE, REDIS_PACE } from '../cluster/pace.ts';
import { FleetPeers, type ForwardOutcome } from '../cluster/peers.ts';
import { FleetRates } from '../cluster/rates.ts';
import { acceptedHere, FleetRoad, type OwnerCommand, togetherOf } from '../cluster/road.ts';
import { fleetSecret } from '../cluster/secret.ts';
import { FleetViews, FREEZES_SHOWN_MAX, type NodeView } from '../cluster/views.ts';
import type { Config, Settings } from '../config/config.ts';
import type { Dispatch } from '../dispatch/loop.ts';
import { FLEET_PATHS } from '../domain/fleet.ts';
import { type AccountId, platformOf } from '../domain/ids.ts';
import type { FleetPort, NodeStanding } from '../http/fleet/port.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { AskedRoad } from '../road/road.ts';
import type { ChangeTopic } from '../store/ports/fleet.ts';
import type { HandedOver, SpilledRecord, SpillPart } from '../store/ports/hand-over.ts';
import type { PostgresJournal } from '../store/postgres/postgres.ts';
import type { SpillingStore } from '../store/spill/store.ts';
import { type Clock, sleep } from '../system/clock.ts';
import { isRefused } from '../system/listening.ts';
import type { Log } from '../system/log.ts';
import type { Periodic, PeriodicJob } from '../system/periodic.ts';
import { nodeName, openCoordination } from './coordination.ts';
import type { Engine } from './delivery.ts';
import { rereadWhenChanged, type SharedTruth } from './rereads.ts';

export interface FleetParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly periodic: Periodic;
  readonly log: Log;
  readonly journal: PostgresJournal;
  // The same with the spill before it.
  readonly spilling: Pick<
    SpillingStore,
    'append' | 'move' | 'standing' | 'takenUp' | 'takeStrays' | 'passBy' | 'handOverFor'
  >;
  readonly ledger: Ledger;
  // As whom the store knows this process.
  readonly incarnation: string;
}

const TOPICS = { accounts: 'accounts', keys: 'keys', strays: 'strays' } as const;
// A node that missed a notice reads the change then.
const REREAD_MS = 3_000;
// How often this node checks whether it stood still for longer than its membership is certain.
const CERTAIN_LOOK_MS = 500;
// How long a caller waits for the owner to take up what was written without it: it may be dead.
const TAKEN_UP_MS_MAX = 2_000;
// A node that has not reached the store for so long looks whether others have taken its accounts.
const AWAY_LOOK_AFTER_MS = 4_000;
const AWAY_LOOK_MS = 1_000;
// The lease of what one node does for all: pruning, and handing posts on.
const MAINTENANCE = { name: 'maintenance', ttlMs: 15_000 } as const;
// The share of a stop's time for handing accounts over.
const HAND_OVER_SHARE = 0.6;
// Of a run of its periodic work that is under way when it stops.
const RUN_STOP_MS_MAX = 500;

export class Fleet {
  readonly accounts: FleetAccounts;
  readonly coordination: Coordination;
  readonly peers: FleetPeers;
  readonly views: FleetViews;
  readonly rates: FleetRates;
  readonly secret: string;
  readonly name: string;
  readonly incarnation: string;
  readonly forwards: Record<ForwardOutcome, number> = { answered: 0, moved: 0, unsent: 0, lost: 0 };
  readonly moves: Record<OwnershipEvent, number> = { taken: 0, handed_over: 0, lost: 0 };
  readonly #p: FleetParts;
  readonly #pace: () => typeof POSTGRES_PACE;
  readonly #startedAt: number;
  #services: readonly AccountPart[] = [];
  #road: FleetRoad | null = null;
  #dispatch: Dispatch | null = null;
  #membership: Membership | null = null;
  #url = '';
  #isStopping = false;
  #hasStoodStill = false;
  #maintainsUntil = 0;
  readonly #jobs: PeriodicJob[] = [];
  readonly #unlisten: (() => void)[] = [];

  // The store counts as away also when the list of live nodes cannot be read.
  readonly #isStoreAway = (): boolean =>
    this.#p.spilling.standing.mode === 'away' || (this.#membership?.isOutOfTouch ?? false);

  constructor(parts: FleetParts) {
    this.#p = parts;
    const { config, clock, log, journal, incarnation } = parts;
    this.name = nodeName(config);
    this.incarnation = incarnation;
    this.#startedAt = clock.now();
    // The settings do not let a node start without it.
    this.secret = fleetSecret(config.secret ?? '');
    const { coordination, pace } = openCoordination(parts, this.secret);
    this.coordination = coordination;
    this.#pace = pace;
    const count = (outcome: ForwardOutcome) => {
      this.forwards[outcome] += 1;
    };
    const { secret } = this;
    this.peers = new FleetPeers({ secret, clock, forwardsMax: config.connectionsMax, count });
    const members = () => this.members;
    this.views = new FleetViews({ clock, peers: this.peers, self: incarnation, members });
    this.rates = new FleetRates({ clock, peers: this.peers, self: incarnation, members });
    this.accounts = new FleetAccounts({
      store: journal,
      self: incarnation,
      members,
      lookAgain: () => this.#membership?.lookAgain() ?? Promise.resolve(),
      isStoreAway: this.#isStoreAway,
      road: {
        take: (account) => this.#dispatch!.take(account),
        handOver: (account, ms) => this.#dispatch!.handOver(account, this.#handOverMs(ms)),
      },
      services: () => this.#services,
      handOverMsMax: config.deadlineMs,
      count: (event) => {
        this.moves[event] += 1;
      },
      onFailure: (error, account) =>
        log.warn(
          { err: error, platform: platformOf(account), account },
          'could not take over or hand over an account',
        ),
    });
  }

  get members(): readonly FleetNode[] {
    return this.#membership?.members ?? [];
  }

  get isMember(): boolean {
    return this.#membership?.isCertain(this.#p.clock.now()) ?? false;
  }

  // Whether what one node does for all is this one's to do.
  get isMaintainer(): boolean {
    return this.#p.clock.now() < this.#maintainsUntil;
  }

  // How long after it was begun a call may leave.
  get certainMs(): number {
    return (this.#p.config.redisUrl === null ? POSTGRES_PACE : REDIS_PACE).ttlMs;
  }

  // The road as everything in this process sees it.
  attach({ dispatch, road: local }: Engine, settingsOf: (account: AccountId) => Settings): Engine {
    const { clock, ledger, spilling } = this.#p;
    const journal = {
      ownerOf: this.#p.journal.ownerOf.bind(this.#p.journal),
      ownersBut: this.#p.journal.ownersBut.bind(this.#p.journal),
      append: spilling.append.bind(spilling),
      move: spilling.move.bind(spilling),
    };
    const { scheduler } = dispatch.state;
    this.#dispatch = dispatch;
    const isOnRoad = (seq: number) => scheduler.isInFlight(seq) || scheduler.isWaiting(seq);
    const { accounts, peers, views } = this;
    const queueMaxOf = (account: AccountId) => settingsOf(account).queueMax;
    this.#road = new FleetRoad({
      ...{ clock, local, journal, ledger, accounts, peers, isOnRoad, queueMaxOf, views },
      takenUp: (seq) => spilling.takenUp(seq, () => this.#publishStrays(), TAKEN_UP_MS_MAX),
    });
    return { dispatch, road: this.#road.road };
  }

  // What HTTP needs of it; `local`: the road of this node alone.
  port(local: AskedRoad, truth: SharedTruth): FleetPort {
    const { accounts, peers } = this;
    const self = () => this.#url;
    const reread = this.#rereading('accounts', () => truth.accounts.reload());
    const isKnown = async (account: AccountId) => {
      if (truth.accounts.get(account) === null) await reread();
      return truth.accounts.get(account) !== null;
    };
    return {
      secret: this.secret,
      isHere: (account) => accounts.isHere(account),
      whereIs: (account) => accounts.whereIs(account),
      isKnown,
      claim: async (account) =>
        (await isKnown(account)) ? accounts.claim(account) : { kind: 'nobody' },
      next: (account, named, asked) => accounts.next(account, named, asked),
      isStoreAway: this.#isStoreAway,
      self: {
        get url() {
          return self();
        },
      },
      forward: (node, request) => peers.forward(node, request),
      ask: (node, path, question) => peers.ask(node, path, question),
      read: (node, path, headers, msMax) => peers.read(node, path, headers, msMax),
      pause: (ms) => sleep(this.#p.clock, ms),
      view: () => this.#view(local),
      refresh: () => this.views.refresh(),
      nodes: () => this.#nodes(local),
      submit: (delivery) => local.submit(acceptedHere(delivery, this.#p.clock)),
      move: (order) => local.move(order),
      moveTogether: async (orders) => togetherOf(await local.moveTogether(orders)),
      handOver: (part) =>
        this.#p.spilling.handOverFor(part, () => this.#publishStrays(), TAKEN_UP_MS_MAX),
      rates: this.rates,
      async look(account) {
        await accounts.refresh(account);
      },
    };
  }

  #publishStrays(): Promise<void> {
    return this.coordination.publish(TOPICS.strays, '');
  }

  // By the first node that reaches the store.
  async #passOn(spill: string, records: readonly SpilledRecord[]): Promise<HandedOver[] | null> {
    const part: SpillPart = { node: this.incarnation, spill, records };
    for (const node of this.members) {
      if (node.incarnation === this.incarnation) continue;
      const answer = await this.peers.ask(node, FLEET_PATHS.handOver, part);
      if (answer.kind !== 'answered') continue;
      const { handedOver } = answer.value as { handedOver: HandedOver[] | null };
      if (handedOver !== null) return handedOver;
    }
    return null;
  }

  #view(local: AskedRoad): NodeView {
    const own = local.accounts().filter(({ id }) => this.accounts.isHere(id));
    const accounts = own.map(({ id, breaker, silentSince, waiting, inFlight }) => ({
      id,
      breaker,
      silentSince,
      waiting,
      inFlight,
    }));
    const isAway = this.#p.spilling.standing.mode === 'away';
    const away = isAway ? ({ isAway } as const) : null;
    const freezes = local.freezes().slice(0, FREEZES_SHOWN_MAX);
    return { depths: local.depths(), counts: local.counts(), accounts, freezes, ...away };
  }

  #nodes(local: AskedRoad): NodeStanding[] {
    return this.members.map((node) => {
      const isSelf = node.incarnation === this.incarnation;
      const view = isSelf ? this.#view(local) : (this.views.views.get(node.incarnation) ?? null);
      return { ...node, isSelf, view };
    });
  }

  // A member from now on; `url`: where its internal listener is reached. `services`: see FleetAccounts.
  async start(url: string, truth: SharedTruth, services: readonly AccountPart[]): Promise<void> {
    this.#services = services;
    this.#p.spilling.passBy((spill, records) => this.#passOn(spill, records));
    const { periodic, log, incarnation } = this.#p;
    this.#url = url;
    const { name } = this;
    this.#membership = new Membership({
      ...{ periodic, coordination: this.coordination, pace: this.#pace, accounts: this.accounts },
      isStoreAway: () => this.#p.spilling.standing.mode === 'away',
      isGone: (node) => isRefused(node.url, ASK_LISTENER_MS_MAX),
      self: { name, incarnation, url, startedAt: this.#startedAt },
      onFailure: (error) => log.warn({ err: error }, 'the fleet cannot be reached; trying again'),
      onMembers: (members) => {
        this.peers.closeOthers([...members, { url: this.#url }]);
        log.info({ members: members.map((each) => each.name) }, 'the fleet has changed');
      },
    });
    this.#follow(truth);
    await this.#membership.start();
    this.#every('check_standstill', CERTAIN_LOOK_MS, () => this.#lookAtCertainty());
    this.#every('look_while_cut_off', AWAY_LOOK_MS, () => this.#lookWhileAway());
    const claim = () => this.#claimMaintenance();
    await this.#every('claim_maintenance', MAINTENANCE.ttlMs / 3, claim).now();
  }

  // Follows something in the store that other nodes change: `reread` is called every few seconds, and at once with each
  // notice of another node. Returns how to notify the others, and how to stop.
  follow(topic: string, reread: (word: string) => Promise<void>) {
    const arrived = (word: string) =>
      void reread(word).catch((error: unknown) =>
        this.#p.log.warn({ err: error }, 'could not read what other nodes have changed'),
      );
    const unsubscribe = this.coordination.subscribe(topic, arrived);
    const job = this.#every(`reread_${topic}`, REREAD_MS, () => reread(''));
    const stop = () => {
      unsubscribe();
      void job.stop(0);
    };
    const publish = (word: string) => void this.coordination.publish(topic, word).catch(() => {});
    return { publish, stop };
  }

  // Done by whoever has the account.
  atOwner<T extends { readonly kind: string }>(account: AccountId, command: OwnerCommand<T>) {
    return this.#road!.atOwner(account, command);
  }

  // Something of the account is for its owner to do.
  notifyOwner(account: AccountId): void {
    void this.#road?.notifyOwner(account);
  }

  // Hands over what is this node's, while it still answers.
  async leave(deadlineMs: number): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#jobs.map((job) => job.stop(RUN_STOP_MS_MAX)));
    this.#maintainsUntil = 0;
    const { name } = MAINTENANCE;
    await this.coordination.release({ name, token: this.incarnation }).catch(() => false);
    await this.#membership?.stop(deadlineMs);
  }

  async close(): Promise<void> {
    for (const unlisten of this.#unlisten) unlisten();
    this.#road?.stop();
    await this.peers.close();
    await this.coordination.close();
  }

  #handOverMs(ms: number): number {
    return this.#isStopping ? Math.min(ms, this.#p.config.drainMsMax * HAND_OVER_SHARE) : ms;
  }

  // The store is the truth: who changes it says so, and all read it again every few seconds besides.
  #follow({ accounts, keyring, sessions }: SharedTruth): void {
    const { coordination } = this;
    keyring.shareRates((key, perMinute) => this.rates.take(key, perMinute));
    const failed = (error: unknown) =>
      this.#p.log.warn({ err: error }, 'could not read what other nodes have changed');
    const rereadAccounts = this.#rereading('accounts', () => accounts.reload());
    const rereadKeys = this.#rereading('keys', async () => {
      await keyring.reload();
      // A session is as good as its key.
      await sessions.reload();
    });
    const publish = (topic: string) => void coordination.publish(topic, '').catch(() => {});
    this.#unlisten.push(
      coordination.subscribe(TOPICS.accounts, () => void rereadAccounts().catch(failed)),
      coordination.subscribe(TOPICS.keys, () => void rereadKeys().catch(failed)),
      accounts.listen(({ isOthers }) => {
        if (isOthers !== true) publish(TOPICS.accounts);
      }),
      keyring.listen(() => publish(TOPICS.keys)),
      sessions.listen(() => publish(TOPICS.keys)),
      coordination.subscribe(TOPICS.strays, () => void this.#p.spilling.takeStrays()),
    );
    this.#every('reread_accounts', REREAD_MS, rereadAccounts);
    this.#every('reread_keys', REREAD_MS, rereadKeys);
  }

  #rereading(topic: ChangeTopic, reread: () => Promise<void>): () => Promise<void> {
    const { clock, journal } = this.#p;
    return rereadWhenChanged(clock, () => journal.changes(topic), reread);
  }

  // The lease counts from before it was asked for, so that two nodes never both hold it.
  async #claimMaintenance(): Promise<void> {
    const askedAt = this.#p.clock.now();
    const claimed = await this.coordination.claim({ ...MAINTENANCE, token: this.incarnation });
    if (claimed.kind === 'held') this.#maintainsUntil = askedAt + MAINTENANCE.ttlMs;
  }

  // Other nodes may have written to its accounts meanwhile, or taken them.
  #lookAtCertainty(): void {
    if (!this.isMember) this.#hasStoodStill = true;
    else if (this.#hasStoodStill) {
      this.#hasStoodStill = false;
      for (const account of [...this.accounts.open()]) void this.accounts.refresh(account);
    }
  }

  // A node that alone is cut off from the store asks the others whether they have taken its accounts. What comes for
  // those is then handed on instead of waiting here for as long as the cut lasts.
  async #lookWhileAway(): Promise<void> {
    const { mode, since } = this.#p.spilling.standing;
    if (mode !== 'away' || this.#p.clock.now() - (since ?? 0) < AWAY_LOOK_AFTER_MS) return;
    await this.views.refresh();
    for (const { accounts, isAway } of this.views.views.values()) {
      // Another node that cannot reach the store knows nothing newer.
      for (const { id } of isAway ? [] : accounts) this.accounts.lost(id);
    }
  }

  #every(name: string, everyMs: number, run: () => unknown): PeriodicJob {
    const job = this.#p.periodic.job({ name, everyMs, run });
    this.#jobs.push(job);
    void job.start();
    return job;
  }
}
