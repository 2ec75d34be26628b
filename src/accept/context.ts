// What accepting a message needs of the rest, and its bounds. It knows no HTTP: a request, a line of a batch and a call
// of the library are accepted alike.

import type { Accounts } from '../accounts/accounts.ts';
import type { NewDelivery } from '../domain/delivery.ts';
import type { AccountId } from '../domain/ids.ts';
import type { OutputClasses } from '../domain/priority.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Road } from '../road/road.ts';
import type { Clock } from '../system/clock.ts';
import type { Inbound } from '../updates/updates.ts';
import type { FollowUp } from './receipt.ts';

export interface AcceptContext {
  readonly clock: Clock;
  readonly road: Road;
  readonly ledger: Ledger;
  // The store's tag: ids of other stores are recognised by it.
  readonly tag: string;
  readonly accounts: Accounts;
  readonly platforms: ReadonlyMap<string, Platform>;
  readonly log: AcceptLog;
  readonly settings: AcceptSettings;
  // Observers whose platform is still being asked for their account; see OBSERVERS_LATE_MAX.
  readonly late: { observers: number };
  // Takes the calls that change a message, and applies them to the copies that observers have. Left out: nothing
  // follows.
  readonly followUps?: {
    submit: Road['submit'];
    of(delivery: NewDelivery): Promise<readonly FollowUp[]>;
  };
  // Left out: nobody looks at updates, and none come by webhook.
  readonly updates?: Inbound;
}

export interface AcceptSettings {
  readonly waitSMax: number;
  readonly queueMaxOf: (account: AccountId) => number;
  // Left out: as they are where nobody sets them.
  readonly classesOf?: (account: AccountId) => OutputClasses;
}

export interface AcceptLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

// How much longer the answer for an origin may take for its observers' receipts.
export const OBSERVERS_MS_MAX = 100;
// Observers whose account is still being looked up at their platform, over all messages; more are refused.
export const OBSERVERS_LATE_MAX = 10_000;
// Names, keys and ids given by callers.
export const NAME_LENGTH_MAX = 256;
export const YEAR_S = 366 * 86_400;
// After this long a typing sign or a draft is worth nothing.
export const COSMETIC_TTL_MS = 5000;
// Retry-After when the account's queue is full.
export const FULL_RETRY_S = 5;
