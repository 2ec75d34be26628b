// What ingest counts, in plain numbers, under the names that dashboards know; made into samples when they are asked
// for.

import type { ReadFailure } from '../platforms/history.ts';
import type { Mode } from './plan/plan.ts';

export type LockStatus = 'acquired' | 'renewed' | 'busy' | 'lost';

// Of a look, s. One that takes longer than the last is an alert's business.
const LOOK_S_BUCKETS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

export class IngestCounters {
  readonly lock: Record<LockStatus, number> = { acquired: 0, renewed: 0, busy: 0, lost: 0 };
  readonly retries: Record<ReadFailure, number> = {
    timeout: 0,
    connection: 0,
    network: 0,
    server: 0,
  };
  readonly posts: Record<Mode, number> = { historical: 0, incremental: 0 };
  readonly looks: Record<Mode, number> = { historical: 0, incremental: 0 };
  readonly emptyLooks: Record<Mode, number> = { historical: 0, incremental: 0 };
  // What the platforms have asked for, in all.
  waitMs = 0;
  forcedStale = 0;
  calls = 0;
  // 0: not yet.
  lastTickAt = 0;
  readonly lookSeconds = new Histogram(LOOK_S_BUCKETS);
}

export class Histogram {
  readonly bounds: readonly number[];
  // Of each bound, how many were not above it and above the one before; the last has no bound.
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array<number>(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    const i = this.bounds.findIndex((bound) => value <= bound);
    this.counts[i === -1 ? this.bounds.length : i]! += 1;
    this.sum += value;
  }
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

// A channel is a time series of its own, so they are the oldest ones only.
const AGES_SHOWN_MAX = 100;

export interface MarkAge {
  readonly channelId: string;
  readonly ageMs: number;
}

export function samplesOf(
  counters: IngestCounters,
  ages: readonly MarkAge[],
  intervalMs: number,
): Sample[] {
  const { lookSeconds } = counters;
  let below = 0;
  const buckets = lookSeconds.counts.map((count, i) => {
    below += count;
    const le = String(lookSeconds.bounds[i] ?? '+Inf');
    return { name: 'parser_latency_seconds_bucket', labels: { le }, value: below };
  });
  const oldest = ages.toSorted((a, b) => b.ageMs - a.ageMs).slice(0, AGES_SHOWN_MAX);
  return [
    ...by('scheduler_lock_acquired_total', 'status', counters.lock),
    one('scheduler_last_tick_ts_seconds', counters.lastTickAt / 1000),
    one('scheduler_interval_seconds', intervalMs / 1000),
    ...oldest.map(({ channelId, ageMs }) => ({
      name: 'parser_hwm_age_seconds',
      labels: { channel_id: channelId },
      value: ageMs / 1000,
    })),
    ...by('parser_retries_total', 'reason', counters.retries),
    one('parser_floodwait_seconds_total', counters.waitMs / 1000),
    ...by('parser_mode_forced_total', 'reason', { stale_lpa: counters.forcedStale }),
    ...by('posts_parsed_total', 'mode', counters.posts),
    ...by('parser_looks_total', 'mode', counters.looks),
    ...by('parser_empty_looks_total', 'mode', counters.emptyLooks),
    one('parser_calls_total', counters.calls),
    ...buckets,
    one('parser_latency_seconds_sum', lookSeconds.sum),
    one('parser_latency_seconds_count', below),
  ];
}

function one(name: string, value: number): Sample {
  return { name, labels: {}, value };
}

function by(name: string, label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([key, value]) => ({ name, labels: { [label]: key }, value }));
}
