import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../store/postgres/cluster.fixture.ts';
import { openPostgresJournal } from '../store/postgres/postgres.ts';
import { SCHEMA } from '../store/postgres/schema/schema.ts';
import { systemClock } from '../system/clock.ts';
import { PostgresConnection } from '../system/databases/postgres.ts';
import { aNode, coordinationContract, hearing, namesOf } from './coordination.contract.ts';
import { PostgresCoordination } from './postgres.ts';

const LONG_MS = 60_000;
const PATIENT_MS = 10_000;

let cluster: Cluster;
let url: string;
let admin: PostgresConnection;
beforeAll(async () => {
  cluster = await startCluster();
  url = await cluster.database();
  await (await openPostgresJournal({ url })).close();
  admin = new PostgresConnection({ url, name: 'test', schema: SCHEMA });
});
afterAll(async () => {
  await admin.close();
  await cluster.stop();
});
beforeEach(() => admin.script('TRUNCATE nodes, fleet_leases'));

const opened = (callMsMax = PATIENT_MS) =>
  new PostgresCoordination({ url, schema: SCHEMA, clock: systemClock(), callMsMax });

coordinationContract('postgres', () => ({
  handle: opened,
  async garbage(text) {
    await admin.get(`SELECT pg_notify('sluice_bus', $1)`, text);
  },
  async silence() {
    const released = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const done = admin.transaction('LOCK TABLE nodes, fleet_leases', async () => {
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
    return () => {
      released.resolve();
      return done;
    };
  },
}));

test('who only listens hears again after its connection was cut', async () => {
  const [listener, speaker] = [opened(), opened()];
  const heard = await hearing(listener, 'news');
  const cut = await admin.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'sluice coordination'`);
  expect(cut).toBeGreaterThan(0);
  await expect
    .poll(async () => {
      await speaker.publish('news', 'again').catch(() => {});
      return heard;
    })
    .toContain('again');
  await Promise.all([listener.close(), speaker.close()]);
});

test('rows of nodes that are long gone are removed by whoever joins', async () => {
  const [a, b] = [opened(), opened()];
  await a.join(aNode('gone'), LONG_MS);
  await admin.run(`UPDATE nodes SET expires_at = now() - interval '2 minutes'`);
  await b.join(aNode('amy'), LONG_MS);
  expect(await admin.all('SELECT name FROM nodes')).toEqual([{ name: 'amy' }]);
  expect(await namesOf(a)).toEqual(['amy']);
  await Promise.all([a.close(), b.close()]);
});

test('many who join at once after a long pause do not wait for each other for ever', async () => {
  const nodes = Array.from({ length: 8 }, (_, i) => ({ at: opened(), node: aNode(`n${i}`) }));
  const joinAll = () => Promise.all(nodes.map(({ at, node }) => at.join(node, LONG_MS)));
  for (let i = 0; i < 5; i++) {
    await joinAll();
    await admin.run(`UPDATE nodes SET expires_at = now() - interval '2 minutes'`);
  }
  await joinAll();
  expect(await nodes[0]!.at.members()).toHaveLength(8);
  await Promise.all(nodes.map(({ at }) => at.close()));
});
