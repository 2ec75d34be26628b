// Accounts get other ids, in memory: the specification, every map that names an account looked through.

import type { AccountId } from '../../domain/ids.ts';
import {
  accountsOfScope,
  accountsOfStream,
  newIdsOf,
  renamedScope,
  renamedStream,
} from '../account-renames.ts';
import type { AccountRename } from '../ports/accounts.ts';
import { type MemoryDisk, pairKey } from './disk.ts';

interface OfAccount {
  account: AccountId;
}

// Those of the new ids that are named already: then nothing is changed.
export function renameAccounts(
  disk: MemoryDisk,
  renames: readonly AccountRename[],
): readonly AccountId[] {
  const named = namedAccounts(disk);
  const taken = renames.map(({ account }) => account.id).filter((id) => named.has(id));
  if (taken.length > 0) return taken;
  const ids = newIdsOf(renames);
  const idOf = <A extends string>(account: A) => ids.get(account) ?? account;
  const pairOf = (pair: string) => {
    const end = pair.indexOf('\0');
    return pairKey(idOf(pair.slice(0, end)), pair.slice(end + 1));
  };
  const renamed = <T extends OfAccount>(of: T): T => ({ ...of, account: idOf(of.account) });
  const { broadcasts, incoming } = disk;

  for (const row of disk.deliveries.values()) row.account = idOf(row.account);
  for (const row of broadcasts.broadcasts.values()) row.account = idOf(row.account);
  for (const row of broadcasts.audiences.values()) row.account &&= idOf(row.account);
  replace(disk.idempotency, pairOf, (same) => same);
  for (const [seq, pair] of disk.idempotencyOf) disk.idempotencyOf.set(seq, pairOf(pair));
  replace(disk.owners, idOf, (same) => same);
  replace(disk.limits, pairOf, renamed);
  replace(incoming, pairOf, renamed);
  replace(broadcasts.blocked, pairOf, renamed);
  for (const [id, key] of disk.keys) {
    disk.keys.set(id, { ...key, scope: renamedScope(key.scope, ids) ?? key.scope });
  }
  for (const [id, stream] of disk.streams) {
    disk.streams.set(id, {
      ...renamed(stream),
      record: renamedStream(stream.record, ids) ?? stream.record,
    });
  }
  for (const { from, account } of renames) {
    disk.accounts.delete(from);
    disk.accounts.set(account.id, { ...account });
  }
  return [];
}

function namedAccounts({ broadcasts, ...disk }: MemoryDisk): ReadonlySet<string> {
  const named = new Set<string>([...disk.accounts.keys(), ...disk.owners.keys()]);
  for (const map of [disk.deliveries, disk.limits, disk.incoming]) {
    for (const { account } of map.values()) named.add(account);
  }
  for (const map of [broadcasts.broadcasts, broadcasts.blocked]) {
    for (const { account } of map.values()) named.add(account);
  }
  for (const pair of disk.idempotency.keys()) named.add(pair.slice(0, pair.indexOf('\0')));
  for (const { scope } of disk.keys.values()) {
    for (const id of accountsOfScope(scope)) named.add(id);
  }
  for (const { account } of broadcasts.audiences.values()) {
    if (account !== null) named.add(account);
  }
  for (const { account, record } of disk.streams.values()) {
    named.add(account);
    for (const id of accountsOfStream(record)) named.add(id);
  }
  return named;
}

// Under their new keys, in their old order.
function replace<K, T>(map: Map<K, T>, keyOf: (key: K) => K, of: (value: T) => T) {
  const all = [...map];
  map.clear();
  for (const [key, value] of all) map.set(keyOf(key), of(value));
}
