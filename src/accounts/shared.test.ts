// Accounts that two nodes have, on a real Postgres: what one changes another does not undo, which has not heard of it.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../store/postgres/cluster.fixture.ts';
import { openPostgresJournal } from '../store/postgres/postgres.ts';
import { world } from './accounts.fixture.ts';
import { Accounts } from './accounts.ts';

const ACCOUNT = 'telegram:1';

let cluster: Cluster;
let nodes: Accounts[];
let others: () => Promise<Accounts>;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  const url = await cluster.database();
  const journals = await Promise.all(
    ['a', 'b', 'c'].map((node) => openPostgresJournal({ url, node })),
  );
  const opened = (i: number) => {
    const journal = journals[i]!;
    return Accounts.open({ ...world().options, journal, shared: journal.sharedAccounts });
  };
  const first = await opened(0);
  await first.identify('telegram', '1:old');
  nodes = [first, await opened(1)];
  // What the store says.
  others = () => opened(2);
  return () => Promise.all(journals.map((journal) => journal.close()));
});

test('a pause stays while another node finds its token refused, or is brought a new one', async () => {
  const [here, there] = nodes as [Accounts, Accounts];
  await here.setPaused(ACCOUNT, true);
  await there.setRefused(ACCOUNT, 'unauthorized');
  expect((await others()).stateOf(ACCOUNT)).toEqual({ paused: true, refused: 'unauthorized' });
  await there.identify('telegram', '1:new');
  expect((await others()).stateOf(ACCOUNT)).toEqual({ paused: true, refused: null });
});

test('a new token stays, and is not refused, while another node knows the old one', async () => {
  const [here, there] = nodes as [Accounts, Accounts];
  await here.identify('telegram', '1:new');
  await there.setRefused(ACCOUNT, 'unauthorized');
  await there.setPaused(ACCOUNT, true);
  const found = await others();
  expect(found.credentialOf(ACCOUNT)).toBe('1:new');
  expect(found.stateOf(ACCOUNT)).toEqual({ paused: true, refused: null });
  await there.reload();
  expect(there.credentialOf(ACCOUNT)).toBe('1:new');
  expect(there.stateOf(ACCOUNT)).toEqual({ paused: true, refused: null });
});

test('one that was removed does not come back by what another node finds out of it', async () => {
  const [here, there] = nodes as [Accounts, Accounts];
  await here.remove(ACCOUNT);
  await there.setRefused(ACCOUNT, 'unauthorized');
  await there.setPaused(ACCOUNT, true);
  expect((await others()).list()).toEqual([]);
});
