import { afterAll, beforeAll } from 'vitest';
import { journalContract } from '../contract/journal.contract.ts';
import { type Cluster, startCluster } from './cluster.fixture.ts';
import { openHarness } from './postgres.fixture.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

journalContract('postgres', async () => openHarness(await cluster.database()));
