// The port of a fleet: who owns what, as the store says. Only a store that several nodes share has it; the truth about
// an account is its row, and messages between nodes are only faster.

import type { AccountId } from '../../domain/ids.ts';

export interface FleetStore {
  // Those that none of these nodes owns, in order of account: nobody's, a dead node's, or one's own.
  ownersBut(nodes: readonly string[]): Promise<StoredOwner[]>;
  // null: nobody ever had it.
  ownerOf(account: AccountId): Promise<StoredOwner | null>;
}

export interface AccountEviction {
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
