// The secret that all nodes of a database share: the first says which it is, and only who knows it can change it.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Cluster, startCluster } from './cluster.fixture.ts';
import { openPostgresJournal, type PostgresJournal } from './postgres.ts';

let cluster: Cluster;
let journal: PostgresJournal;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  journal = await openPostgresJournal({ url: await cluster.database() });
  return () => journal.close();
});

const first = { own: 'first', former: null };

test('the first that comes holds; another one is refused', async () => {
  await journal.agreeOn(first);
  await journal.agreeOn(first);
  const refused = { code: 'other_secret' };
  await expect(journal.agreeOn({ own: 'other', former: null })).rejects.toMatchObject(refused);
  await expect(journal.agreeOn({ own: 'other', former: 'wrong' })).rejects.toMatchObject(refused);
  await journal.agreeOn(first);
});

test('of two that come together one is refused', async () => {
  const both = [first, { own: 'other', former: null }].map((print) => journal.agreeOn(print));
  const ends = (await Promise.allSettled(both)).map(({ status }) => status);
  expect(ends.toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('who knows the former one replaces it', async () => {
  await journal.agreeOn(first);
  await journal.agreeOn({ own: 'second', former: 'first' });
  await journal.agreeOn({ own: 'second', former: null });
  await journal.agreeOn({ own: 'second', former: 'first' });
  await expect(journal.agreeOn(first)).rejects.toMatchObject({ code: 'other_secret' });
});
