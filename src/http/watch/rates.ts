// What happened in each of the last seconds, as numbers for a chart: the road's counts, read once a second into a ring.
// Nothing is done for a single event.

import type { RoadCounts } from '../../domain/event.ts';
import type { Periodic, PeriodicJob } from '../../system/periodic.ts';

export const SECONDS_KEPT = 900;
export const COUNTED = ['accepted', 'sent', 'limited', 'failed', 'dead'] as const;
export type Counted = (typeof COUNTED)[number];
export type Counts = Record<Counted, number>;

export interface RateSeries extends Readonly<Record<Counted | 'waiting', readonly number[]>> {
  // The second (since the epoch) of the last number; each number before it is a second earlier.
  readonly until: number;
}

export interface RatesParts {
  readonly periodic: Periodic;
  // Of the job.
  readonly name: string;
  readonly counts: () => RoadCounts;
  readonly waitingNow: () => number;
}

export class Rates {
  readonly #p: RatesParts;
  readonly #rings = new Map(COUNTED.map((name) => [name, new Uint32Array(SECONDS_KEPT)]));
  readonly #waiting = new Uint32Array(SECONDS_KEPT);
  // As they were when the second began that runs.
  #before: RoadCounts;
  #second: number;
  readonly #job: PeriodicJob;

  constructor(parts: RatesParts) {
    this.#p = parts;
    this.#before = { ...parts.counts() };
    const { periodic, name } = parts;
    const { clock } = periodic;
    this.#second = Math.floor(clock.now() / 1000);
    this.#job = periodic.job({
      name,
      everyMs: () => 1000 - (clock.now() % 1000),
      run: () => this.#advance(),
    });
    void this.#job.start();
  }

  stop(): Promise<void> {
    return this.#job.stop(0);
  }

  // Since the start.
  get totals(): Counts {
    const counts = this.#p.counts();
    const totals = COUNTED.map((name) => [name, counts[name]]);
    return Object.fromEntries(totals) as Counts;
  }

  // Closes the seconds that are over. After a pause all that came meanwhile counts in the first of them.
  #advance(): void {
    const second = Math.floor(this.#p.periodic.clock.now() / 1000);
    if (second <= this.#second) return;
    const counts = this.#p.counts();
    const waiting = this.#p.waitingNow();
    const from = Math.max(this.#second, second - SECONDS_KEPT);
    for (const [name, ring] of this.#rings) {
      ring[from % SECONDS_KEPT] = counts[name] - this.#before[name];
      for (let s = from + 1; s < second; s++) ring[s % SECONDS_KEPT] = 0;
    }
    for (let s = from; s < second; s++) this.#waiting[s % SECONDS_KEPT] = waiting;
    this.#before = { ...counts };
    this.#second = second;
  }

  // The last so many seconds that are over.
  series(seconds: number): RateSeries {
    this.#advance();
    const until = this.#second - 1;
    const kept = Math.min(seconds, SECONDS_KEPT - 1);
    const cut = (ring: Uint32Array) =>
      Array.from({ length: kept }, (_, i) => ring[(until - kept + 1 + i) % SECONDS_KEPT]!);
    const counts = COUNTED.map((name) => [name, cut(this.#rings.get(name)!)]);
    const cuts = Object.fromEntries(counts) as Record<Counted, number[]>;
    return { ...cuts, waiting: cut(this.#waiting), until };
  }
}
