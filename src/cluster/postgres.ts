// Coordination on Postgres, beside the store and on a connection of its own: heartbeats and leases are rows whose times
// are the server's, the bus is its notices. The connection is made again by itself, since who only listens would not
// notice that it is gone.

import type { Clock, Timer } from '../system/clock.ts';
import { PostgresConnection } from '../system/databases/postgres.ts';
import {
  type Coordination,
  CoordinationUnavailable,
  checkMessage,
  type FleetLease,
  type FleetNode,
  type LeaseClaim,
} from './coordination.ts';
import { within } from './deadline.ts';
import { readNodes } from './node-record.ts';
import { OVERDUE_AFTER_MS, POSTGRES_CALL_MS_MAX } from './pace.ts';
import { envelopeOf, Topics } from './topics.ts';

export interface PostgresCoordinationOptions {
  readonly url: string;
  // Where the store's tables are.
  readonly schema: string;
  readonly clock: Clock;
  readonly callMsMax?: number;
}

const CHANNEL = 'sluice_bus';
// A heartbeat need not survive the server, nor wait for its replicas.
const OPENING = `SET synchronous_commit = off; LISTEN ${CHANNEL}`;
const RECONNECT_MS = 1_000;

const EXPIRES = (param: string) => `clock_timestamp() + ${param} * interval '1 ms'`;
// Those that are long gone go with it; rows that another node removes at this moment are left to it.
const JOIN = `WITH gone AS (
    DELETE FROM nodes WHERE incarnation IN (
      SELECT incarnation FROM nodes WHERE expires_at < clock_timestamp() - interval '1 minute'
        AND incarnation <> $1 FOR UPDATE SKIP LOCKED))
  INSERT INTO nodes (incarnation, name, url, started_at, state, without_redis, proof, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, ${EXPIRES('$8::float8')})
    ON CONFLICT (incarnation) DO UPDATE SET url = excluded.url, proof = excluded.proof,
      state = excluded.state,
      without_redis = excluded.without_redis, expires_at = excluded.expires_at`;
const LEAVE = 'DELETE FROM nodes WHERE incarnation = $1';
const MEMBERS = `SELECT incarnation, name, url, started_at AS "startedAt", state, proof,
    without_redis AS "withoutRedis",
    expires_at < ${EXPIRES('$1::float8')} AS "isOverdue"
  FROM nodes WHERE expires_at > clock_timestamp() ORDER BY name, incarnation`;
const CLAIM = `INSERT INTO fleet_leases AS held (name, token, expires_at)
    VALUES ($1, $2, ${EXPIRES('$3::float8')})
  ON CONFLICT (name) DO UPDATE SET token = excluded.token, expires_at = excluded.expires_at
    WHERE held.token = excluded.token OR held.expires_at <= clock_timestamp()`;
const RELEASE = `DELETE FROM fleet_leases WHERE name = $1 AND token = $2
  RETURNING expires_at > clock_timestamp() AS held`;
const PUBLISH = `SELECT pg_notify('${CHANNEL}', $1)`;
const PING = 'SELECT 1';

export class PostgresCoordination implements Coordination {
  readonly #connection: PostgresConnection;
  readonly #clock: Clock;
  readonly #callMsMax: number;
  readonly #topics = new Topics();
  #joined: string | null = null;
  // Who is a member for no longer than this has missed a renewal; all nodes renew at one pace.
  #overdueMs = 0;
  #reconnecting: Timer | null = null;
  #isClosed = false;

  constructor({ url, schema, clock, callMsMax }: PostgresCoordinationOptions) {
    this.#clock = clock;
    this.#callMsMax = callMsMax ?? POSTGRES_CALL_MS_MAX;
    this.#connection = new PostgresConnection({
      ...{ url, schema, name: 'sluice coordination', opening: OPENING },
      callMsMax: this.#callMsMax,
      onNotice: (payload) => this.#topics.deliver(payload),
      onLost: () => this.#reconnectLater(),
    });
  }

  async join(node: FleetNode, ttlMs: number): Promise<void> {
    const { incarnation, name, url, startedAt, state, withoutRedis = false, proof = '' } = node;
    this.#joined = incarnation;
    this.#overdueMs = Math.max(0, ttlMs - OVERDUE_AFTER_MS);
    const values = [incarnation, name, url, startedAt, state, withoutRedis, proof, ttlMs] as const;
    await this.#call((sql) => sql.run(JOIN, ...values));
  }

  async leave(): Promise<void> {
    const joined = this.#joined;
    if (joined !== null) await this.#call((sql) => sql.run(LEAVE, joined));
  }

  async members(): Promise<readonly FleetNode[]> {
    const overdueMs = this.#overdueMs;
    return readNodes(await this.#call((sql) => sql.all(MEMBERS, overdueMs)));
  }

  async claim({ name, token, ttlMs }: FleetLease): Promise<LeaseClaim> {
    const taken = await this.#call((sql) => sql.run(CLAIM, name, token, ttlMs));
    return { kind: taken === 1 ? 'held' : 'busy' };
  }

  async release({ name, token }: Pick<FleetLease, 'name' | 'token'>): Promise<boolean> {
    const row = await this.#call((sql) => sql.get(RELEASE, name, token));
    return row?.held === true;
  }

  async publish(topic: string, message: string): Promise<void> {
    checkMessage(message);
    await this.#call((sql) => sql.get(PUBLISH, envelopeOf(topic, message)));
  }

  subscribe(topic: string, listener: (message: string) => void): () => void {
    this.#connectToListen();
    return this.#topics.subscribe(topic, listener);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#reconnecting?.cancel();
    this.#topics.clear();
    await this.#connection.close();
  }

  async #call<T>(work: (sql: PostgresConnection) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new CoordinationUnavailable('closed');
    return within(this.#clock, 'Postgres', this.#callMsMax, () => work(this.#connection));
  }

  #connectToListen(): void {
    this.#call((sql) => sql.get(PING)).catch(() => this.#reconnectLater());
  }

  #reconnectLater(): void {
    if (this.#isClosed || this.#reconnecting !== null) return;
    this.#reconnecting = this.#clock.schedule(this.#clock.now() + RECONNECT_MS, () => {
      this.#reconnecting = null;
      this.#connectToListen();
    });
  }
}
