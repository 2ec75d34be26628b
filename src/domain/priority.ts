// Four classes. Critical goes first (bounded, see the scheduler); the others share by weight.

export const PRIORITIES = ['critical', 'high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

// Index in PRIORITIES, used by the scheduler's arrays and by the store.
export const PRIORITY_RANK: Readonly<Record<Priority, number>> = {
  critical: 0,
  high: 1,
  normal: 2,
  low: 3,
};

// RFC 9218 urgency 0…7.
export function priorityOfUrgency(urgency: number): Priority {
  if (urgency <= 1) return 'critical';
  if (urgency === 2) return 'high';
  return urgency <= 5 ? 'normal' : 'low';
}
