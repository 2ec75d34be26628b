// What an account is to the road: how its calls are made, limited and retried.

import type { Priors } from '../../limits/limits.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { Order } from '../../scheduler/scheduler.ts';
import type { BreakerSettings } from './availability.ts';

export interface Profile {
  readonly platform: Platform;
  // The platform's limits, with the account's own settings.
  readonly priors: Priors;
  // Accounts of one host share a breaker.
  readonly host: string;
  readonly retry: RetryPolicy;
  readonly breaker: BreakerSettings;
  readonly deadlineMs: number;
  readonly queueMax: number;
  readonly queueBytesMax: number;
  // Nobody has configured the account.
  readonly isStranger: boolean;
  readonly inFlightMax: number;
  readonly order: Order;
  // Whether a text too long for one message goes out as several.
  readonly splits: boolean;
}

export interface RetryPolicy {
  readonly baseMs: number;
  readonly maxMs: number;
  // Given up only after so many failures and at this age, so that a short outage kills nothing.
  readonly attemptsMax: number;
  readonly deadAgeMinMs: number;
  // What to do when an answer was lost and the platform cannot deduplicate.
  readonly uncertain: 'resend' | 'hold';
}
