// node bench/machines/ownership.ts: how 100 nodes share 100,000 accounts. The memberships are the real ones, on a
// virtual clock; the store is a table in memory whose openings and hand-overs take as long as is assumed below.
// Prints, for each event, how many accounts moved, how long accounts were without an owner, and how large the batches
// were.

import { table } from '../../scripts/docs/table.ts';
import { Membership } from '../../src/cluster/membership.ts';
import { MemoryBoard } from '../../src/cluster/memory.ts';
import {
  HAND_OVERS_MAX,
  type MembershipPace,
  POSTGRES_PACE,
  REDIS_PACE,
} from '../../src/cluster/pace.ts';
import { type OwnerRow, planOwnership } from '../../src/cluster/plan.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import { type Clock, sleep } from '../../src/system/clock.ts';
import { Periodic } from '../../src/system/periodic.ts';
import { type VirtualClock, virtualClock } from '../../src/system/virtual-clock.ts';

const NODES = 100;
const ACCOUNTS = 100_000;
// Assumed of the store: a step's openings are one batch, and a hand-over waits for calls in flight.
const READ_MS = 20;
const OPEN_MS = 5;
const HAND_OVER_MS = 300;
const EVENT_MS = 60_000;
const LOOK_EVERY_MS = 100;

class OwnerTable {
  readonly #owners = new Map<AccountId, string | null>();
  // Those that nobody owns, or a node that is gone; kept as it changes, as an index would.
  readonly #byNode = new Map<string | null, Set<AccountId>>();
  moves = 0;
  readRows = 0;

  constructor(accounts: number) {
    for (let i = 0; i < accounts; i++) this.#put(`telegram:${5_000_000_000 + i * 7_919}`, null);
  }

  set(account: AccountId, node: string | null): void {
    if (node !== null) this.moves += 1;
    this.#byNode.get(this.#owners.get(account)!)?.delete(account);
    this.#put(account, node);
  }

  of(node: string | null): ReadonlySet<AccountId> {
    return this.#byNode.get(node) ?? new Set();
  }

  exceptOf(others: readonly string[]): OwnerRow[] {
    const skipped = new Set<string | null>(others);
    const rows: OwnerRow[] = [];
    for (const [node, accounts] of this.#byNode) {
      if (!skipped.has(node)) for (const account of accounts) rows.push({ account, node });
    }
    this.readRows += rows.length;
    return rows;
  }

  #put(account: AccountId, node: string | null): void {
    this.#owners.set(account, node);
    const accounts = this.#byNode.get(node) ?? new Set();
    this.#byNode.set(node, accounts.add(account));
  }
}

interface SimulatedNode {
  readonly incarnation: string;
  readonly membership: Membership;
  readonly open: Set<AccountId>;
  steps: number;
  isDead: boolean;
}

class SimulatedFleet {
  readonly clock: VirtualClock = virtualClock(1_800_000_000_000, { promisesOnly: true });
  readonly owners = new OwnerTable(ACCOUNTS);
  readonly nodes: SimulatedNode[] = [];
  readonly #dead = new Set<string>();
  readonly #board = new MemoryBoard(this.clock, {
    callMs: (handle) => (this.#dead.has(handle) ? null : 2),
    copiesMs: () => [2],
  });
  readonly #pace: MembershipPace;

  constructor(pace: MembershipPace) {
    this.#pace = pace;
  }

  get alive(): SimulatedNode[] {
    return this.nodes.filter(({ isDead }) => !isDead);
  }

  start(): SimulatedNode {
    const name = `node-${String(this.nodes.length + 1).padStart(3, '0')}`;
    const { owners, clock } = this;
    const open = new Set<AccountId>();
    const membership = new Membership({
      periodic: new Periodic(clock, () => {}),
      ...{ coordination: this.#board.handle(name), pace: () => this.#pace },
      self: { name, incarnation: name, url: '', startedAt: clock.now() },
      accounts: {
        open: () => open,
        rows: (others) => this.#unless(node, READ_MS, () => owners.exceptOf(others)),
        take: (accounts) =>
          this.#unless(node, OPEN_MS * accounts.length, () => {
            node.steps += 1;
            for (const account of accounts) {
              owners.set(account, name);
              open.add(account);
            }
          }),
        handOver: (handOvers) =>
          this.#unless(node, HAND_OVER_MS, () => {
            node.steps += 1;
            for (const { account } of handOvers) {
              owners.set(account, null);
              open.delete(account);
            }
          }),
        lose: async (accounts) => {
          for (const account of accounts) open.delete(account);
        },
      },
      onFailure: () => {},
    });
    const node = { incarnation: name, membership, open, steps: 0, isDead: false };
    this.nodes.push(node);
    void membership.start();
    return node;
  }

  kill(node: SimulatedNode): void {
    node.isDead = true;
    this.#dead.add(node.incarnation);
  }

  unowned(): number {
    const dead = this.nodes.filter(({ isDead }) => isDead);
    const theirs = dead.map(({ incarnation }) => this.owners.of(incarnation).size);
    return theirs.reduce((sum, count) => sum + count, this.owners.of(null).size);
  }

  // A dead process does nothing more.
  async #unless<T>(node: SimulatedNode, ms: number, work: () => T): Promise<T> {
    await sleep(this.clock as Clock, ms);
    return node.isDead ? new Promise<T>(() => {}) : work();
  }
}

async function watched(fleet: SimulatedFleet, name: string, event: () => void): Promise<string[]> {
  for (const node of fleet.nodes) node.steps = 0;
  fleet.owners.moves = 0;
  fleet.owners.readRows = 0;
  const from = fleet.clock.now();
  event();
  let [unownedMs, peak, settledMs, moves] = [0, 0, 0, 0];
  while (fleet.clock.now() - from < EVENT_MS) {
    await fleet.clock.run(fleet.clock.now() + LOOK_EVERY_MS);
    const unowned = fleet.unowned();
    peak = Math.max(peak, unowned);
    if (unowned > 0) unownedMs = fleet.clock.now() - from;
    if (fleet.owners.moves !== moves) settledMs = fleet.clock.now() - from;
    moves = fleet.owners.moves;
  }
  const steps = Math.max(...fleet.nodes.map((node) => node.steps));
  const rows = Math.round(fleet.owners.readRows / (EVENT_MS / 1000));
  const cells = [count(moves), count(peak), seconds(unownedMs), seconds(settledMs)];
  return [name, ...cells, count(steps), count(rows)];
}

const count = (n: number) => n.toLocaleString('en');
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

function balance(fleet: SimulatedFleet): string {
  const sizes = fleet.alive.map(({ open }) => open.size);
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const share = `${Math.round(mean)} accounts on average, ${least} to ${most}`;
  return `${sizes.length} nodes: ${share} (${(most / mean).toFixed(2)} of the mean at most)`;
}

// Of one node, when members have changed: its own accounts are compared with all nodes, and a dead node's too.
function planMs(fleet: SimulatedFleet): number {
  const { incarnation: self, membership, open } = fleet.alive[0]!;
  const dead = fleet.alive.at(-1)!;
  const members = membership.members.filter((each) => each.incarnation !== dead.incarnation);
  const rows = [...dead.open].map((account) => ({ account, node: dead.incarnation }));
  const times = Array.from({ length: 21 }, () => {
    const from = performance.now();
    planOwnership({ self, members, rows, open, isSettled: true, handOversMax: HAND_OVERS_MAX });
    return performance.now() - from;
  });
  return times.toSorted((a, b) => a - b)[10]!;
}

const HEAD = [
  'event',
  'accounts moved',
  'unowned at most',
  'all owned after',
  'last move after',
  'steps of a node',
  'rows read per s by all',
];

async function simulated(pace: MembershipPace): Promise<string> {
  const fleet = new SimulatedFleet(pace);
  const rows = [
    await watched(fleet, `${NODES} nodes start at once`, () => {
      for (let i = 0; i < NODES; i++) fleet.start();
    }),
  ];
  const spread = balance(fleet);
  rows.push(await watched(fleet, 'one joins', () => void fleet.start()));
  rows.push(
    await watched(fleet, 'one leaves', () => {
      const node = fleet.alive[10]!;
      void node.membership.stop(EVENT_MS).then(() => fleet.kill(node));
    }),
  );
  rows.push(await watched(fleet, 'one dies', () => fleet.kill(fleet.alive[20]!)));
  rows.push(
    await watched(fleet, 'ten die at once', () => {
      for (const node of fleet.alive.slice(30, 40)) fleet.kill(node);
    }),
  );
  rows.push(await watched(fleet, 'nothing happens', () => {}));
  const plan = `a plan of one node takes ${planMs(fleet).toFixed(1)} ms`;
  return `${spread}; ${plan}\n\n${table(HEAD, rows)}`;
}

if (import.meta.main) {
  console.log(`At the pace of Postgres: ${await simulated(POSTGRES_PACE)}\n`);
  console.log(`At the pace of Redis: ${await simulated(REDIS_PACE)}`);
}
