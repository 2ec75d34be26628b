// What the road's memory is made with.

import type { ReportFault } from '../domain/fault.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { LimitStore } from '../store/ports/limits.ts';
import type { OwnershipStore } from '../store/ports/ownership.ts';
import type { Clock } from '../system/clock.ts';
import type { Periodic } from '../system/periodic.ts';
import type { Random } from '../system/random.ts';
import type { BreakerSettings } from './account/availability.ts';
import type { LimitSettings } from './account/limits-by-hand.ts';
import type { Profile } from './account/profile.ts';

// Why an account is about to be closed here. `evicted`: it is not known any more, and what comes for it all the same
// waits until it is.
export type Leaving = 'removed' | 'evicted' | 'lost' | 'handed';

export interface StateParts {
  readonly journal: LimitStore & OwnershipStore & { readonly tag: string };
  readonly clock: Clock;
  readonly periodic: Periodic;
  readonly random: Random;
  readonly scheduler: Scheduler;
  // Of a platform's host; each account brings its own.
  readonly breaker: BreakerSettings;
  readonly accounts: {
    profileOf(id: AccountId): Profile;
    stateOf(id: AccountId): { paused: boolean; refused: string | null };
    credentialOf(id: AccountId): string | null;
    setRefused(id: AccountId, reason: string | null): Promise<unknown>;
  };
  // Left out: no limit of an account can be set by hand.
  readonly limitSettings?: LimitSettings;
  readonly report: ReportFault;
  // There may be something to send.
  readonly wake: () => void;
  // Left out: an account is this process's as soon as something of it comes. `taken`: only after it was taken.
  readonly opens?: 'taken';
  // The store says that another process owns it now.
  readonly onLost?: (account: AccountId) => void;
  // Work that a stop waits for.
  readonly track: (work: Promise<unknown>) => void;
}
