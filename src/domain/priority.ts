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

// Which class each kind of output travels in where its caller names none. null: in that of the message it belongs to.
export interface OutputClasses {
  readonly message: Priority;
  // To someone who wrote just now.
  readonly answer: Priority;
  // What the system says of itself.
  readonly notice: Priority;
  // A text that still grows, and its last one.
  readonly preview: Priority | null;
  readonly final: Priority | null;
}

export const OUTPUT_CLASSES: OutputClasses = Object.freeze({
  message: 'normal',
  answer: 'high',
  notice: 'high',
  preview: null,
  final: null,
});

export interface ClassedOutput {
  // As its caller named it; null: it did not.
  readonly asked: Priority | null;
  // Of the message it belongs to.
  readonly base: Priority;
  readonly step: 'preview' | 'final' | null;
}

export function priorityOf(classes: OutputClasses, { asked, base, step }: ClassedOutput): Priority {
  return asked ?? (step === null ? null : classes[step]) ?? base;
}
