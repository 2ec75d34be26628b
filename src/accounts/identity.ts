// What accounts are opened with, what a token is found to be, and what is told of an account.

import type { ReportFault } from '../domain/fault.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Platform } from '../platforms/platform.ts';
import type { AccountStore } from '../store/ports/accounts.ts';
import type { SharedAccounts } from '../store/ports/fleet.ts';
import type { Clock } from '../system/clock.ts';
import type { AskingBounds } from './asking.ts';
import type { UnreachableAccount } from './unreachable.ts';

export interface AccountsOptions {
  readonly clock: Clock;
  readonly journal: AccountStore;
  readonly platforms: ReadonlyMap<string, Platform>;
  readonly secret: string;
  // What was sealed with it is sealed anew at the start; left out or null: there is none.
  readonly secretPrevious?: string | null;
  readonly accountsMax?: number;
  readonly asking?: AskingBounds;
  // How those are written that other processes change too; left out: there are no others.
  readonly shared?: SharedAccounts;
  // Ids of the accounts that the operator has configured; none when left out.
  readonly configured?: ReadonlySet<AccountId>;
  // `known`: no others are taken. `any` when left out.
  readonly admits?: 'any' | 'known';
  // Told of exceptions that were contained.
  readonly report?: ReportFault;
  // Told of a platform that could not be asked, not every time.
  readonly onUnreachable?: (account: UnreachableAccount) => void;
}

export type Identity =
  | { kind: 'known'; id: AccountId }
  | { kind: 'unknown_platform' }
  | { kind: 'unknown' }
  // It is of a host that is not served here: the sandbox, where it is off.
  | { kind: 'off' }
  // The host takes any token, and another one was first to name this account.
  | { kind: 'taken' }
  // `expected`: how a credential looks there, where this one does not.
  | { kind: 'refused'; status: number; detail: string; expected?: string }
  | { kind: 'unreachable'; detail: string }
  | { kind: 'busy'; retryAfterS: number }
  | { kind: 'full'; accountsMax: number };

// `token`: first seen, or vouched for anew; whatever refused it before is over. `evicted`: it gave way to another,
// with nothing left to do for it.
export type AccountChange = {
  id: AccountId;
  kind: 'token' | 'paused' | 'refused' | 'removed' | 'evicted';
  // By another process: it is known to all.
  isOthers?: true;
};

// As the platform answers a token that is not valid.
export const NOT_TAKEN: Identity = Object.freeze({
  kind: 'refused',
  status: 401,
  detail: 'Unauthorized',
});
