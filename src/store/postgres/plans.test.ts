// Every statement about a big table finds its rows by an index, whatever the size of the table. Tables of a test are
// small, and a planner would rather read them whole: it is told that this costs much, so that it does so only where no
// index helps.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STATES } from '../../domain/delivery.ts';
import type { Filter } from '../../ledger/ledger.ts';
import { PostgresConnection } from '../../system/databases/postgres.ts';
import { aMove, aSettlement, delivered, RETRIED } from '../contract/journal.fixture.ts';
import { soleOwner } from '../contract/sole-owner.fixture.ts';
import { AUDIENCE_SQL } from './audiences.ts';
import { BROADCAST_SQL } from './broadcast-statements.ts';
import { CALLERS_SQL } from './callers.ts';
import { type Cluster, startCluster } from './cluster.fixture.ts';
import { INCOMING_SQL } from './incoming.ts';
import { INGEST_SQL } from './ingest/statements.ts';
import { KEYS_SQL } from './keys.ts';
import { LEDGER_SQL } from './ledger/ledger.ts';
import { searches } from './ledger/search.ts';
import { MAINTENANCE_SQL } from './maintenance.ts';
import { MINUTES_SQL } from './minutes.ts';
import { openPostgresJournal } from './postgres.ts';
import { READS_SQL } from './reads.ts';
import { SCHEMA } from './schema/schema.ts';
import { SHARED_ACCOUNTS_SQL } from './shared-accounts.ts';
import { STREAMS_SQL } from './streams.ts';

const BIG = [
  ...[
    'deliveries',
    'attempts',
    'history',
    'results',
    'idempotency',
    'copies',
    'incoming',
    'streams',
  ],
  ...['members', 'outcomes', 'audit', 'ingest_posts', 'ingest_versions', 'minutes', 'owners'],
];

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

let cluster: Cluster;
let url: string;
let sql: PostgresConnection;
beforeAll(async () => {
  cluster = await startCluster();
  url = await cluster.database();
  await (await openPostgresJournal({ url })).close();
  sql = new PostgresConnection({ url, name: 'test', schema: SCHEMA });
  const { name } = (await sql.get('SELECT current_database() AS name'))!;
  await sql.script(`ALTER DATABASE ${name} SET enable_seqscan = off;
    SET enable_seqscan = off; SET enable_mergejoin = off; SET enable_hashjoin = off;
    SET plan_cache_mode = force_generic_plan`);
});
afterAll(async () => {
  await sql.close();
  await cluster.stop();
});

async function planOf(statement: string): Promise<PlanNode> {
  const params = Math.max(0, ...[...statement.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)));
  const nulls = params === 0 ? '' : `(${Array(params).fill('NULL').join(', ')})`;
  await sql.script(`PREPARE asked AS ${statement}`);
  const rows = await sql
    .all(`EXPLAIN (FORMAT JSON) EXECUTE asked${nulls}`)
    .finally(() => sql.script('DEALLOCATE asked'));
  return (rows[0]!['QUERY PLAN'] as { Plan: PlanNode }[])[0]!.Plan;
}

// Of a partition.
function wholeTable(name: string): string {
  return name.replace(/_(?:rest|d\d+_\d+)$/, '');
}

// Nodes that go through all of a big table: no index, or an index without a condition and nobody above who stops them.
function walks(node: PlanNode, isLimited = false): string[] {
  const table = wholeTable(node['Relation Name'] ?? '');
  const isWhole =
    node['Node Type'] === 'Seq Scan' ||
    (/^Index (Only )?Scan/.test(node['Node Type']) &&
      node['Index Cond'] === undefined &&
      !isLimited);
  const here = isWhole && BIG.includes(table) ? [`${node['Node Type']} of ${table}`] : [];
  const stops = isLimited || node['Node Type'] === 'Limit';
  return [...here, ...(node.Plans ?? []).flatMap((each) => walks(each, stops))];
}

// By nature about all that is there: of what is alive when a clock was set, and of records of another table.
const ABOUT_ALL = ['shiftExpiry', 'shiftWaiting', 'dropFiles'];

describe('no statement walks through a big table', () => {
  const all = [
    ...[READS_SQL, MAINTENANCE_SQL, CALLERS_SQL, KEYS_SQL, STREAMS_SQL, INCOMING_SQL],
    ...[MINUTES_SQL, SHARED_ACCOUNTS_SQL],
    ...[AUDIENCE_SQL, BROADCAST_SQL, INGEST_SQL, LEDGER_SQL],
  ].flatMap((each) => Object.entries(each));
  test.each(all.filter(([name]) => !ABOUT_ALL.includes(name)))('%s', async (_name, statement) => {
    expect(walks(await planOf(statement))).toEqual([]);
  });
});

test('a take-over reads the calls of its accounts, and none of others', async () => {
  const found = JSON.stringify(await planOf(READS_SQL.calls));
  expect(found).toMatch(/"Index Cond":"\(+(?:t\.)?account = [^"]*started_at >= /);
  expect(found).not.toContain('Seq Scan');
});

describe('a search is led by an index', () => {
  const filters: readonly [string, Filter, RegExp][] = [
    ['session', { session: 's' }, /deliveries_session/],
    ['message', { messageId: 'm' }, /deliveries_message/],
    ['chat', { chat: 'c' }, /deliveries_ended_chat/],
    ['dead', { state: 'dead' }, /deliveries_stuck/],
    ['queued', { state: 'queued' }, /deliveries_live/],
    ['correlation', { correlation: 'c' }, /deliveries_correlation|deliveries_pkey/],
  ];
  test.each(filters)('%s', async (_name, filter, index) => {
    const range = { from: 0, before: 100 };
    const [first] = searches('local', filter, range, { order: 'DESC', limit: 10 });
    expect(JSON.stringify(await planOf(first!.sql))).toMatch(index);
  });
});

test('the functions of the server find all they need by an index', async () => {
  await sql.script('SELECT pg_stat_reset()');
  const journal = soleOwner(await openPostgresJournal({ url }));
  for (let n = 0; n < 3; n++) {
    const slot = { slot: 's', idempotencyKey: `k${n}`, held: true, files: ['f'] };
    const seq = await delivered(journal, slot, { ...RETRIED, result: '{}' });
    await journal.callers.caller(seq, false);
    await journal.begin(seq, 3_000);
    const cure = { name: 'move_chat', chat: '7', body: null };
    await journal.settle(aSettlement({ seq, n: 2, to: 'dead', outcome: 'refused', cure }));
    await journal.move(aMove({ seq, to: 'queued' }));
    await journal.move(aMove({ seq }));
    await delivered(journal, {}, {});
  }
  await journal.prune({ endedBefore: 9_000, deadBefore: 9_000, max: 10 });
  await journal.close();
  const walked = await sql.all(
    'SELECT relname AS name FROM pg_stat_user_tables WHERE seq_scan > 0',
  );
  const names = walked.map(({ name }) => wholeTable(String(name)));
  expect(names.filter((name) => BIG.includes(name))).toEqual([]);
});

test('the schema admits the states that the domain knows', async () => {
  const row = await sql.get(`SELECT string_agg(pg_get_constraintdef(oid), ' ') AS checks
    FROM pg_constraint WHERE conrelid = 'deliveries'::regclass`);
  for (const state of STATES) expect(row!.checks).toContain(`'${state}'`);
});
