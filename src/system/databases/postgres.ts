// The only way to the Postgres driver: a connection that is made when it is first needed and made again after it was
// lost, and that does one thing at a time, in the order asked. Statements are prepared once per connection. Whole
// numbers come back as numbers: the store gives no number that one cannot hold, and long ids cross as text.

import { createRequire } from 'node:module';
import type pg from 'pg';
import { lazily } from '../lazily.ts';

export type SqlValue =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | null)[];
export type PostgresRow = Record<string, unknown>;

export interface PostgresSql {
  all(sql: string, ...params: SqlValue[]): Promise<PostgresRow[]>;
  // The first row; null: there is none.
  get(sql: string, ...params: SqlValue[]): Promise<PostgresRow | null>;
  // How many rows were changed.
  run(sql: string, ...params: SqlValue[]): Promise<number>;
  // Several statements without parameters, in one round trip and one transaction.
  script(sql: string): Promise<void>;
}

export interface PostgresOptions {
  readonly url: string;
  // Shown in the server's list of connections.
  readonly name: string;
  // Where tables and functions are looked up.
  readonly schema: string;
  // Statements that every connection begins with.
  readonly opening?: string;
  // How long the server may take to let it in, and for each statement. Left out: as long as it likes for statements.
  readonly callMsMax?: number;
  // What others notify a channel of that `opening` listens to.
  readonly onNotice?: (payload: string) => void;
  // The connection was lost, with all that was notified until there is a new one.
  readonly onLost?: () => void;
}

// What the server said no with; see its table of error codes.
export const PG = {
  deadlock: '40P01',
  serialization: '40001',
  diskFull: '53100',
} as const;

// Most gateways have no database.
const driver = lazily(() => createRequire(import.meta.url)('pg') as typeof pg);

const INT8_OID = 20;
const CONNECT_MS_MAX = 5_000;
// A server that is stopped neither answers what is under way nor hangs up.
const CLOSE_MS_MAX = 1_000;
// Whoever asks so soon after a failed try to connect is told the same: a crowd must not wait for one try each.
const CONNECT_AGAIN_MS = 200;
// A server that is stopped keeps its connections and says nothing.
const STATEMENT_MS_MAX = 60_000;
const UNBOUNDED_MS = 2 ** 31 - 1;
// Texts of searches are made up of parts; all others are constants.
const PREPARED_MAX = 512;

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8_OID && format !== 'binary') return Number;
    return driver().types.getTypeParser(oid, format);
  },
};

export function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

// There was no connection to ask on: nothing came of it, and nothing will.
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

// Of the network, and of a server that starts, stops or is full; not of a name, a password or a database that is wrong.
const PASSING =
  /^(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|ENOENT|EAI_AGAIN|57P\d\d|08\d{3}|53300)$/;
const TIMED_OUT = /timeout|terminated/i;

// Whether it may be reached later, with nothing changed.
export function isUnreachable(error: unknown): boolean {
  const cause = error instanceof NotConnected ? error.cause : error;
  const code = codeOf(cause);
  if (code !== null) return PASSING.test(code);
  return cause instanceof Error && !isAnswer(cause) && TIMED_OUT.test(cause.message);
}

// The server shuts down, or ends the connection (25P03: one that stood still in the middle of a transaction): its last
// words are no answer to the statement.
const LAST_WORDS = /^(?:08|57P|25P03)/;

// Whether the server has answered, and so nothing of the statement is in doubt.
export function isAnswer(error: unknown): boolean {
  return error instanceof driver().DatabaseError && !LAST_WORDS.test(error.code ?? '');
}

export class PostgresConnection implements PostgresSql {
  readonly #options: PostgresOptions;
  readonly #names = new Map<string, string>();
  #client: Promise<pg.Client> | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #failed: { readonly error: NotConnected; readonly at: number } | null = null;
  #isClosed = false;

  constructor(options: PostgresOptions) {
    this.#options = options;
  }

  all(sql: string, ...params: SqlValue[]): Promise<PostgresRow[]> {
    return this.#inTurn((client) => this.#query(client, sql, params)).then(({ rows }) => rows);
  }

  async get(sql: string, ...params: SqlValue[]): Promise<PostgresRow | null> {
    return (await this.all(sql, ...params))[0] ?? null;
  }

  // As `get`, and given up after so long; what becomes of the statement then is not known.
  async getWithin(msMax: number, sql: string, ...params: SqlValue[]): Promise<PostgresRow | null> {
    const result = await this.#inTurn((client) => this.#query(client, sql, params, msMax));
    return result.rows[0] ?? null;
  }

  run(sql: string, ...params: SqlValue[]): Promise<number> {
    return this.#inTurn((client) => this.#query(client, sql, params)).then(countOf);
  }

  // The same connection, each statement given up after so long: a network that swallows everything tells nobody.
  bounded(msMax: number): PostgresSql {
    const query = (sql: string, params: readonly SqlValue[]) =>
      this.#inTurn((client) => this.#query(client, sql, params, msMax));
    return {
      all: async (sql, ...params) => (await query(sql, params)).rows,
      get: async (sql, ...params) => (await query(sql, params)).rows[0] ?? null,
      run: async (sql, ...params) => countOf(await query(sql, params)),
      script: (sql) => this.script(sql),
    };
  }

  async script(sql: string): Promise<void> {
    await this.#inTurn((client) => unbounded(client, sql));
  }

  // All of it or nothing. `opening`: statements that go with the first round trip.
  transaction<T>(opening: string, work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    return this.#inTurn(async (client) => {
      await client.query(`BEGIN; ${opening}`);
      try {
        const result = await work(this.#within(client));
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => this.#lose(client));
        throw error;
      }
    });
  }

  // What is under way is waited for, for a moment; then it ends with its connection, and what waits behind is refused.
  async close(): Promise<void> {
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(late.resolve, CLOSE_MS_MAX, null);
    await Promise.race([this.#turn, late.promise]);
    this.#isClosed = true;
    const connecting = this.#client?.catch(() => null);
    this.#client = null;
    const ended = connecting?.then((client) => client?.end());
    await Promise.race([ended, late.promise]);
    void connecting?.then((client) => client?.connection.stream.destroy());
    clearTimeout(timer);
  }

  #within(client: pg.Client): PostgresSql {
    const all = async (sql: string, ...params: SqlValue[]) =>
      (await this.#query(client, sql, params)).rows;
    return {
      all,
      get: async (sql, ...params) => (await all(sql, ...params))[0] ?? null,
      run: async (sql, ...params) => countOf(await this.#query(client, sql, params)),
      async script(sql) {
        await unbounded(client, sql);
      },
    };
  }

  #inTurn<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const done = this.#turn.then(async () => {
      const client = await this.#connected();
      try {
        return await work(client);
      } catch (error) {
        if (!isAnswer(error)) this.#lose(client);
        throw error;
      }
    });
    this.#turn = done.catch(() => {});
    return done;
  }

  #query(
    client: pg.Client,
    sql: string,
    params: readonly SqlValue[],
    msMax = this.#options.callMsMax ?? STATEMENT_MS_MAX,
  ): Promise<pg.QueryResult> {
    const query = { text: sql, values: params.map(storable), query_timeout: msMax };
    const name = this.#nameOf(sql);
    return client.query(name === null ? query : { ...query, name });
  }

  #nameOf(sql: string): string | null {
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    if (this.#names.size >= PREPARED_MAX) return null;
    const name = `s${this.#names.size + 1}`;
    this.#names.set(sql, name);
    return name;
  }

  #connected(): Promise<pg.Client> {
    if (this.#isClosed) return Promise.reject(new NotConnected('it is closed'));
    const failed = this.#failed;
    if (this.#client === null && failed !== null) {
      if (performance.now() - failed.at < CONNECT_AGAIN_MS) return Promise.reject(failed.error);
      this.#failed = null;
    }
    this.#client ??= this.#connect().catch((cause) => {
      this.#client = null;
      const message = cause instanceof Error ? cause.message : String(cause);
      const error = new NotConnected(message, { cause });
      this.#failed = { error, at: performance.now() };
      throw error;
    });
    return this.#client;
  }

  async #connect(): Promise<pg.Client> {
    const { url, name, schema, opening = '', callMsMax, onNotice } = this.#options;
    const client = new (driver().Client)({
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: callMsMax ?? CONNECT_MS_MAX,
      query_timeout: callMsMax ?? STATEMENT_MS_MAX,
      keepAlive: true,
      types,
    });
    // It may be lost while nobody asks; the next one to ask connects anew.
    client.on('error', () => this.#lose(client));
    if (onNotice !== undefined) client.on('notification', ({ payload }) => onNotice(payload ?? ''));
    await client.connect();
    await client.query(`SET search_path = ${schema}; ${opening}`);
    return client;
  }

  #lose(client: pg.Client): void {
    this.#client = null;
    client.removeAllListeners('error');
    client.on('error', () => {});
    void client.end().catch(() => {});
    this.#options.onLost?.();
  }
}

// A NUL, and half of a surrogate pair, are characters to us and none to Postgres.
export function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\uFFFD') : whole;
}

function storable(value: SqlValue): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) {
    return value.map((each) => (typeof each === 'string' ? storableText(each) : each));
  }
  return value;
}

// Migrations take as long as the tables are large.
function unbounded(client: pg.Client, text: string): Promise<unknown> {
  const query = { text, query_timeout: UNBOUNDED_MS };
  return client.query(query);
}

function countOf({ rowCount }: pg.QueryResult): number {
  return rowCount ?? 0;
}
