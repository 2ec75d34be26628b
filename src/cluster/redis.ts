// Coordination on Redis: the fast wire, and never the truth. Members are a hash and a sorted set of when their time
// runs out by the server's own clock; a lease is a key that runs out by itself, renewed and released by a script that
// compares its token; the bus is one channel. All keys of a fleet lie in one slot of a cluster.

import { randomUUID } from 'node:crypto';
import type { Clock } from '../system/clock.ts';
import { RedisConnection, type RedisValue } from '../system/databases/redis.ts';
import { parseJson } from '../system/json.ts';
import {
  type Coordination,
  CoordinationUnavailable,
  checkMessage,
  type FleetLease,
  type FleetNode,
  type LeaseClaim,
} from './coordination.ts';
import { within } from './deadline.ts';
import { byName, readNodes } from './node-record.ts';
import { REDIS_CALL_MS_MAX } from './pace.ts';
import { envelopeOf, Topics } from './topics.ts';

export interface RedisCoordinationOptions {
  readonly url: string;
  // Of whom: fleets may share a Redis. The store's tag.
  readonly fleet: string;
  readonly clock: Clock;
  readonly callMsMax?: number;
}

// A script's numbers are doubles: ms since the epoch fit.
const NOW = `local t = redis.call('TIME')
  local now = t[1] * 1000 + math.floor(t[2] / 1000)`;
// Drawn once by whoever finds none: it is another when Redis was emptied.
const BOARD = `redis.call('SET', KEYS[3], ARGV[1], 'NX')
  local board = redis.call('GET', KEYS[3])`;
const JOIN = `${NOW}
  ${BOARD}
  local gone = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)
  for _, incarnation in ipairs(gone) do
    redis.call('HDEL', KEYS[1], incarnation)
    redis.call('ZREM', KEYS[2], incarnation)
  end
  redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
  redis.call('ZADD', KEYS[2], now + ARGV[4], ARGV[2])
  return { board }`;
const LEAVE = `redis.call('HDEL', KEYS[1], ARGV[1])
  return redis.call('ZREM', KEYS[2], ARGV[1])`;
const MEMBERS = `${NOW}
  ${BOARD}
  local answer = { board }
  for _, incarnation in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. now, '+inf')) do
    answer[#answer + 1] = redis.call('HGET', KEYS[1], incarnation) or ''
  end
  return answer`;
const CLAIM = `if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
const RELEASE = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('DEL', KEYS[1])`;

export class RedisCoordination implements Coordination {
  readonly #redis: RedisConnection;
  readonly #clock: Clock;
  readonly #callMsMax: number;
  readonly #topics = new Topics();
  readonly #prefix: string;
  readonly #keys: readonly string[];
  #joined: string | null = null;
  #board: string | null = null;
  #isClosed = false;

  constructor({ url, fleet, clock, callMsMax = REDIS_CALL_MS_MAX }: RedisCoordinationOptions) {
    this.#clock = clock;
    this.#callMsMax = callMsMax;
    this.#prefix = `{sluice:${fleet}}`;
    this.#keys = ['nodes', 'expiry', 'board'].map((key) => `${this.#prefix}:${key}`);
    this.#redis = new RedisConnection({
      ...{ url, callMsMax, channel: `${this.#prefix}:bus` },
      onMessage: (message) => this.#topics.deliver(message),
    });
  }

  // Another than before: all that was in it is gone. null: never read.
  get board(): string | null {
    return this.#board;
  }

  async join(node: FleetNode, ttlMs: number): Promise<void> {
    this.#joined = node.incarnation;
    const values = [randomUUID(), node.incarnation, JSON.stringify(node), ttlMs];
    await this.#onBoard(JOIN, values);
  }

  async leave(): Promise<void> {
    if (this.#joined !== null) await this.#script(LEAVE, this.#keys, [this.#joined]);
  }

  async members(): Promise<readonly FleetNode[]> {
    const records = (await this.#onBoard(MEMBERS, [randomUUID()])).map(readJson);
    return readNodes(records).sort(byName);
  }

  async claim({ name, token, ttlMs }: FleetLease): Promise<LeaseClaim> {
    const taken = await this.#script(CLAIM, [this.#leaseKey(name)], [token, Math.ceil(ttlMs)]);
    return { kind: taken === 1 ? 'held' : 'busy' };
  }

  async release({ name, token }: Pick<FleetLease, 'name' | 'token'>): Promise<boolean> {
    return (await this.#script(RELEASE, [this.#leaseKey(name)], [token])) === 1;
  }

  async publish(topic: string, message: string): Promise<void> {
    checkMessage(message);
    await this.#call(() => this.#redis.publish(envelopeOf(topic, message)));
  }

  subscribe(topic: string, listener: (message: string) => void): () => void {
    return this.#topics.subscribe(topic, listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#topics.clear();
    this.#redis.close();
  }

  // Answers what comes after the board's own number.
  async #onBoard(lua: string, values: readonly RedisValue[]): Promise<string[]> {
    const [board, ...rest] = (await this.#script(lua, this.#keys, values)) as string[];
    this.#board = board!;
    return rest;
  }

  #script(lua: string, keys: readonly string[], values: readonly RedisValue[]): Promise<unknown> {
    return this.#call(() => this.#redis.script(lua, keys, values));
  }

  async #call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new CoordinationUnavailable('closed');
    return within(this.#clock, 'Redis', this.#callMsMax, work);
  }

  #leaseKey(name: string): string {
    return `${this.#prefix}:lease:${name}`;
  }
}

function readJson(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.kind === 'value' ? parsed.value : null;
}
