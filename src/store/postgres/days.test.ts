// What is written with deliveries lies by the day they were accepted; retention drops a day whole and keeps what is
// still wanted of it. A database from before keeps everything when it is migrated.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { NewDelivery } from '../../domain/delivery.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { systemClock } from '../../system/clock.ts';
import { PostgresConnection } from '../../system/databases/postgres.ts';
import { accepted, aMove, aSettlement, delivered, REFUSED } from '../contract/journal.fixture.ts';
import { type OwnedStore, soleOwner } from '../contract/sole-owner.fixture.ts';
import { type Cluster, startCluster } from './cluster.fixture.ts';
import { openPostgresLedger } from './ledger/ledger.ts';
import { openPostgresJournal } from './postgres.ts';
import { DAY_TABLES } from './schema/days.ts';
import { MIGRATIONS, SCHEMA } from './schema/schema.ts';

const DAY_MS = 86_400_000;
const at = (day: number) => day * DAY_MS + 1_000;

let cluster: Cluster;
let url: string;
let sql: PostgresConnection;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  url = await cluster.database();
  sql = new PostgresConnection({ url, name: 'test', schema: SCHEMA });
  return () => sql.close();
});

interface Opened {
  readonly journal: OwnedStore;
  readonly ledger: Ledger;
  close(): Promise<void>;
}

async function opened(): Promise<Opened> {
  const store = await openPostgresJournal({ url });
  const journal = soleOwner(store);
  const ledger = openPostgresLedger({ url, tag: store.tag });
  const close = async () => {
    await ledger.close();
    await journal.close();
  };
  return { journal, ledger, close };
}

async function makeDay(from: number, to = from + 1): Promise<void> {
  const make = (table: string) =>
    `CREATE TABLE ${table}_d${from}_${to} PARTITION OF ${table} FOR VALUES FROM (${from}) TO (${to});`;
  await sql.script(DAY_TABLES.map(make).join(''));
}

async function daysOf(table: string): Promise<string[]> {
  const rows = await sql.all('SELECT name FROM partitions_of($1) ORDER BY from_day', table);
  return rows.map(({ name }) => String(name));
}

async function rowsIn(partition: string): Promise<number[]> {
  const rows = await sql.all(`SELECT seq FROM ${partition} ORDER BY seq`);
  return rows.map(({ seq }) => Number(seq));
}

function sentOn(journal: OwnedStore, day: number, changes: Partial<NewDelivery> = {}) {
  const settlement = { endedAt: at(day) + 10, result: `{"day":${day}}`, messageId: 'm' };
  return delivered(journal, { ...changes, acceptedAt: at(day) }, settlement, at(day) + 5);
}

function deadOn(journal: OwnedStore, day: number) {
  const settlement = { ...REFUSED, endedAt: at(day) + 10 };
  return delivered(journal, { acceptedAt: at(day) }, settlement, at(day) + 5);
}

async function storyOf(ledger: Ledger, seq: number) {
  return {
    delivery: await ledger.get(seq),
    attempts: await ledger.attempts(seq),
    history: await ledger.history(seq),
  };
}

test('days to come are made at a start, one partition each, and only once', async () => {
  const { journal, close } = await opened();
  const made = await daysOf('attempts');
  expect(made.length).toBeGreaterThanOrEqual(4);
  expect(await daysOf('results')).toEqual(made.map((name) => name.replace('attempts', 'results')));
  const seq = await sentOn(journal, Math.floor(systemClock().now() / DAY_MS));
  expect(await rowsIn(made[0]!)).toEqual([seq]);
  expect(await rowsIn('attempts_rest')).toEqual([]);
  expect(
    await sql.get('SELECT make_days(day_of(extract(epoch FROM now()) * 1000)) AS made'),
  ).toEqual({
    made: 0,
  });
  await close();
});

test('where much is kept days are wider, and one that lies with the rest stays there', async () => {
  const { journal, close } = await opened();
  const today = Math.floor(systemClock().now() / DAY_MS);
  for (let day = today + 4; day < today + 60; day++) {
    await sql.get('SELECT make_days($1::integer)', day);
  }
  const [last] = (await daysOf('history')).slice(-1);
  const [from, to] = /_d(\d+)_(\d+)$/.exec(last!)!.slice(1).map(Number);
  expect(to! - from!).toBe(7);
  const seq = await sentOn(journal, to!);
  await sql.get('SELECT make_days($1::integer)', to!);
  expect((await daysOf('history')).at(-1), 'made where nothing lies with the rest').not.toBe(last);
  expect((await daysOf('attempts')).at(-1)).toBe(last!.replace('history', 'attempts'));
  expect(await rowsIn('attempts_rest')).toEqual([seq]);
  await close();
});

test('a day that is forgotten is dropped whole; what is kept of it is told as before', async () => {
  const { journal, ledger, close } = await opened();
  await makeDay(10);
  await makeDay(11);
  const sent = await sentOn(journal, 10);
  const dead = await deadOn(journal, 10);
  const [retried, waiting] = [
    await deadOn(journal, 10),
    await accepted(journal, { acceptedAt: at(10) }),
  ];
  await journal.move(aMove({ seq: retried, to: 'queued', at: at(11) }));
  const late = await sentOn(journal, 11);
  const kept = [dead, retried, waiting, late];
  const before = await Promise.all(kept.map((seq) => storyOf(ledger, seq)));
  expect(await rowsIn('attempts_d10_11')).toEqual([sent, dead, retried]);

  expect(await journal.prune({ endedBefore: 11 * DAY_MS, deadBefore: 0, max: 10 })).toBe(1);
  for (const table of DAY_TABLES) expect(await daysOf(table)).not.toContain(`${table}_d10_11`);
  expect(await daysOf('attempts')).toContain('attempts_d11_12');
  expect(await storyOf(ledger, sent)).toEqual({ delivery: null, attempts: [], history: [] });
  expect(await Promise.all(kept.map((seq) => storyOf(ledger, seq)))).toEqual(before);
  expect(await rowsIn('attempts_rest')).toEqual([dead, retried]);

  // They go on as if nothing had been, and go row by row in their turn.
  await journal.begin(retried, at(12));
  await journal.settle(aSettlement({ seq: retried, n: 2, endedAt: at(12), result: '{}' }));
  expect(await ledger.attempts(retried)).toMatchObject([{ n: 1 }, { n: 2, outcome: 'sent' }]);
  expect((await ledger.get(retried))?.result).toBe('{}');
  expect(await journal.prune({ endedBefore: at(13), deadBefore: at(13), max: 10 })).toBe(3);
  for (const table of DAY_TABLES) expect(await rowsIn(`${table}_rest`)).toEqual([]);
  await close();
});

test('a day whose table somebody reads is left for the next time, and holds nobody up', async () => {
  const { journal, close } = await opened();
  await makeDay(10);
  await sentOn(journal, 10);
  const prune = { endedBefore: 12 * DAY_MS, deadBefore: 0, max: 10 };
  const reader = new PostgresConnection({ url, name: 'reader', schema: SCHEMA });
  await reader.script('BEGIN; SELECT 1 FROM attempts LIMIT 1');
  expect(await journal.prune(prune)).toBe(1);
  expect(await daysOf('attempts')).toContain('attempts_d10_11');
  await reader.script('ROLLBACK');
  await reader.close();
  await close();
  const again = await opened();
  expect(await again.journal.prune(prune)).toBe(0);
  expect(await daysOf('attempts')).not.toContain('attempts_d10_11');
  await again.close();
});

const OLD = `
INSERT INTO deliveries (seq, account, platform, chat, method, family, gate, priority, cost, live, final, enter_at,
  rank, due_at, expires_at, accepted_at, state, settled_at, reason, attempts, failures, doubts, cures, held, body)
SELECT n, 'telegram:1', 'telegram', '7', 'sendMessage', 'send', 'open', 1, 1, false, false, 0, n, 0, 0,
  (100 + n) * ${DAY_MS}::float8 + 5, 'sent', (100 + n) * ${DAY_MS}::float8 + 9, NULL, 1, 0, 0, '{}', 0, '{}'
FROM generate_series(1, 40) n;
INSERT INTO attempts (seq, n, started_at, ended_at, outcome) SELECT seq, 1, accepted_at, settled_at, 'sent'
FROM deliveries ORDER BY seq DESC;
INSERT INTO history (seq, at, from_state, to_state, reason, by) SELECT seq, 1, 'queued', 'sent', 'by hand', 'me'
FROM deliveries;
INSERT INTO results SELECT seq, seq::text FROM deliveries;
INSERT INTO limits VALUES ('telegram:1', 'freeze|gate|reply|', '{}', 5);
INSERT INTO incoming (account, update_id, at, chat, voice, state, body) VALUES
  ('telegram:1', 10, 2, '7', 'wrote', 'waiting', 'ten'), ('telegram:1', 9, 1, '7', 'wrote', 'waiting', 'nine');
SELECT setval('delivery_seq', 40)`;

// A function that has other parameters since stands beside its successor: two of one name.
const SUCCEEDED = ['run(a int)', 'run(b text)', 'append_plain(a int)', 'append_plain(b text)']
  .map((head) => `CREATE FUNCTION ${head} RETURNS int LANGUAGE sql AS 'SELECT 1';`)
  .join('\n');

test('a database from before is migrated with all that it has', async () => {
  const before = MIGRATIONS.slice(0, 5).join('\n');
  await sql.script(`CREATE SCHEMA ${SCHEMA}; CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL);
    ${before} ${SUCCEEDED} INSERT INTO meta VALUES ('version', '5'), ('tag', 'abcde')`);
  await sql.script(OLD);
  const { journal, ledger, close } = await opened();
  for (const seq of [1, 9, 10, 40]) {
    expect(await storyOf(ledger, seq)).toMatchObject({
      delivery: { result: String(seq), budget: 'open' },
      attempts: [{ n: 1, outcome: 'sent', endedAt: (100 + seq) * DAY_MS + 9 }],
      history: [{ reason: 'by hand' }],
    });
  }
  expect(await rowsIn('attempts_d140_141')).toEqual([40]);
  expect(await rowsIn('results_rest'), 'the oldest').toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const order = await sql.all('SELECT seq FROM attempts ORDER BY no');
  expect(order.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, i) => 40 - i));
  const recent = await journal.callsSince(138 * DAY_MS);
  expect(recent.map(({ account, startedAt }) => [account, startedAt])).toEqual(
    [140, 139, 138].map((day) => ['telegram:1', day * DAY_MS + 5]),
  );
  await sentOn(journal, 141, { budget: 'of_later' });
  expect(await journal.limits()).toMatchObject([{ key: 'freeze|budget|reply|' }]);
  const first = { afterAccount: '', after: { order: 0, updateId: '' }, max: 9 };
  expect(await journal.incoming.waiting(first)).toMatchObject([
    { order: 9, updateId: '9', at: 1 },
    { order: 10, updateId: '10', at: 2 },
  ]);
  expect(await sql.get('SELECT max(no) AS no FROM attempts')).toEqual({ no: 41 });
  expect(await journal.prune({ endedBefore: 130 * DAY_MS, deadBefore: 0, max: 100 })).toBe(29);
  expect((await daysOf('attempts'))[0]).toBe('attempts_d130_131');
  await close();
});
