// The port of a fleet: who owns what, as the store says. Only a store that several nodes share has it; the truth about
// an account is its row, and messages between nodes are only faster.

import type { AccountId } from '../../domain/ids.ts';
import type { StoredAccount } from './accounts.ts';

export interface FleetStore {
  // Those that none of these nodes owns, in order of account: nobody's, a dead node's, or one's own. Of nobody's, an
  // account that was removed may be left out while nothing waits for it.
  ownersBut(nodes: readonly string[]): Promise<StoredOwner[]>;
  // null: nobody ever had it.
  ownerOf(account: AccountId): Promise<StoredOwner | null>;
}

// All nodes of a store have one secret, or callers of one are strangers to the next.
export interface SecretAgreement {
  // The first that comes says which it is; `former` gives way to `own`. Rejects with JournalOpenError: it is neither.
  agreeOn(print: SecretPrint): Promise<void>;
}

// What can be known of a secret without knowing it.
export interface SecretPrint {
  readonly own: string;
  // Of the one before; null: it was not changed.
  readonly former: string | null;
}

// Accounts that other nodes change at the same time.
export interface SharedAccounts {
  // Writes this part of it and leaves the others as they are: another node may have changed them, and this one not
  // heard of it yet. A token also ends that the one before was refused; it is refused only while it is still the one.
  change(account: StoredAccount, part: 'token' | 'paused' | 'refused'): Promise<void>;
  // Forgets an account that nothing is left to do for. False: something is, or another node has it; it stays.
  letGo(account: AccountId): Promise<boolean>;
}

export interface StoredOwner {
  readonly account: AccountId;
  // The node that has it; null: nobody does.
  readonly node: string | null;
  // What its owner writes under.
  readonly epoch: number;
}

// What every node keeps in memory, and how often it was changed is counted with each change.
export type ChangeTopic = 'accounts' | 'keys';
