// The page of one node of a fleet in a real browser: it shows all of them, and which does not live any more.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../src/store/postgres/cluster.fixture.ts';
import { openBrowser, Visitor } from './page/browser.ts';
import { FLEET_KEY, FleetProcesses } from './process/fleet.ts';

const STARTED_WITHIN_MS = 120_000;

let cluster: Cluster;
let fleet: FleetProcesses;
let browser: Browser;
beforeAll(async () => {
  [cluster, browser] = await Promise.all([startCluster(), openBrowser()]);
  fleet = await FleetProcesses.start({ nodes: 2, databaseUrl: await cluster.database() });
}, STARTED_WITHIN_MS);
afterAll(async () => {
  await browser?.close();
  await fleet?.stop();
  await cluster?.stop();
});

test('the gateway’s screen lists the nodes, says which one answers, and forgets one that was killed', async () => {
  const visitor = await Visitor.come(browser, fleet.nodes[0]!.url);
  await visitor.signIn(FLEET_KEY);
  await visitor.see('gateway');
  const rows = visitor.page.locator('section', { hasText: 'Nodes' }).locator('tbody tr');
  const row = (name: string) => rows.filter({ hasText: name });
  await row('node-1').getByText('(this one)').waitFor();
  await row('node-2').getByText('ready').waitFor();
  expect(await row('node-2').textContent()).not.toContain('(this one)');
  await fleet.nodes[1]!.end('SIGKILL');
  await row('node-2').waitFor({ state: 'detached' });
  await row('node-1').getByText('ready').waitFor();
  expect(visitor.errors).toEqual([]);
});
