// A simulated month of a thousand channels: how long a post waits to be seen, by looks at fixed intervals and by each
// source's own rate, which is learned on the way. Channels differ as real ones do (their rates are lognormal), sleep at
// night, and rest at weekends. The first two weeks are learning and not measured.

import { INGEST_DEFAULTS } from '../../src/ingest/ingest.ts';
import {
  type Activity,
  HOUR_MS,
  hourOfWeek,
  newActivity,
  observe,
  ratesOf,
} from '../../src/ingest/plan/activity.ts';
import { dueAfter, priceOf } from '../../src/ingest/plan/price.ts';
import { type Random, seededRandom } from '../../src/system/random.ts';
import { type Row, ratioRow } from '../row.ts';

const CHANNELS = 1_000;
const DAY_MS = 24 * HOUR_MS;
const LEARNING_DAYS = 14;
const MEASURED_DAYS = 28;
const START = 1_760_000_000_000;
const MEASURED_FROM = START + LEARNING_DAYS * DAY_MS;
const END = MEASURED_FROM + MEASURED_DAYS * DAY_MS;
// Posts a day of the middle channel, and how far the others are from it.
const MEDIAN_PER_DAY = 8;
const SIGMA = 1.5;

interface Seen {
  readonly calls: number;
  readonly meanMs: number;
}

export async function delay(): Promise<Row[]> {
  const random = seededRandom(16);
  const channels = Array.from({ length: CHANNELS }, () => datesOf(random));
  const fixed = byInterval(channels);
  // What is learned is not exact: a little less is asked for, so that it is no more than the other's.
  const same = byRate(channels, 0.99);
  const fewer = byRate(channels, 0.55);
  const text = ({ meanMs, calls }: Seen) =>
    `${(meanMs / 1000).toFixed(0)} s with ${(calls / 1e6).toFixed(2)} M calls`;
  const mean = (seen: Seen) => ({ value: seen.meanMs, text: text(seen) });
  const calls = (seen: Seen) => ({ value: seen.calls, text: text(seen) });
  return [
    ratioRow('mean delay of a post, same calls', mean(same), mean(fixed), { atMost: 0.7 }),
    ratioRow('calls of that', calls(same), calls(fixed), { atMost: 1 }),
    ratioRow('mean delay of a post, fewer calls', mean(fewer), mean(fixed), { atMost: 1 }),
    ratioRow('calls of that', calls(fewer), calls(fixed), { atMost: 0.6 }),
  ];
}

function byInterval(channels: readonly Float64Array[]): Seen {
  const { intervalMs } = INGEST_DEFAULTS;
  let waited = 0;
  let posts = 0;
  for (const dates of channels) {
    for (const date of dates) {
      if (date < MEASURED_FROM) continue;
      waited += intervalMs - ((date - START) % intervalMs);
      posts += 1;
    }
  }
  const calls = (channels.length * (END - MEASURED_FROM)) / intervalMs;
  return { calls, meanMs: waited / posts };
}

class Watched {
  readonly #dates: Float64Array;
  #seen = 0;
  #lookedAt = START;
  #activity: Activity = newActivity(START, START);
  rates = ratesOf(this.#activity);
  readonly weight = 1;
  calls = 0;
  posts = 0;
  waitedMs = 0;

  constructor(dates: Float64Array) {
    this.#dates = dates;
  }

  live(until: number, price: number): void {
    for (;;) {
      const due = dueAfter(this, this.#lookedAt, price, INGEST_DEFAULTS);
      if (due >= until) break;
      this.#look(due);
    }
  }

  learn(): void {
    this.rates = ratesOf(this.#activity);
  }

  #look(now: number): void {
    const from = this.#seen;
    while (this.#seen < this.#dates.length && this.#dates[this.#seen]! <= now) this.#seen += 1;
    this.#lookedAt = now;
    if (now >= MEASURED_FROM) this.calls += 1;
    if (this.#seen === from) return;
    const dates = this.#dates.subarray(from, this.#seen);
    for (const date of dates) {
      if (date < MEASURED_FROM) continue;
      this.posts += 1;
      this.waitedMs += now - date;
    }
    this.#activity = observe(this.#activity, [...dates], now);
  }
}

// The price is found again each day from what was learned until then.
function byRate(channels: readonly Float64Array[], share: number): Seen {
  const watched = channels.map((dates) => new Watched(dates));
  const callsPerMs = (share * channels.length) / INGEST_DEFAULTS.intervalMs;
  for (let day = START; day < END; day += DAY_MS) {
    const price = priceOf(watched, callsPerMs, INGEST_DEFAULTS);
    for (const each of watched) {
      each.live(day + DAY_MS, price);
      each.learn();
    }
  }
  const total = (of: 'calls' | 'posts' | 'waitedMs') =>
    watched.reduce((sum, each) => sum + each[of], 0);
  return { calls: total('calls'), meanMs: total('waitedMs') / total('posts') };
}

// When a channel posts, hour by hour: most in its own evening, less at weekends.
function datesOf(random: Random): Float64Array {
  const perDay = MEDIAN_PER_DAY * Math.exp(SIGMA * normal(random));
  const peak = 24 * random.next();
  const dates: number[] = [];
  for (let hour = START; hour < END; hour += HOUR_MS) {
    const ofWeek = hourOfWeek(hour);
    const rhythm = Math.exp(1.5 * Math.cos(((ofWeek - peak) / 24) * 2 * Math.PI)) / 1.65;
    const isWeekend = ofWeek >= 48 && ofWeek < 96;
    const expected = (perDay / 24) * rhythm * (isWeekend ? 0.5 : 1.2);
    let at = exponential(random) / expected;
    for (; at < 1; at += exponential(random) / expected) dates.push(hour + at * HOUR_MS);
  }
  return Float64Array.from(dates);
}

function exponential(random: Random): number {
  return -Math.log(1 - random.next());
}

function normal(random: Random): number {
  return Math.sqrt(2 * exponential(random)) * Math.cos(2 * Math.PI * random.next());
}
