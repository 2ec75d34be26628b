// What other processes have changed of the accounts in the store, against what is known here.

import type { AccountId } from '../domain/ids.ts';
import type { StoredAccount } from '../store/ports/accounts.ts';

export interface ChangedAccount {
  readonly stored: StoredAccount;
  readonly kind: 'token' | 'paused' | 'refused';
}

export function changedAccounts(
  rows: readonly StoredAccount[],
  known: (id: AccountId) => StoredAccount | undefined,
): ChangedAccount[] {
  return rows.flatMap((stored): ChangedAccount[] => {
    const before = known(stored.id);
    if (before?.sealed !== stored.sealed) return [{ stored, kind: 'token' }];
    if (before.paused !== stored.paused) return [{ stored, kind: 'paused' }];
    return before.refused === stored.refused ? [] : [{ stored, kind: 'refused' }];
  });
}
