// Coordination in memory: the specification in the plainest code, for simulated fleets and tests. Nodes are handles on
// one board. The board has a clock of its own, as a database has; faults are asked for at every call and message.

import type { Clock } from '../system/clock.ts';
import {
  type Coordination,
  CoordinationUnavailable,
  checkMessage,
  type FleetLease,
  type FleetNode,
  type LeaseClaim,
} from './coordination.ts';
import { byName } from './node-record.ts';
import { OVERDUE_AFTER_MS } from './pace.ts';

export interface BoardFaults {
  // How long the handle's call takes in ms; null: the board cannot be reached.
  callMs(handle: string): number | null;
  // After how many ms each copy of a message arrives: none is a lost one, two a doubled one.
  copiesMs(from: string, to: string): readonly number[];
}

const NO_FAULTS: BoardFaults = { callMs: () => 0, copiesMs: () => [0] };

interface Held<T> {
  readonly value: T;
  readonly ttlMs: number;
  readonly expiresAt: number;
}

interface Subscription {
  readonly handle: string;
  readonly topic: string;
  readonly listener: (message: string) => void;
}

export class MemoryBoard {
  readonly clock: Clock;
  readonly #faults: BoardFaults;
  // By incarnation.
  readonly #nodes = new Map<string, Held<FleetNode>>();
  // By name; the value is the token.
  readonly #leases = new Map<string, Held<string>>();
  readonly #subscriptions = new Set<Subscription>();
  #cleared = 0;

  constructor(clock: Clock, faults: BoardFaults = NO_FAULTS) {
    this.clock = clock;
    this.#faults = faults;
  }

  // `name`: what faults know the handle by.
  handle(name: string): MemoryCoordination {
    return new MemoryCoordination(this, name);
  }

  // As an emptied Redis.
  clear(): void {
    this.#nodes.clear();
    this.#leases.clear();
    this.#cleared += 1;
  }

  // Another than before: it was cleared.
  get id(): string {
    return `board ${this.#cleared}`;
  }

  join(node: FleetNode, ttlMs: number): void {
    const expiresAt = this.clock.now() + ttlMs;
    this.#nodes.set(node.incarnation, { value: node, ttlMs, expiresAt });
  }

  leave(incarnation: string): void {
    this.#nodes.delete(incarnation);
  }

  members(): FleetNode[] {
    const now = this.clock.now();
    return [...this.#nodes.values()]
      .filter(({ expiresAt }) => expiresAt > now)
      .map(({ value, ttlMs, expiresAt }) => {
        const isOverdue = expiresAt - now < ttlMs - OVERDUE_AFTER_MS;
        return isOverdue ? { ...value, isOverdue } : value;
      })
      .sort(byName);
  }

  claim({ name, token, ttlMs }: FleetLease): LeaseClaim {
    const now = this.clock.now();
    const held = this.#leases.get(name);
    const isFree = held === undefined || held.expiresAt <= now;
    if (!isFree && held.value !== token) return { kind: 'busy' };
    this.#leases.set(name, { value: token, ttlMs, expiresAt: now + ttlMs });
    return { kind: 'held' };
  }

  release({ name, token }: Pick<FleetLease, 'name' | 'token'>): boolean {
    const held = this.#leases.get(name);
    if (held?.value !== token) return false;
    this.#leases.delete(name);
    return held.expiresAt > this.clock.now();
  }

  publish(from: string, topic: string, message: string): void {
    for (const subscription of this.#subscriptions) {
      if (subscription.topic !== topic) continue;
      for (const delayMs of this.#faults.copiesMs(from, subscription.handle)) {
        this.clock.schedule(this.clock.now() + delayMs, () => {
          if (this.#subscriptions.has(subscription)) subscription.listener(message);
        });
      }
    }
  }

  subscribe(subscription: Subscription): () => void {
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  }

  // Half of the time on the way there, half on the way back: what the board does happens in between, once.
  async call<T>(handle: string, work: () => T): Promise<T> {
    const ms = this.#faults.callMs(handle);
    if (ms === null) throw new CoordinationUnavailable('the board cannot be reached');
    if (ms > 0) await this.#wait(ms / 2);
    const answer = work();
    if (ms > 0) await this.#wait(ms / 2);
    return answer;
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.clock.schedule(this.clock.now() + ms, resolve);
    });
  }
}

class MemoryCoordination implements Coordination {
  readonly #board: MemoryBoard;
  readonly #name: string;
  readonly #stops = new Set<() => void>();
  #joined: string | null = null;
  #boardSeen: string | null = null;
  #isClosed = false;

  constructor(board: MemoryBoard, name: string) {
    this.#board = board;
    this.#name = name;
  }

  // As it was last seen; null: never.
  get board(): string | null {
    return this.#boardSeen;
  }

  join(node: FleetNode, ttlMs: number): Promise<void> {
    this.#joined = node.incarnation;
    return this.#call((board) => board.join(node, ttlMs));
  }

  leave(): Promise<void> {
    const joined = this.#joined;
    if (joined === null) return Promise.resolve();
    return this.#call((board) => board.leave(joined));
  }

  members(): Promise<readonly FleetNode[]> {
    return this.#call((board) => board.members());
  }

  claim(lease: FleetLease): Promise<LeaseClaim> {
    return this.#call((board) => board.claim(lease));
  }

  release(lease: Pick<FleetLease, 'name' | 'token'>): Promise<boolean> {
    return this.#call((board) => board.release(lease));
  }

  async publish(topic: string, message: string): Promise<void> {
    checkMessage(message);
    await this.#call((board) => board.publish(this.#name, topic, message));
  }

  subscribe(topic: string, listener: (message: string) => void): () => void {
    const stop = this.#board.subscribe({ handle: this.#name, topic, listener });
    this.#stops.add(stop);
    return stop;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
  }

  async #call<T>(work: (board: MemoryBoard) => T): Promise<T> {
    if (this.#isClosed) throw new CoordinationUnavailable('closed');
    return this.#board.call(this.#name, () => {
      this.#boardSeen = this.#board.id;
      return work(this.#board);
    });
  }
}
