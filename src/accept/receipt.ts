// What callers get back for a message they submitted, and for its observers.

import type { Problem } from '../domain/errors.ts';
import type { AccountId } from '../domain/ids.ts';

export interface Receipt {
  readonly id: string;
  // The caller's own id of it, else the same as `id`.
  readonly correlation: string;
  readonly state: string;
  readonly position: number | null;
  readonly eta: string | null;
  readonly repeated?: true;
  readonly supersededBy?: string;
  // When the caller waited for the end: why, the platform's message id, and its answer.
  readonly reason?: string | null;
  readonly detail?: string | null;
  readonly messageId?: string | null;
  readonly result?: unknown;
  // Fan-out: what became of each observer's copy, in order.
  readonly observers?: readonly ObserverReceipt[];
}

export type ObserverReceipt = Receipt | Problem | Pending | NotPossible;

// An observer whose platform has not yet said whether it knows the account.
export interface Pending {
  readonly state: 'pending';
  readonly detail: string;
}

// Why nothing is done to an observer's copy; the reason of the delivery that records it.
export const NOT_POSSIBLE = 'not_possible';

// A change of the origin's message that cannot follow to this observer, who has no copy of it to look at.
export interface NotPossible {
  readonly state: typeof NOT_POSSIBLE;
  readonly detail: string;
}

// What became of a change at one copy of the message.
export interface FollowUp {
  readonly account: AccountId;
  readonly chat: string;
  readonly receipt: Receipt | Problem;
}
