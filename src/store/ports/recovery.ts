// The port of a start: what is alive in the store, and which calls were made lately. To be read once, before anything
// is appended.

import type { Queued } from '../../domain/delivery.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { DeliveryPast } from './delivery.ts';

export interface RecoveryStore {
  // Everything queued or sending, in order of seq.
  recover(): AsyncIterable<Recovered>;
  // Attempts begun at or after `since`, oldest first.
  callsSince(since: number): Promise<StoredCall[]>;
}

export type Recovered =
  | { kind: 'queued'; queued: Queued }
  // In flight when the process ended: attempt `n` is in doubt.
  | { kind: 'sending'; queued: Queued; n: number; record: DeliveryPast };

export interface StoredCall {
  readonly account: string;
  readonly chat: string;
  readonly user: string | null;
  readonly family: Queued['family'];
  readonly gate: Queued['gate'];
  readonly live: boolean;
  readonly cost: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outcome: Outcome['kind'] | null;
}
