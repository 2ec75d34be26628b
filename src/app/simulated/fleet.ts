// A fleet in the simulated world: nodes on one store and one board, which come, go, freeze, crash and are cut off, with
// clocks that are wrong and lines that lose what they carry; all of it from one seed. To the world it is one engine,
// whose messages reach any of the nodes; it tells besides when which accounts were in trouble, and which node sent for
// an account that was not its own.

import { FleetClock } from '../../cluster/fleet-clock.ts';
import { MemoryBoard } from '../../cluster/memory.ts';
import { type MembershipPace, POSTGRES_PACE, REDIS_PACE } from '../../cluster/pace.ts';
import { defaultConfig, type Settings } from '../../config/config.ts';
import type { AccountId } from '../../domain/ids.ts';
import type {
  EngineFactory,
  EngineSubmitted,
  WorldEnd,
  WorldEngine,
  WorldFleet,
  WorldLearnedRate,
  WorldMessage,
  WorldPorts,
  WorldRecord,
} from '../../sim/sim.ts';
import { createMemoryStore, type MemoryJournal } from '../../store/memory/memory.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import type { Transport } from '../../system/http/transport.ts';
import { Periodic } from '../../system/periodic.ts';
import { intBelow, pick } from '../../system/random.ts';
import { SimulatedProcess } from '../../system/simulated-process.ts';
import { steeredClock } from '../../system/steered-clock.ts';
import { type FleetContent, type LastingTrouble, newContent } from './content.ts';
import { type LineEnd, NodeLines } from './lines.ts';
import { openNode, type SimulatedNode } from './node.ts';
import { COMMIT_MS_MAX, deliveryOf, groupedDelay, learnedRates } from './parts.ts';
import { type FleetMistake, SharedStore } from './shared-store.ts';

export type { FleetMistake } from './shared-store.ts';

export interface FleetEngineOptions {
  readonly nodes: number;
  // For how long something happens to a node every few seconds; then all is healed.
  readonly disturbedMs: number;
  readonly pace?: 'postgres' | 'redis';
  readonly mistake?: FleetMistake;
}

const PACES: Readonly<Record<'postgres' | 'redis', MembershipPace>> = {
  postgres: POSTGRES_PACE,
  redis: REDIS_PACE,
};
const NEVER = new AbortController().signal;
const BOARD_MS_MAX = 40;
const MESSAGE_MS_MAX = 2_000;
const TROUBLE_MS_MAX = 15_000;
// Between two disturbances, at most.
const CALM_MS_MAX = 20_000;
// What is in flight when a trouble ends may be taken over for so long yet.
const TROUBLE_TAIL_MS = 3_000;
const LEAVE_MS_MAX = 8_000;
// Of a machine; its node goes by the store's.
const CLOCK_OFF_MS_MAX = 3_600_000;
const DRIFT_MAX = 0.0001;
const CLOCKS_APART_MS_MAX = 50;
// A caller that hears nothing for so long does not know what became of its message, and goes on.
const PATIENCE_MS = 30_000;

// What is not there was not done, as far as whoever asked can tell.
function failure(error: unknown): { kind: 'unavailable' } {
  if (error instanceof JournalUnavailable) return { kind: 'unavailable' };
  throw error;
}

// A world of several nodes instead of one process.
export function fleetEngine(
  options: FleetEngineOptions,
  settings: Settings = defaultConfig(),
): EngineFactory {
  return async (ports) => {
    const fleet = new SimulatedFleet(ports, options, settings);
    await fleet.open();
    return fleet;
  };
}

class SimulatedFleet implements WorldEngine {
  readonly #ports: WorldPorts;
  readonly #options: FleetEngineOptions;
  readonly #settings: Settings;
  readonly #content: FleetContent;
  readonly #journal: MemoryJournal;
  readonly #ledger: ReturnType<typeof createMemoryStore>['ledger'];
  readonly #board: MemoryBoard;
  readonly #lines: NodeLines;
  readonly #nodes: SimulatedNode[] = [];
  readonly #starting = new Set<string>();
  // Names of nodes that do not reach the board.
  readonly #offBoard = new Set<string>();
  // How each trouble that lasts is ended.
  readonly #ends = new Set<() => void>();
  // The last submission of each lane: its next one comes when that was answered.
  readonly #lanes = new Map<string, Promise<unknown>>();

  constructor(ports: WorldPorts, options: FleetEngineOptions, settings: Settings) {
    this.#ports = ports;
    this.#options = options;
    this.#settings = settings;
    const { clock, random, disk, commitMsMax = COMMIT_MS_MAX } = ports;
    disk.content ??= newContent();
    this.#content = disk.content as FleetContent;
    const commit = () => groupedDelay(clock, random, commitMsMax);
    const { journal, ledger } = createMemoryStore(this.#content.disk, {
      beforeApply: commit(),
      afterApply: commit(),
    });
    this.#journal = journal;
    this.#ledger = ledger;
    this.#lines = new NodeLines(clock, random);
    this.#board = new MemoryBoard(clock, {
      callMs: (node) => (this.#offBoard.has(node) ? null : 1 + this.#below(BOARD_MS_MAX)),
      copiesMs: (from, to) =>
        this.#offBoard.has(from) || this.#offBoard.has(to) ? [] : this.#copiesMs(),
    });
  }

  async open(): Promise<void> {
    for (let i = 1; i <= this.#options.nodes; i++) await this.#start(`node-${i}`);
    const { clock } = this.#ports;
    const healAt = clock.now() + this.#options.disturbedMs;
    this.#disturbUntil(healAt);
    clock.schedule(healAt, () => this.#heal());
  }

  get fleet(): WorldFleet {
    return { ...this.#content, clockMsMax: CLOCKS_APART_MS_MAX };
  }

  submit(message: WorldMessage): Promise<EngineSubmitted> {
    const lane = `${message.account}/${message.chat}/${message.thread}`;
    const before = this.#lanes.get(lane) ?? Promise.resolve();
    const answered = before.then(() => this.#submitTo(message));
    this.#lanes.set(lane, answered);
    return answered;
  }

  async ended(seq: number): Promise<WorldEnd> {
    return this.#running()?.road.ended(seq, NEVER) ?? new Promise<never>(() => {});
  }

  async cancel(seq: number): Promise<boolean> {
    const node = this.#running();
    if (node === null) return false;
    const { account } = this.#content.disk.deliveries.get(seq)!;
    const at = node.clock.now();
    const command = { account, seq, to: 'cancelled', at, reason: 'asked', by: 'world' } as const;
    const moving = node.road.move({ ...command, body: null, queueMax: 0 });
    const moved = await this.#patiently(moving.catch(failure));
    return moved !== null && moved.kind === 'moved';
  }

  // The whole fleet is gone: the world has cut its clock and its wire.
  crash(): void {
    for (const { process } of this.#nodes) process.crash();
  }

  // What is of an account that the platform refuses waits for a person.
  waiting(): number {
    const { disk, refused } = this.#content;
    return [...disk.live].filter((seq) => !refused.has(disk.deliveries.get(seq)!.account)).length;
  }

  async all(): Promise<WorldRecord[]> {
    return Array.from(this.#content.disk.deliveries.values(), (delivery) => {
      const waitsFor = this.#ownerOf(delivery.account)?.road.explain(delivery.seq)?.summary ?? null;
      return { ...delivery, body: delivery.body ?? '', waitsFor };
    });
  }

  async learned(): Promise<WorldLearnedRate[]> {
    return this.#alive.flatMap(({ road, accounts }) =>
      learnedRates(road).filter(({ account }) => accounts.isHere(account)),
    );
  }

  get #alive(): SimulatedNode[] {
    return this.#nodes.filter(({ process }) => process.isAlive);
  }

  // A load balancer sends nobody to a node that does not answer.
  #running(): SimulatedNode | null {
    const running = this.#nodes.filter((node) => node.process.isRunning && node.isStaying);
    return running.length === 0 ? null : pick(this.#ports.random, running);
  }

  #ownerOf(account: AccountId): SimulatedNode | null {
    return this.#alive.find(({ accounts }) => accounts.isHere(account)) ?? null;
  }

  async #submitTo(message: WorldMessage): Promise<EngineSubmitted> {
    const node = this.#running();
    if (node === null) return { kind: 'refused', code: 'nobody' };
    const delivery = deliveryOf(message, node.platforms, node.clock.now());
    const appended = await this.#patiently(node.road.submit(delivery).catch(failure));
    if (appended === null) return { kind: 'refused', code: 'no_answer' };
    switch (appended.kind) {
      case 'accepted':
        return { kind: 'accepted', seq: appended.queued.seq };
      case 'superseded':
        return { kind: 'accepted', seq: appended.seq };
      default:
        return { kind: 'refused', code: appended.kind };
    }
  }

  // null: no answer.
  #patiently<T>(answer: Promise<T>): Promise<T | null> {
    const { clock } = this.#ports;
    return new Promise((resolve, reject) => {
      const timer = clock.schedule(clock.now() + PATIENCE_MS, () => resolve(null));
      answer.then(resolve, reject).finally(() => timer.cancel());
    });
  }

  async #start(name: string): Promise<void> {
    const { clock, random } = this.#ports;
    const incarnation = `${name}#${++this.#content.starts}`;
    const process = new SimulatedProcess();
    const drift = (random.next() * 2 - 1) * DRIFT_MAX;
    const offMs = (random.next() * 2 - 1) * CLOCK_OFF_MS_MAX;
    const wrong = process.clock(clock, { rate: 1 + drift, offsetMs: offMs - clock.now() * drift });
    const own = steeredClock(wrong);
    const mistake = this.#options.mistake ?? null;
    const store = new SharedStore({
      ...{ process, clock, random, content: this.#content, node: incarnation, mistake },
      journal: this.#journal.beside(incarnation),
    });
    const time = new FleetClock({ clock: own, ask: () => store.time(), onOff: () => {} });
    await time.set();
    // A store that is away is no fault of the node.
    const periodic = new Periodic(own, () => {});
    time.start(periodic);
    const node = await openNode({
      ...{
        world: this.#ports,
        settings: this.#settings,
        process,
        clock: own,
        periodic,
        store,
        mistake,
      },
      transport: this.#wireOf(process, incarnation),
      ledger: this.#ledger,
      coordination: this.#board.handle(name),
      self: { name, incarnation, url: incarnation, startedAt: clock.now() },
      pace: this.#pace,
      refused: this.#content.refused,
      ask: (from: LineEnd, url, path, question) =>
        this.#lines.ask(
          from,
          this.#nodes.find((each) => each.incarnation === url) ?? null,
          path,
          question,
        ),
      fatal: (error) => {
        if (process.isAlive) throw error;
      },
    });
    this.#nodes.push(node);
    node.start();
  }

  get #pace(): MembershipPace {
    return PACES[this.#options.pace ?? 'postgres'];
  }

  // What leaves goes on without the process; what is answered reaches it when it runs.
  #wireOf(process: SimulatedProcess, incarnation: string): Transport {
    const { transport } = this.#ports;
    return {
      request: (request) => {
        if (!process.isRunning) return new Promise<never>(() => {});
        this.#checkSender(incarnation, String(request.path));
        return process.via(transport.request(request));
      },
      stream: (request, hangUp) => transport.stream(request, hangUp),
      close: () => Promise.resolve(),
    };
  }

  // Who sends owns the account, or did until a moment ago: a call that was begun may leave within its time.
  #checkSender(incarnation: string, path: string): void {
    const { clock, accounts } = this.#ports;
    const account = accounts.find(({ token }) => path.includes(token))?.id;
    // Whether a token is worth something may be asked by anyone.
    if (account === undefined || path.endsWith('/getMe')) return;
    const { disk, begun, strangers } = this.#content;
    const owner = disk.owners.get(account)?.node ?? 'nobody';
    const since =
      clock.now() - (begun.get(`${incarnation} ${account}`) ?? Number.NEGATIVE_INFINITY);
    if (owner === incarnation || since <= this.#pace.ttlMs * (1 + 2 * DRIFT_MAX)) return;
    strangers.push(`${incarnation} sent for ${account} at ${clock.now()}, which was ${owner}'s`);
  }

  #disturbUntil(until: number): void {
    const { clock } = this.#ports;
    clock.schedule(clock.now() + 1_000 + this.#below(CALM_MS_MAX), () => {
      if (clock.now() >= until) return;
      const alive = this.#alive;
      if (alive.length > 0) this.#disturb(pick(this.#ports.random, alive));
      this.#disturbUntil(until);
    });
  }

  #disturb(node: SimulatedNode): void {
    const { name, process, store } = node;
    const forMs = 500 + this.#below(TROUBLE_MS_MAX);
    const lasts = (end: () => void) => this.#lasting(node, forMs, end);
    switch (this.#below(7)) {
      case 0:
        process.freeze();
        lasts(() => process.wake());
        break;
      case 1:
        process.crash();
        lasts(() => void this.#startAgain(name));
        break;
      case 2:
        void node.leave(LEAVE_MS_MAX);
        lasts(() => void this.#startAgain(name));
        break;
      case 3:
        this.#offBoard.add(name);
        lasts(() => this.#offBoard.delete(name));
        break;
      case 4:
        this.#lines.cutOff.add(name);
        lasts(() => this.#lines.cutOff.delete(name));
        break;
      case 5:
        store.isCut = true;
        lasts(() => {
          store.isCut = false;
        });
        break;
      default:
        this.#board.clear();
        for (const each of this.#alive) this.#lasting(each, this.#pace.ttlMs, () => {});
    }
  }

  // How a trouble of the node's accounts ends; at the latest when all is healed.
  #lasting({ accounts }: SimulatedNode, ms: number, run: () => void): void {
    const { clock } = this.#ports;
    const trouble: LastingTrouble = {
      accounts: new Set(accounts.open()),
      from: clock.now(),
      until: Number.POSITIVE_INFINITY,
    };
    this.#content.troubles.push(trouble);
    const end = () => {
      if (!this.#ends.delete(end)) return;
      trouble.until = clock.now() + TROUBLE_TAIL_MS;
      run();
    };
    this.#ends.add(end);
    clock.schedule(clock.now() + ms, end);
  }

  #heal(): void {
    this.#offBoard.clear();
    this.#lines.heal();
    for (const end of [...this.#ends]) end();
    for (const { process, store } of this.#nodes) {
      process.wake();
      store.isCut = false;
    }
    for (const name of new Set(this.#nodes.map((node) => node.name))) void this.#startAgain(name);
  }

  async #startAgain(name: string): Promise<void> {
    if (this.#nodes.some((node) => node.name === name && node.isStaying)) return;
    if (this.#starting.has(name)) return;
    this.#starting.add(name);
    await this.#start(name);
    this.#starting.delete(name);
  }

  #copiesMs(): number[] {
    const kind = this.#ports.random.next();
    if (kind < 0.1) return [];
    const soon = 1 + this.#below(BOARD_MS_MAX);
    if (kind < 0.2) return [soon, this.#below(MESSAGE_MS_MAX)];
    return [kind < 0.4 ? this.#below(MESSAGE_MS_MAX) : soon];
  }

  #below(bound: number): number {
    return intBelow(this.#ports.random, bound);
  }
}
