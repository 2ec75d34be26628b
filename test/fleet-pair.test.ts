// Two real nodes that may keep two accounts, on one Postgres.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aDelivery } from '../src/domain/delivery.fixture.ts';
import { type Cluster, startCluster } from '../src/store/postgres/cluster.fixture.ts';
import { SpillLog } from '../src/store/spill/spill-log.ts';
import { FLEET_SECRETS, FleetProcesses } from './process/fleet.ts';
import { GatewayProcess } from './process/gateway.ts';
import { until } from './process/look.ts';
import { accountOf, tokenOf } from './trial/load.ts';

const MINUTES = 60_000;
const LATER_MS = 3_600_000;
const NEWCOMERS = 10;

let cluster: Cluster;
let databaseUrl: string;
let fleet: FleetProcesses;
beforeAll(async () => {
  cluster = await startCluster();
  databaseUrl = await cluster.database();
  fleet = await FleetProcesses.start({ nodes: 2, databaseUrl, flags: ['--accounts-max', '2'] });
}, 2 * MINUTES);
afterAll(async () => {
  await fleet.stop();
  await cluster.stop();
});

const put = (node: GatewayProcess, account: number, more: object = {}) => {
  const to = { platform: 'telegram', account: tokenOf(account), chat: 7 };
  return node.ask('POST', '/v1/messages', { to, body: { text: 'hello' }, ...more });
};

test('a node with another secret does not start, also where no token could tell', async () => {
  const secrets = {
    ...FLEET_SECRETS,
    SLUICE_SECRET: 'a secret that is long enough and of nobody else',
  };
  const env = { ...secrets, SLUICE_DATABASE_URL: databaseUrl, SLUICE_NODE: 'node-3' };
  const stranger = new GatewayProcess(fleet.sim.url, [], env);
  try {
    await expect(stranger.start()).rejects.toThrow(/SLUICE_SECRET is not that of the other nodes/);
  } finally {
    stranger.remove();
  }
});

test('an account for which something waits at its owner never gives way, whichever node needs room', async () => {
  const [first, second] = fleet.nodes as [GatewayProcess, GatewayProcess];
  const notBefore = new Date(Date.now() + LATER_MS).toISOString();
  const waiting: string[] = [];
  for (const account of [0, 1]) {
    const { status, body } = await put(first, account, { notBefore });
    expect(status).toBe(202);
    waiting.push(`/v1/messages/${body.id}`);
  }
  // Some of them would be the first node's, some the second's.
  for (let n = 0; n < NEWCOMERS; n++) {
    const answer = await put(fleet.nodes[n % 2]!, 10 + n);
    expect(answer).toMatchObject({ status: 503, body: { code: 'accounts_full' } });
  }
  for (const path of waiting) {
    expect((await second.ask('GET', path)).body).toMatchObject({ state: 'queued' });
  }
  // One that nothing waits for any more gives way to who comes to its owner, whichever node that is.
  expect((await first.ask('DELETE', waiting[0]!)).status).toBe(200);
  let n = 20;
  while ((await put(fleet.nodes[n % 2]!, n)).status === 503) n += 1;
  expect((await second.ask('GET', waiting[1]!)).body).toMatchObject({ state: 'queued' });
  const accounts = (await first.ask('GET', '/v1/accounts')).body.accounts as { id: string }[];
  expect(accounts.map(({ id }) => id)).toContain(accountOf(1));
});

test('what is frozen and who waits longest is known at both nodes, whichever owns the account', async () => {
  const [first] = fleet.nodes as [GatewayProcess];
  const { accounts } = (await first.ask('GET', '/v1/accounts')).body as {
    accounts: { id: string }[];
  };
  const ids = accounts.map(({ id }) => id);
  for (const account of ids) {
    const freeze = { account, chat: '8', seconds: 600 };
    expect((await first.ask('POST', '/v1/limits/freeze', freeze)).status).toBe(200);
    const to = { account, chat: 8 };
    await first.ask('POST', '/v1/messages', { to, body: { text: 'later' } });
  }
  const frozen = async (node: GatewayProcess, query = '') => {
    const { body } = await node.ask('GET', `/v1/limits?frozen=true${query}`);
    const { limits, total, more } = body as { limits: { account: string }[] } & typeof body;
    return { all: limits.map(({ account }) => account), total, more };
  };
  for (const node of fleet.nodes) {
    const { all, total } = await frozen(node);
    expect(all.toSorted()).toEqual(ids.toSorted());
    expect(total).toBe(ids.length);
    const pages = [await frozen(node, '&limit=1'), await frozen(node, '&limit=1&offset=1')];
    expect(pages.flatMap((page) => page.all).toSorted()).toEqual(ids.toSorted());
    expect(pages.map(({ more }) => more)).toEqual([1, 0]);
    const oldest = async () =>
      ((await node.ask('GET', '/v1/overview')).body.oldest as { account: string }[]).map(
        ({ account }) => account,
      );
    await until(oldest, (found) => ids.every((id) => found.includes(id)));
  }
});

test('a node that becomes one process does not start while its spill holds what it accepted', async () => {
  const single = new GatewayProcess(fleet.sim.url, [], FLEET_SECRETS);
  const dir = join(single.data, 'spill');
  mkdirSync(dir, { recursive: true });
  const spill = new SpillLog(dir, null);
  await spill.append({ kind: 'append', n: 1, seq: 1, delivery: aDelivery() });
  await spill.close();
  try {
    await expect(single.start()).rejects.toThrow(
      /spill\.log holds 1 records that this node accepted/,
    );
    rmSync(dir, { recursive: true });
    await single.start();
    await single.end('SIGKILL');
  } finally {
    single.remove();
  }
});
