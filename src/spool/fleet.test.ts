// Files of a fleet on a real Postgres: received by one node, sent by another.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../store/postgres/cluster.fixture.ts';
import { openPostgresJournal } from '../store/postgres/postgres.ts';
import { SCHEMA } from '../store/postgres/schema/schema.ts';
import { PostgresConnection } from '../system/databases/postgres.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { FleetSpool } from './fleet.ts';
import { BYTES_MAX, type SpoolHarness, spoolContract } from './spool.contract.ts';
import { Spool } from './spool.ts';

const BOT = { account: 'telegram:1', address: '', isStranger: false };

let cluster: Cluster;
const undo: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());
afterEach(async () => {
  for (const each of undo.splice(0)) await each();
});

async function madeDatabase(): Promise<string> {
  await cluster.start();
  const url = await cluster.database();
  await (await openPostgresJournal({ url })).close();
  return url;
}

async function openNode(url: string, dir = mkdtempSync(join(tmpdir(), 'sluice-fleet-'))) {
  const connection = new PostgresConnection({ url, name: 'test', schema: SCHEMA });
  undo.push(() => connection.close());
  const local = await Spool.open({ dir, bytesMax: BYTES_MAX });
  const clock = virtualClock(0);
  const bounds = { bytesMax: BYTES_MAX, unusedSMax: 0 };
  const spool = await FleetSpool.open({ local, connection, clock, ...bounds });
  return { spool, clock, connection, dir };
}

async function openHarness(): Promise<SpoolHarness> {
  const url = await madeDatabase();
  const { spool, clock, connection } = await openNode(url);
  const other = await openNode(url);
  return {
    spool,
    read: (id) => other.spool.read(id),
    age: () => clock.run(clock.now() + 60_000),
    // In the database it is kept for the deliveries that are there.
    async isKept(id) {
      const row = await connection.get('SELECT 1 AS here FROM uploads WHERE id = $1', id);
      return (
        row !== null ||
        text(spool.read(id)).then(
          () => true,
          () => false,
        )
      );
    },
  };
}

spoolContract('in Postgres', openHarness);
spoolContract('files', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-spool-'));
  const spool = await Spool.open({ dir, bytesMax: BYTES_MAX });
  const read = (id: string) => spool.read(id);
  return { spool, read, age: async () => {}, isKept: async (id) => spool.has(id) };
});

const received = async (spool: FleetSpool, content: string) => {
  const file = await spool.receive(Readable.from([Buffer.from(content)]), BOT);
  if (file.kind !== 'kept') throw new Error(file.kind);
  return file.id;
};

test('while the database is away files are received, and are in it when it is back', async () => {
  const url = await madeDatabase();
  const [a, b] = [await openNode(url), await openNode(url)];
  await cluster.kill();
  const ids = [await received(a.spool, 'one'), await received(a.spool, 'two')];
  expect(await text(a.spool.read(ids[0]!)), 'its own').toBe('one');
  await cluster.start();
  await a.spool.ensure([ids[0]!]);
  expect(await text(b.spool.read(ids[0]!))).toBe('one');
  await a.spool.sweep(async () => ids);
  expect(await text(b.spool.read(ids[1]!))).toBe('two');
});

test('what a process left on its disk alone is copied by the next', async () => {
  const url = await madeDatabase();
  const a = await openNode(url);
  await cluster.kill();
  const id = await received(a.spool, 'left');
  await cluster.start();
  const next = await openNode(url, a.dir);
  await next.spool.sweep(async () => [id]);
  const b = await openNode(url);
  expect(await text(b.spool.read(id))).toBe('left');
});

test('a file that is gone or was changed is not sent as if it were whole', async () => {
  const url = await madeDatabase();
  const [a, b] = [await openNode(url), await openNode(url)];
  const id = await received(a.spool, 'abc');
  await a.connection.run(`UPDATE upload_chunks SET bytes = 'abd' WHERE id = $1`, id);
  await expect(text(b.spool.read(id))).rejects.toThrow(/not as it was/);
  await a.connection.run('DELETE FROM uploads');
  await expect(text(b.spool.read(id))).rejects.toThrow(/no longer at hand/);
});

test('a named file stays in the database however old it is', async () => {
  const url = await madeDatabase();
  const { spool, clock, connection } = await openNode(url);
  const [named, other] = [await received(spool, 'a'), await received(spool, 'b')];
  for (const id of [named, other]) spool.unpin(id);
  await connection.run('INSERT INTO spooled (seq, id) VALUES (1, $1)', named);
  await clock.run(clock.now() + 60_000);
  await spool.sweep(async () => [named]);
  const left = await connection.all('SELECT id FROM uploads');
  expect(left).toEqual([{ id: named }]);
});
