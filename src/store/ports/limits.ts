// The port of what is known of an account's limits: freezes, learned rates, other ids of chats. Each is a record that
// its owner reads; here it is text.

import type { AccountId } from '../../domain/ids.ts';
import type { Kept, Owner } from './ownership.ts';

// No account is called so: under it stands what is the process's own.
const OF_NO_ACCOUNT: string = '';
export const NO_ACCOUNT = OF_NO_ACCOUNT as AccountId;

export interface LimitStore {
  // All of the owner's account.
  saveLimits(owner: Owner, records: readonly StoredLimit[]): Promise<Kept>;
  // Of these accounts, in order of account and key; read in one go, however many they are.
  limits(accounts: readonly AccountId[]): Promise<StoredLimit[]>;
}

export interface StoredLimit {
  readonly account: AccountId;
  readonly key: string;
  // JSON text; '' deletes the record.
  readonly value: string;
  readonly updatedAt: number;
}
