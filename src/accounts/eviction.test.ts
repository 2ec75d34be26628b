// Who gives way in a full table, as the accounts do it: one by one, and when many come at once.

import { expect, test } from 'vitest';
import type { AccountId } from '../domain/ids.ts';
import type { SharedAccounts } from '../store/ports/fleet.ts';
import { world } from './accounts.fixture.ts';
import { Accounts } from './accounts.ts';

// Accounts 1 to `count`, used in this order, in a table that may hold `accountsMax`.
async function fullTable(count: number, accountsMax = count) {
  const { options, stored } = world(undefined, { accountsMax: count });
  const before = await Accounts.open(options);
  for (let n = 1; n <= count; n++) await before.identify('telegram', `${n}:a`);
  const accounts = await Accounts.open({ ...options, accountsMax });
  const come = async (numbers: number[]) => {
    const all = numbers.map((n) => accounts.identify('telegram', `${n}:a`));
    return (await Promise.all(all)).map(({ kind }) => kind);
  };
  return { accounts, come, stored };
}

test('in a full table the longest idle gives way; the configured and the busy never do', async () => {
  const configured = new Set<AccountId>(['telegram:1']);
  const { options, stored } = world(undefined, { accountsMax: 4, configured });
  const accounts = await Accounts.open(options);
  accounts.letGo((id) => id !== 'telegram:2');
  for (const n of [1, 2, 3, 4]) await accounts.identify('telegram', `${n}:a`);
  await accounts.identify('telegram', '3:a');
  expect(await accounts.identify('telegram', '5:a')).toMatchObject({ kind: 'known' });
  expect([...stored.keys()].sort()).toEqual([1, 2, 3, 5].map((n) => `telegram:${n}`));
  accounts.letGo(() => false);
  expect(await accounts.identify('telegram', '6:a')).toMatchObject({ kind: 'full' });
});

test('many who come at once each find a place in a full table', async () => {
  const { accounts, come, stored } = await fullTable(10);
  accounts.letGo(() => true);
  expect(await come([21, 22, 23, 24, 25])).toEqual(Array(5).fill('known'));
  const left = [6, 7, 8, 9, 10, 21, 22, 23, 24, 25].map((n) => `telegram:${n}`);
  expect([...stored.keys()].sort()).toEqual(left.sort());
});

test('of many who come at once as many find a place as there is one for', async () => {
  const { accounts, come, stored } = await fullTable(10);
  accounts.letGo((id) => ['telegram:2', 'telegram:4', 'telegram:6'].includes(id));
  const kinds = await come([21, 22, 23, 24, 25]);
  expect(kinds.toSorted()).toEqual(['full', 'full', 'known', 'known', 'known']);
  expect([stored.size, accounts.list().length]).toEqual([10, 10]);
  for (const n of [1, 3, 5, 7, 8, 9, 10]) expect(stored.has(`telegram:${n}`)).toBe(true);
});

test('a new token of a known account needs no place of its own', async () => {
  const { accounts, come, stored } = await fullTable(10);
  await accounts.remove('telegram:10');
  const replaced = accounts.identify('telegram', '1:b');
  expect(await come([21])).toEqual(['known']);
  expect([(await replaced).kind, stored.size]).toEqual(['known', 10]);
});

test('a table over its bound comes back under it with the next who comes', async () => {
  const over = await fullTable(10, 6);
  over.accounts.letGo(() => true);
  expect(await over.come([21])).toEqual(['known']);
  expect(over.stored.size).toBe(6);
});

test('what the simulator vouched for gives way before what a platform did', async () => {
  const { options, stored } = world(undefined, { accountsMax: 3 });
  const platform = options.platforms.get('telegram')!;
  Object.assign(platform.wire, { isLocal: (credential: string) => credential.includes('sandbox') });
  const accounts = await Accounts.open(options);
  accounts.letGo(() => true);
  for (const token of ['1:a', '2:b', '3:sandbox']) await accounts.identify('telegram', token);
  await accounts.identify('telegram', '4:c');
  expect([...stored.keys()].sort()).toEqual([1, 2, 4].map((n) => `telegram:${n}`));
});

test('one that the store keeps stays, and who comes has no place', async () => {
  const { options } = world(undefined, { accountsMax: 2 });
  const kept = new Set<AccountId>(['telegram:1']);
  const shared: SharedAccounts = {
    change: options.journal.saveAccount,
    letGo: async (id) => !kept.has(id),
  };
  const accounts = await Accounts.open({ ...options, shared });
  accounts.letGo((id) => id !== 'telegram:2');
  const changes: string[] = [];
  for (const n of [1, 2]) await accounts.identify('telegram', `${n}:a`);
  accounts.listen(({ id, kind }) => changes.push(`${id} ${kind}`));
  expect(await accounts.identify('telegram', '3:a')).toMatchObject({ kind: 'full' });
  expect(accounts.credentialOf('telegram:1')).toBe('1:a');
  expect(changes).toEqual([]);
  kept.clear();
  expect(await accounts.identify('telegram', '3:a')).toMatchObject({ kind: 'known' });
  expect(changes).toEqual(['telegram:1 evicted', 'telegram:3 token']);
});
