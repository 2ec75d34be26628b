// What broadcasts need of the gateway.

import type { ReportFault } from '../domain/fault.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Charge, Rule } from '../limits/limits.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Road } from '../road/road.ts';
import type { BroadcastStore } from '../store/ports/broadcasts.ts';
import type { Clock } from '../system/clock.ts';
import type { Periodic } from '../system/periodic.ts';
import type { FeederSettings } from './feeder.ts';

export interface BroadcastingParts {
  readonly clock: Clock;
  readonly periodic: Periodic;
  readonly journal: { readonly tag: string; readonly broadcasts: BroadcastStore };
  readonly road: Pick<Road, 'submit' | 'move' | 'place' | 'limits' | 'accounts' | 'listen'>;
  readonly ledger: Pick<Ledger, 'getMany' | 'search'>;
  readonly platforms: ReadonlyMap<string, Platform>;
  readonly rulesOf: (account: AccountId, charge: Charge) => readonly Rule[];
  readonly settingsOf: (account: AccountId) => FeederSettings;
  readonly settings: BroadcastSettings;
  // Whether this process feeds the account's broadcasts; left out: all accounts'.
  readonly owns?: (account: AccountId) => boolean;
  // Something is to be done for an account by whoever owns it.
  readonly notifyOwner?: (account: AccountId) => void;
  // A recipient came to an end.
  readonly count: (platform: string, end: string) => void;
  readonly report: ReportFault;
  readonly fatal: (error: unknown) => void;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
}

export interface BroadcastSettings {
  // That run or are paused.
  readonly broadcastsMax: number;
  readonly recipientsMax: number;
  readonly deadDays: number;
}
