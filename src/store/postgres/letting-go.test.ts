// An account that gives way to others: its owner may forget it, while nothing is left to do for it.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AccountId } from '../../domain/ids.ts';
import { aDelivery, aMove, ROOM } from '../contract/journal.fixture.ts';
import { type Cluster, startCluster } from './cluster.fixture.ts';
import { openPostgresJournal, type PostgresJournal } from './postgres.ts';

const ACCOUNT: AccountId = 'telegram:1';
const STORED = {
  ...{ id: ACCOUNT, platform: 'telegram', sealed: 's', paused: false, refused: null, createdAt: 1 },
};

let cluster: Cluster;
let journals: PostgresJournal[] = [];
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  const url = await cluster.database();
  journals = await Promise.all(['a', 'b'].map((node) => openPostgresJournal({ url, node })));
  return () => Promise.all(journals.map((journal) => journal.close()));
});

async function owned() {
  const [own, other] = journals as [PostgresJournal, PostgresJournal];
  await own.saveAccount(STORED);
  return { own, other, owner: await own.openAccount(ACCOUNT) };
}

test('only its owner forgets it', async () => {
  const { own, other } = await owned();
  expect(await other.sharedAccounts.letGo(ACCOUNT)).toBe(false);
  expect(await own.accounts()).toHaveLength(1);
  expect(await own.sharedAccounts.letGo(ACCOUNT)).toBe(true);
  expect(await other.accounts()).toEqual([]);
  expect(await own.sharedAccounts.letGo(ACCOUNT)).toBe(false);
});

test('it stays while a delivery waits, also one that another node wrote down for it', async () => {
  const { own, other, owner } = await owned();
  const [seq] = (await other.handOver.drawNumbers(1)) as [number];
  const record = { kind: 'append', n: 1, seq, delivery: aDelivery() } as const;
  await other.handOver.handOver('spill', [record]);
  expect(await own.sharedAccounts.letGo(ACCOUNT)).toBe(false);
  expect(await own.move(owner, aMove({ seq }))).toMatchObject({ kind: 'moved' });
  expect(await own.sharedAccounts.letGo(ACCOUNT)).toBe(true);
});

test('what is being accepted when it is forgotten is accepted before, or after', async () => {
  const { own, owner } = await owned();
  const appending = Array.from({ length: 20 }, () => own.append(owner, aDelivery(), ROOM).durable);
  const isGone = own.sharedAccounts.letGo(ACCOUNT);
  for (const { kind } of await Promise.all(appending)) expect(kind).toBe('accepted');
  if (await isGone) await own.saveAccount(STORED);
  expect(await own.sharedAccounts.letGo(ACCOUNT)).toBe(false);
});

test('it stays while a text of it grows', async () => {
  const { own, owner } = await owned();
  const stream = { id: 's', account: ACCOUNT, endedAt: null, text: 'a', record: '{}' };
  await own.streams.save(owner, stream);
  expect(await own.sharedAccounts.letGo(ACCOUNT)).toBe(false);
  await own.streams.save(owner, { ...stream, endedAt: 1 });
  expect(await own.sharedAccounts.letGo(ACCOUNT)).toBe(true);
});

test('nobody takes it up again, unless something waits for it or its token came back', async () => {
  const { own, other, owner } = await owned();
  const toTakeUp = async () => (await other.ownersBut(['a', 'b'])).map(({ account }) => account);
  await own.sharedAccounts.letGo(ACCOUNT);
  await own.closeAccount(owner);
  expect(await toTakeUp()).toEqual([]);
  await own.append(owner, aDelivery(), ROOM).durable;
  expect(await toTakeUp()).toEqual([ACCOUNT]);
  await own.move(owner, aMove({ seq: 1 }));
  expect(await toTakeUp()).toEqual([]);
  await other.saveAccount(STORED);
  expect(await toTakeUp()).toEqual([ACCOUNT]);
});
