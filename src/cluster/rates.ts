// How often a key may be used holds over the whole fleet: each key has a home, the node that hashing names, and that
// one counts for all. Who uses a key remembers it too, for the last minute, so that a new home begins with what the
// others know. While the home does not answer each node lets its own share through.

import { FLEET_PATHS } from '../domain/fleet.ts';
import type { Clock } from '../system/clock.ts';
import type { FleetNode } from './coordination.ts';
import { within } from './deadline.ts';
import type { FleetPeers, PeerValue } from './peers.ts';
import { ownerFor } from './rendezvous.ts';

export interface FleetRatesParts {
  readonly clock: Clock;
  readonly peers: Pick<FleetPeers, 'ask'>;
  readonly self: string;
  readonly members: () => readonly FleetNode[];
}

export interface RateQuestion {
  readonly key: string;
  readonly perMinute: number;
  // Of this use: asked twice it is counted once.
  readonly use: string;
}

// Of one use, and when it was.
export type CountedUse = readonly [use: string, at: number];

interface Counted {
  // The oldest first.
  uses: Map<string, number>;
  // For whom all that is known was gathered; others now: it must be again.
  members: readonly FleetNode[] | null;
  gathering: Promise<void> | null;
}

const MINUTE_MS = 60_000;
// A caller waits for it.
const ASK_MS_MAX = 1_000;
// Keys that were used within the last minute; more are forgotten with their oldest uses.
const KEYS_MAX = 10_000;

export class FleetRates {
  readonly #p: FleetRatesParts;
  readonly #keys = new Map<string, Counted>();
  #used = 0;

  constructor(parts: FleetRatesParts) {
    this.#p = parts;
  }

  // 0: it is counted. Else how long until the next use.
  async take(key: string, perMinute: number): Promise<number> {
    const { self, clock, members } = this.#p;
    this.#used += 1;
    const question = { key, perMinute, use: `${self} ${this.#used}` };
    const ready = members().filter(({ state }) => state === 'ready');
    const home = ownerFor(`key ${key}`, ready);
    if (home === null || home.incarnation === self) return this.grant(question);
    const waitMs = await this.#askHome(home, question);
    if (waitMs === null) return this.#alone(question, ready.length);
    if (waitMs <= 0) this.#countedOf(key).uses.set(question.use, clock.now());
    return waitMs;
  }

  // As the home of the key.
  async grant({ key, perMinute, use }: RateQuestion): Promise<number> {
    const counted = this.#countedOf(key);
    while (counted.members !== this.#p.members()) {
      counted.gathering ??= this.#gather(key, counted).finally(() => {
        counted.gathering = null;
      });
      await counted.gathering;
    }
    return this.#count(counted, use, counted.uses.size, perMinute);
  }

  // What this node knows of the last minute.
  usesOf(key: string): CountedUse[] {
    return [...this.#countedOf(key).uses];
  }

  async #askHome(home: FleetNode, question: RateQuestion): Promise<number | null> {
    const said = await this.#ask(home, FLEET_PATHS.rate, question);
    return said.kind === 'answered' ? Number((said.value as { waitMs: unknown }).waitMs) : null;
  }

  #ask(node: FleetNode, path: string, question: object): Promise<PeerValue> {
    const { clock, peers } = this.#p;
    return within(clock, node.name, ASK_MS_MAX, () => peers.ask(node, path, question)).catch(
      () => ({ kind: 'lost' }) as const,
    );
  }

  // Its share, by its own uses.
  #alone({ key, perMinute, use }: RateQuestion, nodes: number): number {
    const counted = this.#countedOf(key);
    const own = [...counted.uses.keys()].filter((each) => each.startsWith(`${this.#p.self} `));
    return this.#count(counted, use, own.length, Math.max(1, Math.floor(perMinute / nodes)));
  }

  #count({ uses }: Counted, use: string, count: number, most: number): number {
    const now = this.#p.clock.now();
    if (uses.has(use)) return 0;
    if (count >= most) {
      const [oldest = now] = uses.values();
      return Math.max(1, oldest + MINUTE_MS - now);
    }
    uses.set(use, now);
    return 0;
  }

  async #gather(key: string, counted: Counted): Promise<void> {
    const members = this.#p.members();
    const others = members.filter(({ incarnation }) => incarnation !== this.#p.self);
    const answers = await Promise.all(
      others.map((node) => this.#ask(node, FLEET_PATHS.uses, { key })),
    );
    const theirs = answers.flatMap((answer) =>
      answer.kind === 'answered' ? (answer.value as { uses: CountedUse[] }).uses : [],
    );
    const all = [...counted.uses, ...theirs].sort(([, a], [, b]) => a - b);
    counted.uses = new Map(all);
    counted.members = members;
  }

  #countedOf(key: string): Counted {
    const known = this.#keys.get(key);
    const counted = known ?? { uses: new Map(), members: null, gathering: null };
    const since = this.#p.clock.now() - MINUTE_MS;
    for (const [use, at] of counted.uses) {
      if (at > since) break;
      counted.uses.delete(use);
    }
    if (known !== undefined) return counted;
    if (this.#keys.size >= KEYS_MAX) this.#keys.delete(this.#keys.keys().next().value!);
    this.#keys.set(key, counted);
    return counted;
  }
}
