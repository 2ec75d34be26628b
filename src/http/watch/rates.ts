// What happened in each of the last seconds, as numbers for a chart: a fold over the road's events into a ring.
// No timer: a second is closed by the first event, or the first question, after it. How many wait is asked then, since
// without an event it cannot have changed.

import type { RoadEvent } from '../../domain/event.ts';

export const SECONDS_KEPT = 900;
export const COUNTED = ['accepted', 'sent', 'limited', 'failed', 'dead'] as const;
export type Counted = (typeof COUNTED)[number];
export type Counts = Record<Counted, number>;

export interface RateSeries extends Readonly<Record<Counted | 'waiting', readonly number[]>> {
  // The second (since the epoch) of the last number; each number before it is a second earlier.
  readonly until: number;
}

export class Rates {
  readonly totals: Counts = zero();
  readonly #waitingNow: () => number;
  readonly #rings = new Map(COUNTED.map((name) => [name, new Uint32Array(SECONDS_KEPT)]));
  readonly #waiting = new Uint32Array(SECONDS_KEPT);
  #second: number;

  constructor(now: number, waitingNow: () => number) {
    this.#second = Math.floor(now / 1000);
    this.#waitingNow = waitingNow;
  }

  readonly listen = (event: RoadEvent): void => {
    const counted = countedAs(event);
    if (counted === null) return;
    this.advance(event.at);
    this.totals[counted] += 1;
    this.#rings.get(counted)![this.#second % SECONDS_KEPT]! += 1;
  };

  // Closes the seconds that are over.
  advance(now: number): void {
    const second = Math.floor(now / 1000);
    if (second <= this.#second) return;
    const waiting = this.#waitingNow();
    const from = Math.max(this.#second, second - SECONDS_KEPT);
    for (let s = from; s < second; s++) this.#waiting[s % SECONDS_KEPT] = waiting;
    for (let s = from + 1; s <= second; s++) {
      for (const ring of this.#rings.values()) ring[s % SECONDS_KEPT] = 0;
    }
    this.#second = second;
  }

  // The last so many seconds that are over.
  series(now: number, seconds: number): RateSeries {
    this.advance(now);
    const until = this.#second - 1;
    const kept = Math.min(seconds, SECONDS_KEPT - 1);
    const cut = (ring: Uint32Array) =>
      Array.from({ length: kept }, (_, i) => ring[(until - kept + 1 + i) % SECONDS_KEPT]!);
    const counts = COUNTED.map((name) => [name, cut(this.#rings.get(name)!)]);
    const cuts = Object.fromEntries(counts) as Record<Counted, number[]>;
    return { ...cuts, waiting: cut(this.#waiting), until };
  }
}

function zero(): Counts {
  return Object.fromEntries(COUNTED.map((name) => [name, 0])) as Counts;
}

function countedAs(event: RoadEvent): Counted | null {
  switch (event.kind) {
    case 'accepted':
      return 'accepted';
    case 'attempted':
      if (event.outcome === 'limited') return 'limited';
      return event.outcome === 'failed' || event.outcome === 'uncertain' ? 'failed' : null;
    case 'moved':
      return event.to === 'sent' || event.to === 'dead' ? event.to : null;
    default:
      return null;
  }
}
