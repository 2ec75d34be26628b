// The port of a start: what is alive of an account, and which calls it made lately. Both take as many accounts as are
// opened together, and go through the store once for all of them: a start does not read a million rows per account.

import type { Queued } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { DeliveryPast } from './delivery.ts';
import type { NotOwner, Owner } from './ownership.ts';

export interface RecoveryStore {
  // Everything queued or sending of these accounts, each in order of seq; first those that are another's by now. To be
  // read before anything is appended to them. In pages: to wait for each of a million would take as long as to add it.
  recover(owners: readonly Owner[]): AsyncIterable<readonly Recovered[]>;
  // Attempts of these accounts begun at or after `since`, oldest first.
  callsSince(accounts: readonly AccountId[], since: number): Promise<StoredCall[]>;
}

export type Recovered =
  | { kind: 'queued'; queued: Queued }
  // In flight when the process ended: attempt `n` is in doubt.
  | { kind: 'sending'; queued: Queued; n: number; past: DeliveryPast }
  | (NotOwner & { readonly account: AccountId });

export interface StoredCall {
  readonly account: AccountId;
  readonly chat: string;
  readonly user: string | null;
  readonly family: Queued['family'];
  readonly budget: Queued['budget'];
  readonly live: boolean;
  readonly cost: number;
  // The message that its delivery made or changed; null: none, or not yet.
  readonly messageId: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outcome: Outcome['kind'] | null;
}
