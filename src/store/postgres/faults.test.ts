// What is Postgres's own: nodes with connections of their own, connections that are lost, texts that it cannot hold,
// and nodes that start together.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AccountId } from '../../domain/ids.ts';
import { PostgresConnection } from '../../system/databases/postgres.ts';
import { float8Array, int8Array, textArray } from '../../system/databases/postgres-arrays.ts';
import { aDelivery, aSettlement, ROOM } from '../contract/journal.fixture.ts';
import { FIRST_EPOCH, NOT_OWNER } from '../ports/ownership.ts';
import { CommandRefused, JournalUnavailable } from '../ports/unavailable.ts';
import { type Cluster, startCluster } from './cluster.fixture.ts';
import { openPostgresLedger } from './ledger/ledger.ts';
import { openPostgresJournal, type PostgresJournal } from './postgres.ts';
import { SCHEMA } from './schema/schema.ts';

const ACCOUNT: AccountId = 'telegram:1';
const EMBEDDED_OWNER = { account: ACCOUNT, epoch: FIRST_EPOCH };

let cluster: Cluster;
let url: string;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  url = await cluster.database();
});

async function using(
  nodes: readonly string[],
  work: (...journals: PostgresJournal[]) => Promise<void>,
): Promise<void> {
  const journals = await Promise.all(nodes.map((node) => openPostgresJournal({ url, node })));
  try {
    await work(...journals);
  } finally {
    await Promise.all(journals.map((journal) => journal.close()));
  }
}

async function asAdmin<T>(work: (sql: PostgresConnection) => Promise<T>): Promise<T> {
  const sql = new PostgresConnection({ url, name: 'test', schema: SCHEMA });
  try {
    return await work(sql);
  } finally {
    await sql.close();
  }
}

test('nodes that start together on an empty database make one store', async () => {
  await using(['a', 'b', 'c'], async (...journals) => {
    expect(new Set(journals.map(({ tag }) => tag)).size).toBe(1);
  });
});

test('a take-over waits for what is under way, and nothing of the former owner comes after it', async () => {
  await using(['a', 'b'], async (a, b) => {
    const before = await a!.openAccount(ACCOUNT);
    const appending = Array.from(
      { length: 50 },
      () => a!.append(before, aDelivery(), ROOM).durable,
    );
    const owner = await b!.openAccount(ACCOUNT);
    const seen: number[] = [];
    for await (const page of b!.recover([owner]))
      for (const one of page) if (one.kind === 'queued') seen.push(one.queued.seq);
    const accepted = (await Promise.all(appending)).filter(({ kind }) => kind === 'accepted');
    expect(accepted).toHaveLength(seen.length);
    expect(await a!.append(before, aDelivery(), ROOM).durable).toEqual(NOT_OWNER);
    expect(await a!.settle(before, aSettlement({ seq: 1 }))).toEqual(NOT_OWNER);
  });
});

const aStream = (text: string) => ({
  ...{ id: 's', account: ACCOUNT, endedAt: null, record: '{}' },
  text,
});

test('a save of a stream that waits for a take-over under way is refused', async () => {
  await using(['a', 'b'], async (a, b) => {
    const before = await a!.openAccount(ACCOUNT);
    await a!.streams.save(before, aStream('before'));
    const saved = await asAdmin((sql) =>
      sql.transaction('SELECT 1', async (taking) => {
        await taking.run(`UPDATE owners SET node = 'b', epoch = epoch + 1`);
        const late = a!.streams.save(before, aStream('late'));
        const waits = `SELECT 1 AS waits FROM pg_stat_activity
          WHERE application_name LIKE 'sluice%' AND wait_event_type = 'Lock'`;
        let isOver = false;
        void late.finally(() => {
          isOver = true;
        });
        while (!isOver && (await asAdmin((other) => other.get(waits))) === null);
        return { late };
      }),
    );
    expect(await saved.late).toEqual(NOT_OWNER);
    expect(await b!.streams.get('s')).toEqual(aStream('before'));
    expect(await b!.openAccount(ACCOUNT)).toMatchObject({ epoch: before.epoch + 1 });
  });
});

test('the calls of an account are those that were written before, also what is under way', async () => {
  await using(['a'], async (a) => {
    const owner = await a!.openAccount(ACCOUNT);
    const reading = await asAdmin((sql) =>
      sql.transaction('SELECT 1', async (other) => {
        // The append waits until this is over.
        await other.run('UPDATE owners SET epoch = epoch');
        const begun = a!.append(owner, aDelivery(), { ...ROOM, beginAt: 5 }).durable;
        const calls = a!.callsSince([ACCOUNT], 0);
        await other.run('SELECT 1');
        return { begun, calls };
      }),
    );
    expect(await reading.calls).toMatchObject([{ startedAt: 5 }]);
    expect(await reading.begun).toMatchObject({ kind: 'accepted' });
  });
});

test('whoever owns it in the end, the text of a stream is theirs', async () => {
  await using(['a', 'b'], async (...nodes) => {
    for (let round = 0; round < 20; round += 1) {
      const [old, next] = round % 2 === 0 ? nodes : nodes.toReversed();
      const before = await old!.openAccount(ACCOUNT);
      const saves = Array.from({ length: 5 }, (_, i) =>
        old!.streams.save(before, aStream(`${round}, late ${i}`)),
      );
      const taking = next!.openAccount(ACCOUNT);
      saves.push(old!.streams.save(before, aStream(`${round}, last`)));
      const owner = await taking;
      const found = await next!.streams.get('s');
      await Promise.all(saves);
      expect(await next!.streams.get('s')).toEqual(found);
      expect(await next!.streams.save(owner, aStream(`${round}`))).toEqual({ kind: 'kept' });
      expect(await old!.streams.save(before, aStream('too late'))).toEqual(NOT_OWNER);
      expect(await old!.streams.get('s')).toEqual(aStream(`${round}`));
    }
  });
});

test('two nodes write at once, each its own accounts, and every number is given once', async () => {
  await using(['a', 'b'], async (...journals) => {
    const all = await Promise.all(
      journals.map(async (journal, i) => {
        const account: AccountId = `telegram:${i}`;
        const owner = await journal.openAccount(account);
        const many = Array.from(
          { length: 100 },
          () => journal.append(owner, aDelivery({ account }), ROOM).durable,
        );
        return Promise.all(many);
      }),
    );
    const queued = all.flat().map((one) => (one.kind === 'accepted' ? one.queued : null));
    expect(new Set(queued.map((one) => one?.seq)).size).toBe(200);
    for (const i of [0, 1]) {
      const own = queued.filter((one) => one?.account === `telegram:${i}`);
      expect(own.map((one) => one?.rank)).toEqual(own.map((_, k) => k + 1));
    }
  });
});

test('what is not text to Postgres is kept as far as it goes, and troubles nobody else', async () => {
  await using([''], async (journal) => {
    const odd = { chat: 'a\0b', correlation: 'half \ud800 pair', body: '{"text":"\\u0000"}' };
    const appended = await Promise.all([
      journal!.append(EMBEDDED_OWNER, aDelivery(), ROOM).durable,
      journal!.append(EMBEDDED_OWNER, aDelivery(odd), ROOM).durable,
      journal!.append(EMBEDDED_OWNER, aDelivery({ chat: 'x\0' }), ROOM).durable,
    ]);
    expect(appended.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(await journal!.begin(EMBEDDED_OWNER, 2, 2_000)).toMatchObject({ body: odd.body });
    const ledger = openPostgresLedger({ url, tag: journal!.tag });
    expect(await ledger.getMany([2, 3])).toMatchObject([
      { chat: 'a\ufffdb', correlation: 'half \ufffd pair', damaged: false },
      { chat: 'x\ufffd', damaged: false },
    ]);
    await ledger.close();
  });
});

test('an array that goes over the wire as bytes is read as what it was', async () => {
  const texts = ['', 'plain', 'ü €', '😀', '{"a,b\\"}', 'a\0b', 'half \ud800', null];
  const whole = [0, 1, -1, 2 ** 31, 2 ** 32, -(2 ** 33) - 5, Number.MAX_SAFE_INTEGER];
  const real = [0, -1.5, null, 1e300, 1_700_000_000_000.25];
  const arrays = [textArray(texts), int8Array(whole), float8Array(real), textArray([])];
  await asAdmin(async (sql) => {
    const row = await sql.get(
      'SELECT to_json($1::text[]) t, to_json($2::bigint[]) n, to_json($3::float8[]) f, $4::text[] e',
      ...arrays,
    );
    const kept = texts.with(5, 'a\ufffdb').with(6, 'half \ufffd');
    expect(row).toEqual({ t: kept, n: whole, f: real, e: [] });
  });
});

test('a command that the server refuses ends alone, and those with it are taken', async () => {
  await using([''], async (journal) => {
    const impossible = aDelivery({ cost: -1 });
    const told = await Promise.allSettled([
      journal!.append(EMBEDDED_OWNER, aDelivery(), ROOM).durable,
      journal!.append(EMBEDDED_OWNER, impossible, ROOM).durable,
      journal!.append(EMBEDDED_OWNER, aDelivery(), ROOM).durable,
    ]);
    expect(told).toMatchObject([
      { status: 'fulfilled', value: { kind: 'accepted' } },
      { status: 'rejected', reason: { code: 'journal_failed' } },
      { status: 'fulfilled', value: { kind: 'accepted' } },
    ]);
  });
});

test('an id that no index takes ends alone, and those settled with it are kept', async () => {
  await using([''], async (journal) => {
    const begun = [];
    for (let n = 0; n < 3; n += 1) begun.push(await delivering(journal!));
    // What a text repeats takes no room.
    const long = randomBytes(10_000).toString('hex');
    const told = await Promise.allSettled(
      begun.map((seq, n) =>
        journal!.settle(
          EMBEDDED_OWNER,
          aSettlement({ seq, to: 'sent', outcome: 'sent', messageId: n === 1 ? long : String(n) }),
        ),
      ),
    );
    expect(told).toMatchObject([
      { status: 'fulfilled', value: { kind: 'settled', state: 'sent' } },
      { status: 'rejected', reason: expect.any(CommandRefused) },
      { status: 'fulfilled', value: { kind: 'settled', state: 'sent' } },
    ]);
    const again = aSettlement({ seq: begun[1]!, to: 'sent', outcome: 'sent', messageId: null });
    expect(await journal!.settle(EMBEDDED_OWNER, again)).toMatchObject({ state: 'sent' });
  });
});

async function delivering(journal: PostgresJournal): Promise<number> {
  const appended = await journal.append(EMBEDDED_OWNER, aDelivery(), ROOM).durable;
  if (appended.kind !== 'accepted') throw new Error(appended.kind);
  const { seq } = appended.queued;
  await journal.begin(EMBEDDED_OWNER, seq, 1);
  return seq;
}

test('a connection that is cut is made again', async () => {
  await using([''], async (journal) => {
    await journal!.append(EMBEDDED_OWNER, aDelivery(), ROOM).durable;
    const cut = () =>
      asAdmin((sql) =>
        sql.all(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name LIKE 'sluice%' AND datname = current_database()`),
      );
    await cut();
    // Whether the cut was noticed before is a matter of chance.
    const first = await journal!
      .append(EMBEDDED_OWNER, aDelivery(), ROOM)
      .durable.catch((error: unknown) => error);
    if (first instanceof Error) expect(first).toBeInstanceOf(JournalUnavailable);
    expect(await journal!.append(EMBEDDED_OWNER, aDelivery(), ROOM).durable).toMatchObject({
      kind: 'accepted',
    });
    await journal!.limits([ACCOUNT]).catch(() => {});
    expect(await journal!.knownAccounts()).toEqual([ACCOUNT]);
  });
});

test('an address where nobody listens is told without its password', async () => {
  const away = 'postgres://user:hidden-password@127.0.0.1:1/none';
  const error = await openPostgresJournal({ url: away }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'JournalOpenError', code: 'unreachable' });
  expect(String(error)).not.toContain('hidden-password');
});

interface Proxy {
  readonly url: string;
  // Whatever the server says next is lost, and the connection with it.
  loseNext(): void;
  // From this statement on the store neither hears nor says anything on that connection: done when the server has it.
  standStillAt(statement: string): Promise<void>;
  close(): void;
}

// Between the store and the server.
async function openProxy(): Promise<Proxy> {
  let isLosing = false;
  let still: string | null = null;
  const stands = Promise.withResolvers<void>();
  const socketOf = join(cluster.dir, '.s.PGSQL.5432');
  const server = createServer((client) => {
    const upstream = createConnection(socketOf);
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    let isStill = false;
    client.on('data', (chunk) => {
      if (!isStill) upstream.write(chunk);
      isStill ||= still !== null && chunk.includes(still);
    });
    upstream.on('data', (chunk) => {
      if (isStill) return stands.resolve();
      if (!isLosing) return void client.write(chunk);
      isLosing = false;
      end();
    });
    for (const side of [client, upstream]) side.on('error', end).on('close', end);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const { pathname } = new URL(url);
  return {
    url: `postgres://sluice@127.0.0.1:${port}${pathname}`,
    loseNext() {
      isLosing = true;
    },
    standStillAt(statement) {
      still = statement;
      return stands.promise;
    },
    close: () => void server.close(),
  };
}

test('an answer that is lost with its connection is found again, and nothing is done twice', async () => {
  const proxy = await openProxy();
  const journal = await openPostgresJournal({ url: proxy.url });
  await journal.append(EMBEDDED_OWNER, aDelivery(), ROOM).durable;
  proxy.loseNext();
  const told = await journal.append(EMBEDDED_OWNER, aDelivery(), ROOM).durable;
  expect(told).toMatchObject({ kind: 'accepted', queued: { seq: 2, rank: 2 } });
  const next = await journal.append(EMBEDDED_OWNER, aDelivery(), ROOM).durable;
  expect(next).toMatchObject({ kind: 'accepted', queued: { seq: 3, rank: 3 } });
  await journal.close();
  proxy.close();
});

test('a node that stands still in the middle of a transaction does not hold the others for ever', async () => {
  const proxy = await openProxy();
  const frozen = await openPostgresJournal({ url: proxy.url, node: 'a' });
  const other = await openPostgresJournal({ url, node: 'b' });
  const stands = proxy.standStillAt('pg_advisory_xact_lock');
  const lost = frozen.broadcasts.list({ before: null, max: 1 }).catch((error: unknown) => error);
  await stands;
  expect(await other.broadcasts.list({ before: null, max: 1 })).toEqual([]);
  expect(await lost).toBeInstanceOf(JournalUnavailable);
  await Promise.all([frozen.close(), other.close()]);
  proxy.close();
});

test('a batch whose connection is cut before its commit is written once', async () => {
  await using([''], async (journal) => {
    await journal!.append(EMBEDDED_OWNER, aDelivery(), ROOM).durable;
    const appending = await asAdmin((sql) =>
      // While its account is locked the batch waits in the server, and is cut there.
      sql.transaction('SELECT 1 FROM owners FOR UPDATE', async (held) => {
        const append = journal!.append(EMBEDDED_OWNER, aDelivery(), ROOM).durable;
        const waits = `SELECT pg_terminate_backend(pid) AS cut FROM pg_stat_activity
          WHERE application_name = 'sluice' AND wait_event_type = 'Lock'`;
        while ((await asAdmin((other) => other.get(waits))) === null);
        await held.get('SELECT 1');
        return { append };
      }),
    );
    expect(await appending.append).toMatchObject({ kind: 'accepted', queued: { rank: 2 } });
    const alive: number[] = [];
    for await (const page of journal!.recover([EMBEDDED_OWNER]))
      for (const one of page) {
        if (one.kind === 'queued') alive.push(one.queued.rank);
      }
    expect(alive).toEqual([1, 2]);
  });
});
