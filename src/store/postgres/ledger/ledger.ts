// The ledger on Postgres, over connections of its own, so that no search delays a commit: one for searches and sums,
// which may take long, and one for what is asked by number and is told at once. Every answer is bounded.

import { type Delivery, laneOf, STATES, type State } from '../../../domain/delivery.ts';
import { formatId } from '../../../domain/ids.ts';
import type { Attempt } from '../../../domain/outcome.ts';
import { PRIORITIES } from '../../../domain/priority.ts';
import {
  type DeadGroup,
  type DeliveryPage,
  type Filter,
  type HistoryEntry,
  type Ledger,
  SEARCH_LIMIT_MAX,
} from '../../../ledger/ledger.ts';
import { assert } from '../../../system/assert.ts';
import {
  PostgresConnection,
  type PostgresRow,
  type PostgresSql,
} from '../../../system/databases/postgres.ts';
import { unavailable } from '../group-commit.ts';
import { SCHEMA } from '../schema/schema.ts';
import { deadGroups, searches, seqRange } from './search.ts';

// Of one delivery, attempts and history are told up to here.
const STORY_LINES_MAX = 10_000;
// A server that is stopped says nothing: who asks by number is told so.
const BY_NUMBER_MS_MAX = 4_000;

// Of a delivery that retention has removed nothing is told, though its day may still be there.
const OF_DAY = (table: string) => `FROM deliveries d JOIN ${table} a
  ON a.day = day_of(d.accepted_at) AND a.seq = d.seq WHERE d.seq = $1 ORDER BY a.no LIMIT $2`;

export const LEDGER_SQL = {
  deliveries: `SELECT d.seq, d.account, d.platform, d.chat, d.thread, d.session, d.user_id AS "user",
      d.correlation, d.method, d.family, d.budget, d.priority, d.cost, d.live, d.final, d.slot,
      d.enter_at AS "enterAt", d.rank, d.due_at AS "dueAt", d.expires_at AS "expiresAt",
      d.accepted_at AS "acceptedAt", d.state, d.reason, d.detail, d.settled_at AS "settledAt",
      d.attempts, d.failures, d.doubts, d.cures, d.message_id AS "messageId",
      d.superseded_by AS "supersededBy", d.repeats, d.body, NOT is_intact(d) AS damaged, r.result
    FROM deliveries d LEFT JOIN results r ON r.day = day_of(d.accepted_at)
      AND r.seq = d.seq WHERE d.seq = ANY ($1::bigint[])`,
  attempts: `SELECT a.seq, a.n, a.started_at AS "startedAt", a.ended_at AS "endedAt", a.outcome,
      a.reason, a.detail, a.retry_after_ms AS "retryAfterMs",
      a.waited_for AS "waitedFor" ${OF_DAY('attempts')}`,
  history: `SELECT a.seq, a.at, a.from_state AS "from", a.to_state AS "to", a.reason, a.by
    ${OF_DAY('history')}`,
  copies: 'SELECT seq FROM copies WHERE origin = $1 ORDER BY seq LIMIT $2',
  hasCopies: 'SELECT 1 FROM copies LIMIT 1',
  counts: `SELECT account, state, count FROM tallies WHERE account > '' AND count > 0
    ORDER BY account`,
  size: `SELECT sum(pg_total_relation_size(c.oid))::bigint AS bytes FROM pg_class c
    WHERE c.relnamespace = '${SCHEMA}'::regnamespace AND c.relkind = 'r'`,
} as const;

type Reading = Pick<PostgresSql, 'all' | 'get'>;
type StateCount = Awaited<ReturnType<Ledger['countByState']>>[number];

export function openPostgresLedger({ url, tag }: { url: string; tag: string }): Ledger {
  const connect = (name: string, callMsMax?: number) =>
    new PostgresConnection({ url, name, schema: SCHEMA, ...(callMsMax && { callMsMax }) });
  const [searching, numbers] = [
    connect('sluice search'),
    connect('sluice ledger', BY_NUMBER_MS_MAX),
  ];
  const [sql, byNumber] = [reading(searching), reading(numbers)];
  const getMany = async (seqs: readonly number[], over = byNumber): Promise<Delivery[]> => {
    const rows = await over.all(LEDGER_SQL.deliveries, seqs);
    const found = new Map(rows.map((row) => [row.seq, deliveryOf(row, tag)]));
    return seqs.flatMap((seq) => found.get(seq) ?? []);
  };
  const rowsOf = async <T>(text: string, seq: number) =>
    (await byNumber.all(text, seq, STORY_LINES_MAX)) as T[];
  return {
    getMany: (seqs) => getMany(seqs),
    get: async (seq) => (await getMany([seq]))[0] ?? null,
    attempts: (seq) => rowsOf<Attempt>(LEDGER_SQL.attempts, seq),
    history: (seq) => rowsOf<HistoryEntry>(LEDGER_SQL.history, seq),
    search: async (filter, page) => getMany(await found(sql, tag, filter, page), sql),
    async copiesOf(origin) {
      const rows = await byNumber.all(LEDGER_SQL.copies, origin, SEARCH_LIMIT_MAX);
      return getMany(rows.map(({ seq }) => Number(seq)));
    },
    hasCopies: async () => (await byNumber.get(LEDGER_SQL.hasCopies)) !== null,
    async deadByCause(filter) {
      const query = deadGroups(tag, filter);
      return (await sql.all(query.sql, ...query.params)) as unknown as DeadGroup[];
    },
    async countByState() {
      const counts = (await sql.all(LEDGER_SQL.counts)) as unknown as StateCount[];
      return counts.sort((a, b) => byAccount(a, b) || byState(a.state, b.state));
    },
    size: async () => Number((await sql.get(LEDGER_SQL.size))?.bytes ?? 0),
    async close() {
      await Promise.all([searching.close(), numbers.close()]);
    },
  };
}

// A database that is away is told as a store that is.
function reading(connection: PostgresConnection): Reading {
  const told = (error: unknown): never => {
    throw unavailable(error);
  };
  return {
    all: (sql, ...params) => connection.all(sql, ...params).catch(told),
    get: (sql, ...params) => connection.get(sql, ...params).catch(told),
  };
}

async function found(
  sql: Reading,
  tag: string,
  filter: Filter,
  page: DeliveryPage,
): Promise<number[]> {
  const { limit } = page;
  assert(limit > 0 && limit <= SEARCH_LIMIT_MAX, `search limit ${limit}`);
  const order = 'after' in page ? 'ASC' : 'DESC';
  const range = await seqRange(sql, filter, page);
  const seqs: number[] = [];
  for (const query of searches(tag, filter, range, { order, limit })) {
    for (const { seq } of await sql.all(query.sql, ...query.params)) seqs.push(Number(seq));
  }
  return seqs.sort((a, b) => (order === 'ASC' ? a - b : b - a)).slice(0, limit);
}

function deliveryOf(row: PostgresRow, tag: string): Delivery {
  const told = row as unknown as Omit<Delivery, 'priority'> & { priority: number };
  const id = formatId(tag, told.seq);
  return {
    ...told,
    id,
    correlation: (row.correlation as string | null) ?? id,
    lane: laneOf(told),
    priority: PRIORITIES[told.priority]!,
  };
}

function byAccount(a: StateCount, b: StateCount): number {
  return a.account < b.account ? -1 : a.account === b.account ? 0 : 1;
}

function byState(a: State, b: State): number {
  return STATES.indexOf(a) - STATES.indexOf(b);
}
