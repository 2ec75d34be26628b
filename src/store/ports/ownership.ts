// The port of ownership. A platform's limit belongs to the account, so one process at a time paces it; which one is
// kept in the store as a number that every take-over raises. Every write of the road carries it, and an older one is
// refused: a process that stood still while another took over can neither accept, begin nor settle.
// Embedded there is one process, and the first number holds for ever.

import type { AccountId } from '../../domain/ids.ts';
import { assert } from '../../system/assert.ts';

export interface OwnershipStore {
  // The account is this handle's from now on. One that is another's is taken over, which raises the epoch.
  openAccount(account: AccountId): Promise<Owner>;
  // It is nobody's: whoever opens it next takes it over. One that is another's by now stays so.
  closeAccount(owner: Owner): Promise<void>;
  // Every account that deliveries or limits in the store are of, in order.
  knownAccounts(): Promise<AccountId[]>;
}

// On whose behalf a write is made.
export interface Owner {
  readonly account: AccountId;
  readonly epoch: number;
}

export const FIRST_EPOCH = 1;
// Of nobody: every store refuses what is written under it, and a spill takes it for whoever will own the account.
export const NO_EPOCH = 0;

// A handle of the one process there is. No other is called so.
export const EMBEDDED = '';

// The account has been taken over, or the delivery is not of this account: nothing was changed.
export interface NotOwner {
  readonly kind: 'not_owner';
}

export const NOT_OWNER: NotOwner = { kind: 'not_owner' };

export type Kept = { readonly kind: 'kept' } | NotOwner;

// An owner writes records of its own account only.
export function assertOwn(
  { account }: Owner,
  records: readonly { readonly account: string }[],
): void {
  for (const record of records) {
    assert(record.account === account, `what is of ${record.account} is written for ${account}`);
  }
}
