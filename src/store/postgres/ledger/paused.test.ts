// A server that is stopped keeps its connections and says nothing.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresConnection } from '../../../system/databases/postgres.ts';
import { JournalUnavailable } from '../../ports/unavailable.ts';
import { type Cluster, startCluster } from '../cluster.fixture.ts';
import { openPostgresJournal } from '../postgres.ts';
import { SCHEMA } from '../schema/schema.ts';
import { openPostgresLedger } from './ledger.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

test('who asks by number is told soon, however long a search waits', async () => {
  const url = await cluster.database();
  const journal = await openPostgresJournal({ url });
  const ledger = openPostgresLedger({ url, tag: journal.tag });
  await ledger.get(1);
  await ledger.search({}, { limit: 1, after: 0 });
  cluster.freeze();
  let isSearched = false;
  const search = ledger.search({}, { limit: 1, after: 0 }).finally(() => {
    isSearched = true;
  });
  const asked = [ledger.get(1), ledger.attempts(1), ledger.history(1), ledger.getMany([1, 2])];
  const told = await Promise.allSettled(asked);
  expect(isSearched).toBe(false);
  for (const one of told) {
    expect(one).toMatchObject({ status: 'rejected', reason: expect.any(JournalUnavailable) });
  }
  cluster.thaw();
  expect(await search).toEqual([]);
  await ledger.close();
  await journal.close();
});

test('whether anything was ever observed is told while a search takes long', async () => {
  const url = await cluster.database();
  const journal = await openPostgresJournal({ url });
  const ledger = openPostgresLedger({ url, tag: journal.tag });
  const other = new PostgresConnection({ url, name: 'test', schema: SCHEMA });
  let isSearched = false;
  const locked = 'LOCK TABLE deliveries IN ACCESS EXCLUSIVE MODE';
  const { search } = await other.transaction(locked, async () => {
    const waiting = ledger.search({}, { limit: 1, after: 0 }).finally(() => {
      isSearched = true;
    });
    expect(await ledger.hasCopies()).toBe(false);
    expect(isSearched).toBe(false);
    return { search: waiting };
  });
  expect(await search).toEqual([]);
  await Promise.all([ledger.close(), other.close()]);
  await journal.close();
});

test('a node that stops while the server is stopped does stop', async () => {
  const url = await cluster.database();
  const journal = await openPostgresJournal({ url });
  const ledger = openPostgresLedger({ url, tag: journal.tag });
  await Promise.all([ledger.get(1), ledger.search({}, { limit: 1, after: 0 }), journal.accounts()]);
  cluster.freeze();
  const search = ledger.search({}, { limit: 1, after: 0 }).catch((error: unknown) => error);
  await Promise.all([ledger.close(), journal.close()]);
  expect(await search).toBeInstanceOf(JournalUnavailable);
  await expect(ledger.get(1)).rejects.toThrow(JournalUnavailable);
  cluster.thaw();
});
