// Accounts that get another id, with everything that is theirs: what the memory store and SQLite share. The audit log
// is left as it is: it says what was done, to what was then called so.

import type { AccountId } from '../domain/ids.ts';
import type { AccountRename } from './ports/accounts.ts';

export type NewIds = ReadonlyMap<string, AccountId>;

export function newIdsOf(renames: readonly AccountRename[]): NewIds {
  return new Map(renames.map(({ from, account }) => [from, account.id]));
}

// The accounts that a key's scope names, and the one that a stream's record is of. Text that cannot be read names none:
// it is left as it is, for those who use it to set apart.
export function accountsOfScope(scope: string): readonly string[] {
  const { accounts } = parsed(scope);
  return Array.isArray(accounts) ? accounts.filter((id) => typeof id === 'string') : [];
}

export function accountsOfStream(record: string): readonly string[] {
  const { asked } = parsed(record);
  if (typeof asked !== 'object' || asked === null || !('account' in asked)) return [];
  return typeof asked.account === 'string' ? [asked.account] : [];
}

// As JSON text; null: it names none of them.
export function renamedScope(scope: string, ids: NewIds): string | null {
  const accounts = accountsOfScope(scope);
  if (!accounts.some((account) => ids.has(account))) return null;
  return JSON.stringify({
    ...parsed(scope),
    accounts: accounts.map((id) => ids.get(id) ?? id),
  });
}

export function renamedStream(record: string, ids: NewIds): string | null {
  const account = accountsOfStream(record).map((id) => ids.get(id))[0];
  if (account === undefined) return null;
  const stream = parsed(record);
  return JSON.stringify({ ...stream, asked: { ...(stream.asked as object), account } });
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
