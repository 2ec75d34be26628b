// Faults of the gateway itself: an exception where none was expected. Each is contained where it happened; the stage
// says where, for metrics and the log.

export const FAULT_STAGES = [
  // One attempt of a delivery, which is dead by it.
  'attempt',
  // A typing sign or a draft.
  'cosmetic',
  // Something on disk that could not be taken up at the start.
  'recovery',
  // The platform's own description of its limits.
  'limits',
  // A listener to the road's events.
  'listener',
  // A platform's call outside the queue: whose a token is, reads, downloads.
  'call',
  'stream',
  'broadcast',
  'update',
  // A row of the store is not what was written; that delivery is dead by it.
  'store',
] as const;
export type FaultStage = (typeof FAULT_STAGES)[number];

// `about` names what was at work (a delivery, an account), never its content.
export type ReportFault = (
  stage: FaultStage,
  error: unknown,
  about: Readonly<Record<string, string | number | null>>,
) => void;

// The reason of a delivery that died by an exception within the gateway.
export const INTERNAL = 'internal';
// And of one whose row in the store is not what was written.
export const DAMAGED = 'damaged';
