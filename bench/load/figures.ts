// What a load came to, in numbers.

import { PRIORITIES, type Priority } from '../../src/domain/priority.ts';
import type { Reading, Told } from './stage.ts';

export interface Sample extends Reading {
  // Since the load began.
  readonly atMs: number;
}

export interface ClassFigures {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  // Of what was sent while all classes waited; null: they never did.
  readonly share: number | null;
}

export interface LoadReport {
  readonly name: string;
  // What was done, in a few words.
  readonly what: string;
  readonly lastedMs: number;
  readonly accepted: number;
  readonly sent: number;
  // Accepted, and neither sent nor replaced by a newer text.
  readonly lost: number;
  // Refused by the platform for their rate.
  readonly limited: number;
  readonly acceptP50Ms: number;
  readonly acceptP99Ms: number;
  // From accepted to sent.
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly classes: Readonly<Record<Priority, ClassFigures | null>>;
  readonly samples: readonly Sample[];
  // Further figures, in words.
  readonly notes: readonly string[];
}

interface Facts {
  readonly name: string;
  readonly what: string;
  readonly lastedMs: number;
  readonly told: readonly Told[];
  readonly limited: number;
  readonly acceptMs: readonly number[];
  readonly samples: readonly Sample[];
  readonly notes: readonly string[];
}

export function reportOf(facts: Facts): LoadReport {
  const { name, what, lastedMs, told, limited, acceptMs, samples, notes } = facts;
  const sent = told.filter(({ state }) => state === 'sent');
  const replaced = told.filter(({ state }) => state === 'superseded').length;
  const waits = sent.map(waitMs);
  const contended = sharesWhileAllWait(sent);
  const classes = PRIORITIES.map((priority) => {
    const own = sent.filter((each) => each.priority === priority).map(waitMs);
    if (own.length === 0) return [priority, null];
    const share = contended === null ? null : contended[priority];
    const [p50Ms, p99Ms] = [quantile(own, 0.5), quantile(own, 0.99)];
    return [priority, { count: own.length, p50Ms, p99Ms, share }];
  });
  return {
    ...{ name, what, lastedMs, limited, samples, notes },
    accepted: told.length,
    sent: sent.length,
    lost: told.length - sent.length - replaced,
    acceptP50Ms: quantile(acceptMs, 0.5),
    acceptP99Ms: quantile(acceptMs, 0.99),
    p50Ms: quantile(waits, 0.5),
    p99Ms: quantile(waits, 0.99),
    classes: Object.fromEntries(classes) as LoadReport['classes'],
  };
}

// From the moment at which the last class had come until one of them had nothing left, per account: only then does it
// show how they share. What went at once shared nothing. Summed over the accounts.
export function sharesWhileAllWait(sent: readonly Told[]): Record<Priority, number> | null {
  const counts: Record<Priority, number> = { critical: 0, high: 0, normal: 0, low: 0 };
  for (const own of Map.groupBy(sent, ({ account }) => account).values()) {
    // A wait shorter than a second is a call under way.
    const waited = own.filter((each) => waitMs(each) > 1000);
    const classes = PRIORITIES.map((priority) =>
      waited.filter((each) => each.priority === priority),
    );
    if (classes.some((each) => each.length === 0)) continue;
    const from = Math.max(...classes.map((each) => Math.min(...each.map(acceptedAt))));
    const until = Math.min(...classes.map((each) => Math.max(...each.map(settledAt))));
    for (const each of waited) {
      if (settledAt(each) >= from && settledAt(each) <= until) counts[each.priority] += 1;
    }
  }
  const all = PRIORITIES.reduce((sum, priority) => sum + counts[priority], 0);
  if (all === 0) return null;
  for (const priority of PRIORITIES) counts[priority] /= all;
  return counts;
}

// NaN: of nothing.
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}

function waitMs(told: Told): number {
  return settledAt(told) - acceptedAt(told);
}

function acceptedAt(told: Told): number {
  return Date.parse(told.acceptedAt);
}

function settledAt(told: Told): number {
  return Date.parse(told.settledAt ?? told.acceptedAt);
}
