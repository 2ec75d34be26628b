// How the other nodes stand, for what speaks of the whole fleet: asked when somebody looks, at most once a second, and
// for a bounded time. A node that does not answer is named, and what it said before is forgotten.

import type { RoadCounts } from '../domain/event.ts';
import { FLEET_PATHS } from '../domain/fleet.ts';
import type { AccountView, Depths, Frozen } from '../road/road.ts';
import type { Clock } from '../system/clock.ts';
import { drained } from '../system/service.ts';
import type { FleetNode } from './coordination.ts';
import type { FleetPeers } from './peers.ts';

// What a node reports of itself.
export interface NodeView {
  readonly depths: Depths;
  readonly counts: RoadCounts;
  // Those that it owns.
  readonly accounts: readonly Pick<
    AccountView,
    'id' | 'breaker' | 'silentSince' | 'waiting' | 'inFlight'
  >[];
  // Those of them that end last.
  readonly freezes?: readonly Frozen[];
  // Texts that grow there, and how often any of them has changed.
  readonly streams?: StreamsView;
  // What the overview of all shows of it; see http/watch/glance.ts.
  readonly glance?: object;
  // It does not reach the store.
  readonly isAway?: true;
}

export interface StreamsView {
  readonly open: number;
  readonly changes: number;
}

export interface FleetViewsParts {
  readonly clock: Clock;
  readonly self: string;
  readonly members: () => readonly FleetNode[];
  readonly peers: Pick<FleetPeers, 'ask'>;
}

// Of freezes, to a node that shows all of them.
export const FREEZES_SHOWN_MAX = 200;
const FRESH_MS = 1_000;
const LOOK_MS_MAX = 1_000;
// Counts are added up from look to look; what came in a longer pause is not of this second.
const COUNTED_MS_MAX = 5_000;

export class FleetViews {
  readonly #parts: FleetViewsParts;
  #views = new Map<string, NodeView>();
  #lookedAt = -Infinity;
  #looking: Promise<void> | null = null;
  // Of the others, since this node began to look.
  readonly #counts = { accepted: 0, sent: 0, limited: 0, failed: 0, dead: 0, events: 0 };

  constructor(parts: FleetViewsParts) {
    this.#parts = parts;
  }

  // By incarnation; those who did not answer are missing.
  get views(): ReadonlyMap<string, NodeView> {
    return this.#views;
  }

  get counts(): RoadCounts {
    return this.#counts;
  }

  // Resolves when what is known is not older than a second, or a second later.
  refresh(): Promise<void> {
    const { clock } = this.#parts;
    if (clock.now() - this.#lookedAt < FRESH_MS) return Promise.resolve();
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { clock, self, members, peers } = this.#parts;
    const others = members().filter(({ incarnation }) => incarnation !== self);
    const seen = new Map<string, NodeView>();
    const asked = others.map(async (node) => {
      const answer = await peers.ask(node, FLEET_PATHS.view, {});
      if (answer.kind === 'answered') seen.set(node.incarnation, answer.value as NodeView);
    });
    await drained(clock, asked, LOOK_MS_MAX);
    const now = clock.now();
    if (now - this.#lookedAt <= COUNTED_MS_MAX) this.#add(seen);
    this.#views = new Map(seen);
    this.#lookedAt = now;
  }

  #add(seen: ReadonlyMap<string, NodeView>): void {
    for (const [incarnation, { counts }] of seen) {
      const before = this.#views.get(incarnation)?.counts;
      if (before === undefined) continue;
      for (const name of Object.keys(this.#counts) as (keyof RoadCounts)[]) {
        this.#counts[name] += Math.max(0, counts[name] - before[name]);
      }
    }
  }
}

export function sumOfDepths(all: readonly Depths[]): Depths {
  const sum = (name: Exclude<keyof Depths, 'oldestDueAt'>) =>
    all.reduce((total, each) => total + each[name], 0);
  const due = all.flatMap(({ oldestDueAt }) => (oldestDueAt === null ? [] : [oldestDueAt]));
  return {
    critical: sum('critical'),
    high: sum('high'),
    normal: sum('normal'),
    low: sum('low'),
    retry: sum('retry'),
    inFlight: sum('inFlight'),
    oldestDueAt: due.length === 0 ? null : Math.min(...due),
  };
}

export function sumOfCounts(one: RoadCounts, other: RoadCounts): RoadCounts {
  return {
    accepted: one.accepted + other.accepted,
    sent: one.sent + other.sent,
    limited: one.limited + other.limited,
    failed: one.failed + other.failed,
    dead: one.dead + other.dead,
    events: one.events + other.events,
  };
}

// What the owner of an account says of it.
export function withOwners(
  own: readonly AccountView[],
  views: ReadonlyMap<string, NodeView>,
): AccountView[] {
  const reported = new Map(
    [...views.values()].flatMap(({ accounts }) => accounts.map((each) => [each.id, each] as const)),
  );
  return own.map((account) => ({ ...account, ...reported.get(account.id) }));
}
