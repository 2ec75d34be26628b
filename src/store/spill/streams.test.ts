// Streams of a node that took accounts while the database was away, and so knows no epoch of theirs.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { NO_EPOCH, NOT_OWNER } from '../ports/ownership.ts';
import { JournalUnavailable } from '../ports/unavailable.ts';
import { type Cluster, startCluster } from '../postgres/cluster.fixture.ts';
import { openPostgresJournal, PostgresJournal } from '../postgres/postgres.ts';
import { openNode, spillFolder } from './spill.fixture.ts';
import type { StoreBehind } from './store.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
  await cluster.start();
});
afterAll(() => cluster.stop());

test('are its own when the database is back, unless another has the account by then', async () => {
  const url = await cluster.database();
  const node = await openNode({ url, dir: spillFolder() });
  const { store } = node;
  await cluster.kill();
  const [mine, theirs] = [await store.openAccount('a:1'), await store.openAccount('a:2')];
  expect([mine.epoch, theirs.epoch]).toEqual([NO_EPOCH, NO_EPOCH]);
  const aStream = (account: 'a:1' | 'a:2') => ({
    ...{ id: `s of ${account}`, account, endedAt: null, text: 't', record: '{}' },
  });
  const saving = store.streams.save(mine, aStream('a:1'));
  await expect(saving).rejects.toBeInstanceOf(JournalUnavailable);
  await cluster.start();
  const other = await openPostgresJournal({ url, node: 'other' });
  const taken = await other.openAccount('a:2');
  await node.direct();
  expect(await store.streams.save(mine, aStream('a:1'))).toEqual({ kind: 'kept' });
  expect(await store.streams.save(theirs, aStream('a:2'))).toEqual(NOT_OWNER);
  expect(await other.streams.save(taken, aStream('a:2'))).toEqual({ kind: 'kept' });
  // Of what nobody opened here, it knows nothing.
  const unopened = { account: 'a:3', epoch: NO_EPOCH } as const;
  const stream = { ...aStream('a:1'), id: 's', account: unopened.account };
  expect(await store.streams.save(unopened, stream)).toEqual(NOT_OWNER);
  await other.close();
  await node.close();
});

test('are not refused while the node thinks that the database is away', async () => {
  const url = await cluster.database();
  let isAway = true;
  const around = (store: StoreBehind): StoreBehind => {
    const openAccount: typeof store.openAccount = async (account) => {
      if (isAway) throw new JournalUnavailable('journal_failed', 'away');
      return PostgresJournal.prototype.openAccount.call(store, account);
    };
    return Object.assign(store, { openAccount });
  };
  const node = await openNode({ url, dir: spillFolder(), around });
  const owner = await node.store.openAccount('a:1');
  const stream = { id: 's', account: owner.account, endedAt: null, text: 't', record: '{}' };
  expect(node.store.standing.mode).toBe('away');
  const saving = node.store.streams.save(owner, stream);
  await expect(saving).rejects.toBeInstanceOf(JournalUnavailable);
  isAway = false;
  await node.direct();
  expect(await node.store.streams.save(owner, stream)).toEqual({ kind: 'kept' });
  await node.close();
});
