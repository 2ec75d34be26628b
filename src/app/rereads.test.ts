// Two nodes on a real Postgres: what one changes the other reads, and reads nothing where nothing was changed.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StoredAccount } from '../store/ports/accounts.ts';
import type { StoredKey } from '../store/ports/keys.ts';
import { type Cluster, startCluster } from '../store/postgres/cluster.fixture.ts';
import { openPostgresJournal, type PostgresJournal } from '../store/postgres/postgres.ts';
import { rereadWhenChanged } from './rereads.ts';

let cluster: Cluster;
let here: PostgresJournal;
let there: PostgresJournal;
beforeAll(async () => {
  cluster = await startCluster();
  const url = await cluster.database();
  [here, there] = [
    await openPostgresJournal({ url, node: 'here' }),
    await openPostgresJournal({ url, node: 'there' }),
  ];
});
afterAll(async () => {
  await Promise.all([here.close(), there.close()]);
  await cluster.stop();
});

const ACCOUNT: StoredAccount = {
  ...{ id: 'telegram:1', platform: 'telegram', sealed: 's' },
  ...{ paused: false, refused: null, createdAt: 1 },
};
const KEY: StoredKey = {
  ...{ id: 'k', kind: 'key', hash: 'h', name: 'n', role: 'admin', scope: '{}', active: true },
  ...{ expiresAt: 9e15, createdAt: 1, usedAt: null },
};

function rereading(topic: 'accounts' | 'keys', read = async () => {}) {
  const clock = { time: 0, now: () => clock.time };
  let reads = 0;
  const reread = rereadWhenChanged(
    clock,
    () => here.changes(topic),
    async () => {
      reads += 1;
      await read();
    },
  );
  const readsAfter = async (change: () => unknown) => {
    await change();
    const before = reads;
    await reread();
    return reads - before;
  };
  return { clock, reread, readsAfter, reads: () => reads };
}

test('accounts: a change at another node is read once, and then nothing', async () => {
  const { readsAfter } = rereading('accounts');
  expect(await readsAfter(() => {})).toBe(1);
  expect(await readsAfter(() => {})).toBe(0);
  expect(await readsAfter(() => there.saveAccount(ACCOUNT))).toBe(1);
  expect(await readsAfter(() => there.saveAccount({ ...ACCOUNT, paused: true }))).toBe(1);
  expect(await readsAfter(() => there.keys.save(KEY))).toBe(0);
  expect(await readsAfter(() => there.removeAccount(ACCOUNT.id))).toBe(1);
  expect(await readsAfter(() => {})).toBe(0);
});

test('keys and sessions: made, changed and ended; being used is no change', async () => {
  const { readsAfter } = rereading('keys');
  expect(await readsAfter(() => there.keys.save(KEY))).toBe(1);
  expect(await readsAfter(() => there.keys.used([{ id: 'k', at: 5 }]))).toBe(0);
  expect(await readsAfter(() => there.keys.save({ ...KEY, active: false }))).toBe(1);
  const session = { hash: 's', key: null, proof: 'p', expiresAt: 9e15 };
  expect(await readsAfter(() => there.sessions.save(session))).toBe(1);
  expect(await readsAfter(() => there.sessions.remove('s'))).toBe(1);
});

test('many notices are two reads, and what changes while it is read is read again', async () => {
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const { reread, reads } = rereading('accounts', () => {
    started.resolve();
    return release.promise;
  });
  const first = reread();
  await started.promise;
  await there.saveAccount(ACCOUNT);
  const all = Array.from({ length: 50 }, () => reread());
  release.resolve();
  await Promise.all([first, ...all]);
  expect(reads()).toBe(2);
});

test('after long it is read whatever the store says', async () => {
  const { clock, readsAfter } = rereading('accounts');
  await readsAfter(() => {});
  expect(await readsAfter(() => (clock.time += 599_999))).toBe(0);
  expect(await readsAfter(() => (clock.time += 1))).toBe(1);
});
