// Three real nodes on one Postgres and one Redis, through what may happen to either; the long forms are played by
// `npm run fleet -- trial`.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RedisServer, startRedisServer } from '../src/cluster/redis.fixture.ts';
import { type Cluster, startCluster } from '../src/store/postgres/cluster.fixture.ts';
import { FleetProcesses } from './process/fleet.ts';
import { playScenario, SCENARIOS } from './trial/scenarios.ts';

const MINUTES = 60_000;
const STAGE = {
  size: { accounts: 6, chats: 1, betweenMs: 1_200 },
  awayMs: 5_000,
  times: 2,
  // That it takes three seconds is for a quiet machine to show.
  takeOverMsMax: 10_000,
  say: () => {},
};

let cluster: Cluster;
let redis: RedisServer;
let databaseUrl: string;
let fleet: FleetProcesses;
beforeAll(async () => {
  [cluster, redis] = await Promise.all([startCluster(), startRedisServer()]);
  databaseUrl = await cluster.database();
  const flags = ['--retry-max-ms', '1000'];
  fleet = await FleetProcesses.start({ nodes: 3, databaseUrl, redisUrl: redis.url, flags });
}, 2 * MINUTES);
afterAll(async () => {
  await fleet.stop();
  await redis.stop();
  await cluster.stop();
});

test.each([
  'kills',
  'database-paused',
  'database-cut',
  'redis-paused',
  'redis-emptied',
  'both-killed',
])('%s', async (name) => {
  const scenario = SCENARIOS.find((each) => each.name === name)!;
  const stage = { ...STAGE, cluster, redis, fleet, machines: null, databaseUrl };
  expect(await playScenario(stage, scenario)).toMatchObject({ faults: [] });
});
