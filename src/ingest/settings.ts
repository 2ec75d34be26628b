// What of ingest can be set, and the bounds that cannot.

import { HOUR_MS } from './plan/activity.ts';

export interface IngestSettings {
  // `rate`: by each source's own rate, within the budget; `fixed`: each source every `intervalMs`.
  readonly pace: 'rate' | 'fixed';
  readonly intervalMs: number;
  // null: as many as fixed intervals would make.
  readonly callsPerHour: number | null;
  // Of `rate`: no source is looked at more often than this, and none less.
  readonly everyMsMin: number;
  readonly everyMsMax: number;
  readonly concurrencyMax: number;
  readonly retriesMax: number;
  readonly lpaMaxAgeHours: number;
  // Off: every look ascends from the last id and audits the tail.
  readonly isIncrementalOn: boolean;
}

export const INGEST_DEFAULTS: IngestSettings = {
  pace: 'rate',
  intervalMs: 300_000,
  callsPerHour: null,
  everyMsMin: 20_000,
  everyMsMax: HOUR_MS,
  concurrencyMax: 4,
  retriesMax: 3,
  lpaMaxAgeHours: 24,
  isIncrementalOn: true,
};

export const POSTS_PER_CALL = 100;
// So many of the newest posts are compared by id where the platform has not told each change.
export const AUDITED_POSTS = 200;
// And so many at most, where it goes on because it finds something.
export const AUDITED_POSTS_MAX = 2_000;
// Where the reader tells no changes: so often.
export const AUDIT_EVERY_MS = HOUR_MS;
// A platform may tell changes of few channels only: one that was refused is asked again after this time, and looked
// at by pages until then.
export const CHANGES_REFUSED_MS = 24 * HOUR_MS;
// Then the others have their turn; the look goes on in its next one.
export const CALLS_PER_LOOK_MAX = 50;

export const RETRY_MS_FIRST = 1_000;
// Added to what the platform asks for, so that those who wait do not come back together.
export const WAIT_JITTER_MS = 3_000;

// A source that only fails is dead after so many looks in a row, and no sooner than this.
export const FAILED_LOOKS_MAX = 10;
export const FAILED_AGE_MS_MIN = 24 * HOUR_MS;

// The lease of a reader: renewed in time for two renewals to fail.
export const LEASE_MS = 60_000;
export const LEASE_RENEW_MS = LEASE_MS / 3;
