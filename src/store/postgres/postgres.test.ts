import { afterAll, beforeAll } from 'vitest';
import { journalContract } from '../contract/journal.contract.ts';
import { type Cluster, startCluster } from './cluster.fixture.ts';
import { openHarness } from './postgres.fixture.ts';

let cluster: Cluster;
let url: string;
beforeAll(async () => {
  cluster = await startCluster();
  url = await cluster.database();
});
afterAll(() => cluster.stop());

journalContract('postgres', () => openHarness(url));
