// Accounts that get another id, with everything that is theirs: what the memory store and SQLite share. The audit log
// is left as it is: it says what was done, to what was then called so.

import type { AccountRename } from './journal.ts';

export type NewIds = ReadonlyMap<string, string>;

export function newIdsOf(renames: readonly AccountRename[]): NewIds {
  return new Map(renames.map(({ from, account }) => [from, account.id]));
}

// A key's scope, as JSON text; null: it names none of them.
export function renamedScope(scope: string, ids: NewIds): string | null {
  const parsed = JSON.parse(scope) as { accounts?: readonly string[] | null };
  const accounts = parsed.accounts ?? [];
  if (!accounts.some((account) => ids.has(account))) return null;
  return JSON.stringify({ ...parsed, accounts: accounts.map((id) => ids.get(id) ?? id) });
}

// A stream's record, as JSON text; null: it is of none of them.
export function renamedStream(record: string, ids: NewIds): string | null {
  const parsed = JSON.parse(record) as { asked?: { account?: string } };
  const account = ids.get(parsed.asked?.account ?? '');
  return account === undefined
    ? null
    : JSON.stringify({ ...parsed, asked: { ...parsed.asked, account } });
}
