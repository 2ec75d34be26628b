// When may the next call go? Pure: `now` is an argument, nothing sleeps, nothing is random.
// This file is the folder's entry; `AccountLimits` is all of it that keeps state.

export { AccountLimits } from './account-limits.ts';
export { withRules } from './added-rules.ts';
export { LEARNING, type LearningSettings } from './learning.ts';
export { shiftRecord } from './records.ts';
export { RoundTrips } from './rolling-window.ts';
export type {
  Ahead,
  Cause,
  Charge,
  ChatView,
  FreezeScope,
  Learned,
  LimitRecord,
  PastCall,
  Plan,
  Priors,
  Rule,
  Signal,
  Ticket,
} from './types.ts';
export { sayWindow } from './wording.ts';
