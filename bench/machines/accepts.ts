// Durable accepts on Postgres, against the floor: the same rows into a table with the same columns, checks and indexes,
// all that came while the commit before was under way in one statement, and nothing else. And how often a message
// crosses to the database and back on its whole way: accepted, begun, settled.

import type { NewDelivery } from '../../src/domain/delivery.ts';
import type { Owner } from '../../src/store/ports/ownership.ts';
import { startCluster } from '../../src/store/postgres/cluster.fixture.ts';
import { openPostgresJournal, type PostgresJournal } from '../../src/store/postgres/postgres.ts';
import { SCHEMA } from '../../src/store/postgres/schema/schema.ts';
import { PostgresConnection } from '../../src/system/databases/postgres.ts';
import { closedLoop, type Pace } from '../engine/closed-loop.ts';
import { BODY } from '../engine/sample.ts';
import { best, perSecond, type Row, ratioRow } from '../row.ts';

const IN_FLIGHT = 1_000;
const ACCEPTS = 20_000;
const LIVES = 10_000;
const CHATS = 500;
const RUNS = 3;
const ACCOUNT = 'telegram:1';
const BOUNDS = { queueMax: 10_000_000 };
const faster = (a: Pace, b: Pace) => a.count / a.ms > b.count / b.ms;

export async function postgresAccepts(): Promise<Row[]> {
  const cluster = await startCluster({ isDurable: true });
  try {
    const ours = await best(RUNS, async () => accepts(await cluster.database()), faster);
    const raw = await best(RUNS, async () => rawInserts(await cluster.database()), faster);
    const crossings = await roundTrips(await cluster.database());
    return [
      ratioRow(
        'durable accepts, Postgres',
        perSecond(ours.count, ours.ms, 'accepts'),
        perSecond(raw.count, raw.ms, 'raw inserts, same rows'),
        { atLeast: 0.5 },
      ),
      ratioRow(
        'round trips per message, Postgres',
        { text: `${crossings} round trips`, value: crossings },
        { text: `${LIVES} messages accepted, begun, settled`, value: LIVES },
        { atMost: 0.5 },
      ),
    ];
  } finally {
    await cluster.stop();
  }
}

function delivery(i: number): NewDelivery {
  return {
    ...{ account: ACCOUNT, platform: 'telegram', chat: `${i % CHATS}`, method: 'sendMessage' },
    ...{ thread: null, session: null, user: null, correlation: null, slot: null },
    ...{
      family: 'send',
      budget: 'broadcast',
      priority: 'normal',
      cost: 1,
      live: false,
      final: false,
    },
    ...{ notBefore: 0, expiresAt: 0, acceptedAt: 1_700_000_000_000 + i, idempotencyKey: null },
    body: BODY,
  };
}

async function opened<T>(
  url: string,
  work: (journal: PostgresJournal, owner: Owner, commits: () => number) => Promise<T>,
): Promise<T> {
  let commits = 0;
  const written = () => {
    commits += 1;
  };
  const journal = await openPostgresJournal({ url, watch: { now: () => 0, written } });
  const owner = await journal.openAccount(ACCOUNT);
  try {
    return await work(journal, owner, () => commits);
  } finally {
    await journal.close();
  }
}

function accepts(url: string): Promise<Pace> {
  return opened(url, (journal, owner) => {
    const one = (i: number) => journal.append(owner, delivery(i), BOUNDS).durable;
    return warmed((total) => closedLoop(IN_FLIGHT, total, one));
  });
}

function roundTrips(url: string): Promise<number> {
  return opened(url, async (journal, owner, commits) => {
    const before = commits();
    await closedLoop(IN_FLIGHT, LIVES, async (i) => {
      const appended = await journal.append(owner, delivery(i), BOUNDS).durable;
      if (appended.kind !== 'accepted') throw new Error(appended.kind);
      const { seq } = appended.queued;
      const begun = await journal.begin(owner, seq, i);
      if (begun.kind !== 'begun') throw new Error(begun.kind);
      const end = { seq, n: begun.n, endedAt: i, outcome: 'sent', to: 'sent' } as const;
      const nothing = { reason: null, detail: null, retryAfterMs: null, cure: null, result: null };
      const rest = { dueAt: 0, failed: false, doubted: false, messageId: `${seq}`, limits: [] };
      await journal.settle(owner, { ...end, ...nothing, ...rest });
    });
    return commits() - before;
  });
}

// The first rounds are not counted: plans are made, and the heap finds its size.
async function warmed(loop: (total: number) => Promise<Pace>): Promise<Pace> {
  await loop(ACCEPTS / 4);
  return loop(ACCEPTS);
}

const RAW = `INSERT INTO raw (seq, account, platform, chat, method, family, budget, priority, cost, live, final,
    enter_at, rank, due_at, expires_at, accepted_at, state, attempts, failures, doubts, cures, held, body)
  SELECT seq, '${ACCOUNT}', 'telegram', chat, 'sendMessage', 'send', 'broadcast', 2, 1, false, false,
    1.7e12 + seq, seq, 0, 0, 1.7e12 + seq, 'queued', 0, 0, 0, '{}', 0, body
  FROM unnest($1::bigint[], $2::text[], $3::text[]) AS given(seq, chat, body)`;

async function rawInserts(url: string): Promise<Pace> {
  await (await openPostgresJournal({ url })).close();
  const sql = new PostgresConnection({ url, name: 'bench', schema: SCHEMA });
  await sql.script('CREATE TABLE raw (LIKE deliveries INCLUDING ALL)');
  let waiting: { seq: number; chat: string; done: () => void }[] = [];
  let isBusy = false;
  const commit = async () => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const [seqs, chats] = [batch.map(({ seq }) => seq), batch.map(({ chat }) => chat)];
      await sql.run(RAW, seqs, chats, Array(batch.length).fill(BODY));
      for (const { done } of batch) done();
    }
    isBusy = false;
  };
  let seq = 0;
  const one = (i: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    seq += 1;
    waiting.push({ seq, chat: `${i % CHATS}`, done: resolve });
    if (!isBusy) {
      isBusy = true;
      setImmediate(() => void commit());
    }
    return promise;
  };
  try {
    return await warmed((total) => closedLoop(IN_FLIGHT, total, one));
  } finally {
    await sql.close();
  }
}
