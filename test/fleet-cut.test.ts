// Nodes that are cut from each other, or from the database, in network namespaces of their own: never do two pace one
// account. Skipped, with a line, where namespaces are not to be had.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../src/store/postgres/cluster.fixture.ts';
import { FleetProcesses } from './process/fleet.ts';
import { openMachines } from './trial/namespaces.ts';
import { playScenario, SCENARIOS } from './trial/scenarios.ts';

const MINUTES = 60_000;
const NODES = 2;
const STAGE = {
  size: { accounts: 4, chats: 1, betweenMs: 1_200 },
  awayMs: 6_000,
  times: 1,
  takeOverMsMax: 10_000,
  say: () => {},
};

const machines = openMachines(NODES);
if (machines === null) {
  console.error('network namespaces are not to be had here: nodes are not cut from each other');
}
let cluster: Cluster;
let databaseUrl: string;
let fleet: FleetProcesses;
beforeAll(async () => {
  if (machines === null) return;
  cluster = await startCluster({ host: machines.back });
  databaseUrl = await cluster.database(machines.back);
  const flags = ['--retry-max-ms', '1000'];
  fleet = await FleetProcesses.start({ nodes: NODES, databaseUrl, flags, network: machines });
}, 2 * MINUTES);
afterAll(async () => {
  await fleet?.stop();
  await cluster?.stop();
  machines?.remove();
});

test.skipIf(machines === null).each(['peers-cut', 'one-cut-off'])(
  '%s',
  { timeout: 3 * MINUTES },
  async (name) => {
    const scenario = SCENARIOS.find((each) => each.name === name)!;
    const stage = { ...STAGE, cluster, redis: null, fleet, machines, databaseUrl };
    expect(await playScenario(stage, scenario)).toMatchObject({ faults: [] });
  },
);
