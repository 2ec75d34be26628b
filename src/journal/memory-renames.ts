// Accounts get other ids, in memory: the specification, every map that names an account looked through.

import { newIdsOf, renamedScope, renamedStream } from './account-renames.ts';
import type { AccountRename } from './journal.ts';
import { type MemoryDisk, pairKey } from './memory-disk.ts';

interface OfAccount {
  account: string;
}

export function renameAccounts(disk: MemoryDisk, renames: readonly AccountRename[]): void {
  const ids = newIdsOf(renames);
  const idOf = (account: string) => ids.get(account) ?? account;
  const pairOf = (pair: string) => {
    const end = pair.indexOf('\0');
    return pairKey(idOf(pair.slice(0, end)), pair.slice(end + 1));
  };
  const renamed = <T extends OfAccount>(of: T): T => ({ ...of, account: idOf(of.account) });
  const { broadcasts, incoming } = disk;

  for (const row of disk.deliveries.values()) row.account = idOf(row.account);
  for (const row of broadcasts.broadcasts.values()) row.account = idOf(row.account);
  replace(disk.idempotency, pairOf, (same) => same);
  for (const [seq, pair] of disk.idempotencyOf) disk.idempotencyOf.set(seq, pairOf(pair));
  replace(disk.limits, pairOf, renamed);
  replace(incoming, pairOf, renamed);
  replace(broadcasts.blocked, pairOf, renamed);
  for (const [id, key] of disk.keys) {
    disk.keys.set(id, { ...key, scope: renamedScope(key.scope, ids) ?? key.scope });
  }
  for (const [id, stream] of disk.streams) {
    disk.streams.set(id, { ...stream, record: renamedStream(stream.record, ids) ?? stream.record });
  }
  for (const { from, account } of renames) {
    disk.accounts.delete(from);
    disk.accounts.set(account.id, { ...account });
  }
}

// Under their new keys, in their old order.
function replace<T>(map: Map<string, T>, keyOf: (key: string) => string, of: (value: T) => T) {
  const all = [...map];
  map.clear();
  for (const [key, value] of all) map.set(keyOf(key), of(value));
}
