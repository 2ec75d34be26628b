// The only way to the Redis driver: two connections, one for commands and one that listens, each made again by itself
// after it was lost. Nothing is queued for a connection that is not there, nothing is sent twice, and no error of the
// driver leaves here, because it carries what was sent.

import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Redis } from 'ioredis';
import { lazily } from '../lazily.ts';

export interface RedisConnectionOptions {
  // redis:// or rediss://
  readonly url: string;
  // How long it may take to connect, and each command.
  readonly callMsMax: number;
  // What the listening connection hears, until it is lost and again afterwards.
  readonly channel: string;
  readonly onMessage: (message: string) => void;
}

export type RedisValue = string | number;

// Most gateways have no Redis.
const driver = lazily(() => createRequire(import.meta.url)('ioredis') as typeof import('ioredis'));

const RECONNECT_MS_MIN = 50;
const RECONNECT_MS_MAX = 1_000;
// A line that is cut without a word is noticed after a few of these.
const KEEP_ALIVE_MS = 5_000;

export class RedisConnection {
  readonly #commands: Redis;
  readonly #listening: Redis;
  readonly #channel: string;
  readonly #callMsMax: number;

  constructor({ url, callMsMax, channel, onMessage }: RedisConnectionOptions) {
    this.#channel = channel;
    this.#callMsMax = callMsMax;
    const options = {
      connectTimeout: callMsMax,
      commandTimeout: callMsMax,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      maxRetriesPerRequest: 0,
      keepAlive: KEEP_ALIVE_MS,
      retryStrategy: (times: number) => Math.min(times * RECONNECT_MS_MIN, RECONNECT_MS_MAX),
    };
    const { Redis: Driver } = driver();
    this.#commands = new Driver(url, { ...options, connectionName: 'sluice' });
    this.#listening = new Driver(url, { ...options, connectionName: 'sluice-bus' });
    // Whoever calls is told; besides, it is tried again.
    this.#commands.on('error', () => {});
    this.#listening.on('error', () => {});
    this.#listening.on('message', (_channel, message) => onMessage(message));
    this.#listening.on('ready', () => this.#listen());
  }

  // `keys` and `args` as in the server's scripts.
  script(lua: string, keys: readonly string[], args: readonly RedisValue[]): Promise<unknown> {
    return this.#run((redis) => redis.eval(lua, keys.length, ...keys, ...args));
  }

  async publish(message: string): Promise<void> {
    await this.#run((redis) => redis.publish(this.#channel, message));
  }

  close(): void {
    this.#commands.disconnect();
    this.#listening.disconnect();
  }

  async #run<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = this.#commands;
    try {
      // Also rejects with the next error there is.
      if (redis.status !== 'ready') {
        await once(redis, 'ready', { signal: AbortSignal.timeout(this.#callMsMax) });
      }
      return await work(redis);
    } catch (error) {
      throw new Error(error instanceof Error ? error.message : String(error));
    }
  }

  // A connection that cannot listen is of no use: it is made again.
  #listen(): void {
    this.#listening.subscribe(this.#channel).catch(() => this.#listening.disconnect(true));
  }
}
