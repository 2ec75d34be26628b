// Who owns which account, in memory: the specification of ownership.ts in the plainest code.

import type { AccountId } from '../../domain/ids.ts';
import type { StoredOwner } from '../ports/fleet.ts';
import { NO_ACCOUNT } from '../ports/limits.ts';
import { EMBEDDED, FIRST_EPOCH, type Owner } from '../ports/ownership.ts';
import type { MemoryDisk } from './disk.ts';

export function openAccount({ owners }: MemoryDisk, account: AccountId, node: string): Owner {
  const { node: before, epoch } = ownerOf(owners, account);
  if (before === node) return { account, epoch };
  owners.set(account, { node, epoch: epoch + 1 });
  return { account, epoch: epoch + 1 };
}

export function closeAccount(
  { owners }: MemoryDisk,
  { account, epoch }: Owner,
  node: string,
): void {
  const now = owners.get(account);
  if (now?.node === node && now.epoch === epoch) owners.set(account, { node: null, epoch });
}

export function isOwner({ owners }: MemoryDisk, { account, epoch }: Owner): boolean {
  return epoch >= ownerOf(owners, account).epoch;
}

// One that nobody else ever owned is the embedded process's, without a word on the disk.
function ownerOf(owners: MemoryDisk['owners'], account: AccountId) {
  return owners.get(account) ?? { node: EMBEDDED, epoch: FIRST_EPOCH };
}

export function ownersBut({ owners }: MemoryDisk, nodes: readonly string[]): StoredOwner[] {
  const rows = [...owners].map(([account, owner]) => ({ account, ...owner }));
  return rows
    .filter(({ node }) => node === null || !nodes.includes(node))
    .sort((a, b) => (a.account < b.account ? -1 : 1));
}

export function ownerRowOf({ owners }: MemoryDisk, account: AccountId): StoredOwner | null {
  const owner = owners.get(account);
  return owner === undefined ? null : { account, ...owner };
}

// What is under no account is of the store itself.
export function knownAccounts({ deliveries, limits }: MemoryDisk): AccountId[] {
  const known = new Set<AccountId>();
  for (const { account } of deliveries.values()) known.add(account);
  for (const { account } of limits.values()) known.add(account);
  known.delete(NO_ACCOUNT);
  return [...known].sort();
}
