// Redis first, Postgres when Redis is away. Liveness is what changes hands; leases always live in Postgres, so that
// there is one of each also while some nodes reach Redis and others do not.
//
// Each node is in Postgres too, at a slower pace, and says there whether it reaches Redis. A node on Redis takes the
// members from Redis, and from Postgres those that do not reach Redis; whoever vanishes from Redis is looked for in
// Postgres before it is missed. A node without Redis takes all from Postgres. So nobody vanishes when one node, or all,
// change over, and a node that alone has lost Redis is alone in nothing.

import type { Clock } from '../system/clock.ts';
import type { Coordination, FleetLease, FleetNode, LeaseClaim } from './coordination.ts';
import { byName } from './node-record.ts';
import { type MembershipPace, POSTGRES_PACE, REDIS_PACE } from './pace.ts';

export interface FallbackOptions {
  readonly clock: Clock;
  readonly redis: FastCoordination;
  readonly postgres: Coordination;
  readonly onNote: (note: CoordinationNote) => void;
}

export interface FastCoordination extends Coordination {
  // Another than before: it was emptied. null: never read.
  readonly board: string | null;
}

export type CoordinationNote =
  | { readonly kind: 'redis_away'; readonly detail: string }
  | { readonly kind: 'redis_back' }
  // All that was in Redis is gone; members come back with their next renewal.
  | { readonly kind: 'redis_emptied' };

// How often a node on Redis reports to Postgres that it is alive, and asks who is without Redis.
const SHADOW_MS = 3_000;
// Should Redis die together with a node, that node is missed within the time that Postgres promises.
const SHADOW_TTL_MS = 7_000;
// Redis must have answered for so long before it is trusted again; twice as long after each time it did not last.
const RETURN_MS_MIN = 3_000;
const RETURN_MS_MAX = 60_000;
const LASTING_MS = 60_000;
// Members of an emptied Redis are believed to live on until they could have renewed.
const EMPTIED_MS = REDIS_PACE.ttlMs;
// The bus of Postgres carries two kinds: from nodes on Redis, who said it there too, and from those without.
const ECHO_SUFFIX = '+';

export class FallbackCoordination implements Coordination {
  readonly #options: FallbackOptions;
  #isOnRedis = true;
  // Since when Redis has answered every time; null: it does not.
  #answersSince: number | null = null;
  #returnMs = RETURN_MS_MIN;
  #switchedAt = -Infinity;
  #isProbing = false;
  #shadowedAt = -Infinity;
  #shadow: FleetNode | null = null;
  #board: string | null = null;
  #emptiedAt = -Infinity;
  // What was answered last, and what Postgres said last.
  #known: readonly FleetNode[] = [];
  #inPostgres: readonly FleetNode[] = [];
  #readPostgresAt = -Infinity;

  constructor(options: FallbackOptions) {
    this.#options = options;
  }

  get isOnRedis(): boolean {
    return this.#isOnRedis;
  }

  get pace(): MembershipPace {
    return this.#isOnRedis ? REDIS_PACE : POSTGRES_PACE;
  }

  async join(node: FleetNode, ttlMs: number): Promise<void> {
    const { redis, postgres } = this.#options;
    if (this.#isOnRedis) {
      const isJoined = await this.#onRedis(() => redis.join(node, ttlMs));
      if (isJoined.kind === 'answered') return this.#castShadow(node);
    } else this.#probe(node);
    // Others may still be at the pace of Redis; the time that counts is the longer one.
    const record: FleetNode = this.#isOnRedis ? node : { ...node, withoutRedis: true };
    await postgres.join(record, Math.max(ttlMs, SHADOW_TTL_MS));
    this.#shadow = record;
    this.#shadowedAt = this.#options.clock.now();
  }

  async leave(): Promise<void> {
    const { redis, postgres } = this.#options;
    const [fast, sure] = await Promise.allSettled([redis.leave(), postgres.leave()]);
    if (fast.status === 'rejected' && sure.status === 'rejected') throw sure.reason;
  }

  async members(): Promise<readonly FleetNode[]> {
    const { redis, postgres } = this.#options;
    if (this.#isOnRedis) {
      const answer = await this.#onRedis(() => redis.members());
      if (answer.kind === 'answered') {
        this.#known = await this.#withOthers(answer.value);
        return this.#known;
      }
    }
    this.#known = await postgres.members();
    return this.#known;
  }

  claim(lease: FleetLease): Promise<LeaseClaim> {
    return this.#options.postgres.claim(lease);
  }

  release(lease: Pick<FleetLease, 'name' | 'token'>): Promise<boolean> {
    return this.#options.postgres.release(lease);
  }

  async publish(topic: string, message: string): Promise<void> {
    const { redis, postgres } = this.#options;
    if (this.#isOnRedis) {
      const answer = await this.#onRedis(() => redis.publish(topic, message));
      if (answer.kind === 'answered') {
        const areSomeWithout = this.#known.some(({ withoutRedis }) => withoutRedis);
        if (areSomeWithout) await postgres.publish(topic + ECHO_SUFFIX, message).catch(() => {});
        return;
      }
    }
    await postgres.publish(topic, message);
  }

  subscribe(topic: string, listener: (message: string) => void): () => void {
    const { redis, postgres } = this.#options;
    const stops = [
      redis.subscribe(topic, (message) => {
        if (this.#isOnRedis) listener(message);
      }),
      postgres.subscribe(topic, listener),
      postgres.subscribe(topic + ECHO_SUFFIX, (message) => {
        if (!this.#isOnRedis) listener(message);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  async close(): Promise<void> {
    const { redis, postgres } = this.#options;
    await Promise.all([redis.close(), postgres.close()]);
  }

  // In Postgres too; that it is away is for the store to say.
  async #castShadow(node: FleetNode): Promise<void> {
    const { clock, postgres } = this.#options;
    const isSame = this.#shadow?.state === node.state && this.#shadow.withoutRedis === undefined;
    if (isSame && clock.now() - this.#shadowedAt < SHADOW_MS) return;
    this.#shadowedAt = clock.now();
    this.#shadow = node;
    // Not waited for: a renewal is done when Redis has it.
    postgres.join(node, SHADOW_TTL_MS).catch(() => {
      this.#shadow = null;
    });
  }

  // Redis knows those that reach it.
  async #withOthers(inRedis: readonly FleetNode[]): Promise<readonly FleetNode[]> {
    const { clock } = this.#options;
    this.#noteEmptied();
    const there = new Set(inRedis.map(({ incarnation }) => incarnation));
    const missing = this.#known.filter(({ incarnation }) => !there.has(incarnation));
    const isMissed = missing.some(({ withoutRedis }) => withoutRedis === undefined);
    if (isMissed || clock.now() - this.#readPostgresAt >= SHADOW_MS) await this.#readPostgres();
    const without = this.#inPostgres.filter(
      ({ incarnation, withoutRedis }) => withoutRedis && !there.has(incarnation),
    );
    const isEmptied = clock.now() - this.#emptiedAt < EMPTIED_MS;
    const all = new Map<string, FleetNode>();
    for (const node of isEmptied ? missing : []) all.set(node.incarnation, node);
    for (const node of [...without, ...inRedis]) all.set(node.incarnation, node);
    return [...all.values()].sort(byName);
  }

  async #readPostgres(): Promise<void> {
    const { clock, postgres } = this.#options;
    this.#readPostgresAt = clock.now();
    try {
      this.#inPostgres = await postgres.members();
    } catch {
      // Nothing can be taken over without it: what it said before will do.
    }
  }

  #noteEmptied(): void {
    const { clock, redis, onNote } = this.#options;
    const before = this.#board;
    this.#board = redis.board;
    if (before === null || before === this.#board) return;
    this.#emptiedAt = clock.now();
    onNote({ kind: 'redis_emptied' });
  }

  async #onRedis<T>(call: () => Promise<T>): Promise<Answer<T>> {
    try {
      return { kind: 'answered', value: await call() };
    } catch (error) {
      if (error instanceof RangeError) throw error;
      this.#leaveRedis(error);
      return { kind: 'away' };
    }
  }

  #leaveRedis(error: unknown): void {
    if (!this.#isOnRedis) return;
    const { clock, onNote } = this.#options;
    const lastedMs = clock.now() - this.#switchedAt;
    this.#returnMs =
      lastedMs >= LASTING_MS ? RETURN_MS_MIN : Math.min(this.#returnMs * 2, RETURN_MS_MAX);
    this.#isOnRedis = false;
    this.#switchedAt = clock.now();
    this.#answersSince = null;
    onNote({ kind: 'redis_away', detail: error instanceof Error ? error.message : String(error) });
  }

  // With each renewal without Redis: it is published there too, so that this node is in it when others return first.
  #probe(node: FleetNode): void {
    if (this.#isProbing) return;
    const { clock, redis } = this.#options;
    this.#isProbing = true;
    redis
      .join({ ...node, withoutRedis: true }, POSTGRES_PACE.ttlMs)
      .then(
        () => {
          this.#answersSince ??= clock.now();
          if (clock.now() - this.#answersSince >= this.#returnMs) this.#returnToRedis();
        },
        () => {
          this.#answersSince = null;
        },
      )
      .finally(() => {
        this.#isProbing = false;
      });
  }

  #returnToRedis(): void {
    if (this.#isOnRedis) return;
    const { clock, onNote } = this.#options;
    this.#isOnRedis = true;
    this.#switchedAt = clock.now();
    // It may have been emptied meanwhile, which is no news then; and who is not back yet is in Postgres.
    this.#board = null;
    this.#readPostgresAt = -Infinity;
    onNote({ kind: 'redis_back' });
  }
}

type Answer<T> = { readonly kind: 'answered'; readonly value: T } | { readonly kind: 'away' };
