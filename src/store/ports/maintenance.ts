// The port of what concerns the store as a whole: retention, the spool's files, and a wall clock that was set. Run by
// one process at a time, whoever owns the accounts.

import type { StoredLimit } from './limits.ts';

export interface MaintenanceStore {
  // When the last attempt began, or ended if it has; 0: there was none.
  lastCallAt(): Promise<number>;
  // The wall clock has been set: times that were written by it as it was become times as it is, all of it in one
  // transaction. To be done before anything is read.
  shiftTimes(shift: TimeShift): Promise<void>;
  // Files of the spool that a delivery may still need: it waits, is being sent, or may be retried by hand.
  // What belonged to the others is forgotten.
  filesInUse(): Promise<string[]>;
  // Removes what ended long ago, at most `max` deliveries; says how many.
  prune(command: PruneCommand): Promise<number>;
}

export interface PruneCommand {
  // Of what was sent, superseded, expired or cancelled.
  readonly endedBefore: number;
  // Of what is dead or uncertain, and may be wanted again; taken after the others.
  readonly deadBefore: number;
  readonly max: number;
}

export interface TimeShift {
  readonly now: number;
  // Of attempts begun at or after `since`, and of those begun after them; what is older is only read by people.
  readonly calls: { readonly since: number; readonly byMs: number };
  // Of what is queued or being sent: when it is tried again, when it expires, and when it came, which is not after now.
  // A time its caller gave (see isScheduled) stays. No try is later than `dueAtMax`.
  readonly waiting: { readonly byMs: number; readonly dueAtMax: number };
  // Saved with it.
  readonly limits: readonly StoredLimit[];
}
