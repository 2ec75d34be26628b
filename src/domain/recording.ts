// A day of traffic as it is recorded, to be replayed against another policy: when, how much, of which class, and what
// became of it. Nothing of what was said, and no id that could be traced back.

import type { Family } from './call.ts';
import type { State } from './delivery.ts';
import type { Outcome } from './outcome.ts';
import type { Priority } from './priority.ts';

// In the first version `budget` was called `gate`.
export const RECORDING_VERSION = 2;

export interface RecordingHead {
  readonly recording: typeof RECORDING_VERSION;
  // Milliseconds since the epoch; all other times are counted from here.
  readonly since: number;
  readonly until: number;
}

export interface RecordedDelivery {
  readonly at: number;
  readonly platform: string;
  // Pseudonyms, of this recording alone. The sign of a chat's id stays: by it groups are told from people.
  readonly account: string;
  readonly chat: string;
  // Of the chat; '' is the chat itself.
  readonly lane: string;
  readonly slot: string | null;
  readonly method: string;
  readonly family: Family;
  readonly budget: string;
  readonly priority: Priority;
  readonly cost: number;
  readonly bytes: number;
  readonly live: boolean;
  readonly final: boolean;
  // 0: at once / never.
  readonly notBefore: number;
  readonly expiresAt: number;
  readonly state: State;
  readonly endedAt: number | null;
  readonly attempts: readonly RecordedAttempt[];
}

export interface RecordedAttempt {
  readonly at: number;
  // null: no answer was recorded.
  readonly tookMs: number | null;
  readonly outcome: Outcome['kind'] | null;
}
