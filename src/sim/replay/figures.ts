// What a day came to, recorded or replayed, in the same numbers.

import { PRIORITIES, type Priority } from '../../domain/priority.ts';
import type { RecordedDelivery } from '../../domain/recording.ts';

// One delivery that ended: how long after it was accepted (or was due) it, or a newer text in its place, was out.
export interface DayEntry {
  readonly priority: Priority;
  readonly final: boolean;
  // null: it was not sent.
  readonly waitMs: number | null;
}

export interface WaitFigures {
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

export interface DayFigures {
  readonly deliveries: number;
  readonly sent: number;
  // Refused by the platform for their rate.
  readonly limited: number;
  // null: there were none.
  readonly waits: WaitFigures | null;
  readonly classes: Readonly<Record<Priority, WaitFigures | null>>;
  readonly finals: WaitFigures | null;
  readonly finalsLate: number;
}

// People who watch a text grow notice that its end is missing.
export const FINAL_LATE_MS = 3_000;

export function figuresOf(entries: readonly DayEntry[], limited: number): DayFigures {
  const finals = entries.filter(({ final }) => final);
  const classes = PRIORITIES.map((priority) => [
    priority,
    waitsOf(entries.filter((each) => each.priority === priority)),
  ]);
  return {
    deliveries: entries.length,
    sent: entries.filter(({ waitMs }) => waitMs !== null).length,
    limited,
    waits: waitsOf(entries),
    classes: Object.fromEntries(classes) as DayFigures['classes'],
    finals: waitsOf(finals),
    finalsLate: finals.filter(({ waitMs }) => waitMs === null || waitMs > FINAL_LATE_MS).length,
  };
}

// As it was.
export function recordedFigures(deliveries: readonly RecordedDelivery[]): DayFigures {
  const entries = deliveries.map(({ priority, final, state, at, notBefore, endedAt }) => {
    const isOut = (state === 'sent' || state === 'superseded') && endedAt !== null;
    return { priority, final, waitMs: isOut ? endedAt - Math.max(at, notBefore) : null };
  });
  const limited = deliveries.reduce(
    (sum, { attempts }) => sum + attempts.filter(({ outcome }) => outcome === 'limited').length,
    0,
  );
  return figuresOf(entries, limited);
}

function waitsOf(entries: readonly DayEntry[]): WaitFigures | null {
  const sorted = entries.flatMap(({ waitMs }) => waitMs ?? []).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const quantile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!;
  return {
    count: sorted.length,
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
    p99Ms: quantile(0.99),
  };
}
