// How fast can a call be? From this follows how late an answered call can have been judged.
//
// A call leaves at d, is judged after the way there f, and its answer is back after r = f + b.
// A later call leaves at d' and is judged at d' + f'. So that the judgements lie `perMs` apart it is
// enough that d' ≥ d + perMs + (f − f'), and f − f' = r − (b + f') ≤ r − least, where `least` is the
// shortest round trip there is. So an answered call counts from d + (r − least): exact, and it costs
// no more than the jitter itself (20 ms on average, of 1000, when answers come within 40–80 ms).
//
// The shortest trip seen so far is not yet the shortest there is. What may be missing shrinks with
// the square root of the number of trips seen (both ways jitter alike: the least sum of two), hence
// the margin. But the first calls of a process leave together, over fresh connections, and are slow
// together: many of them tell no more than one. While too little is known, and in the first seconds,
// `least` is 0: a call counts from the moment of its answer.

const HALF_MS = 150_000;
const SAMPLES_MIN = 32;
const WARM_MS = 2000;
// Few trips that were all slow have a small spread, too: the margin must make up for both.
const MARGIN_SIGMAS = 6;
// Clocks tick and windows have edges.
const MARGIN_MS_MIN = 2;
// A hidden wait is not jitter; it must not widen the margin without bound.
const EXCESS_MS_MAX = 1000;

interface Half {
  since: number;
  samples: number;
  least: number;
  total: number;
}

export class RoundTrips {
  // Two halves of a sliding few minutes, so that the least forgets a route that is no more.
  #older: Half = empty(Number.NEGATIVE_INFINITY);
  #newer: Half = empty(Number.NEGATIVE_INFINITY);
  #trusted = 0;
  #warmAt = Number.POSITIVE_INFINITY;

  observe(tripMs: number, now: number): void {
    this.#warmAt = Math.min(this.#warmAt, now + WARM_MS);
    this.#turn(now);
    const half = this.#newer;
    half.samples += 1;
    half.least = Math.min(half.least, tripMs);
    half.total += Math.min(tripMs, half.least + EXCESS_MS_MAX);
    this.#trusted = this.#estimate();
  }

  // No call is faster than this, as far as can be known.
  least(now: number): number {
    this.#turn(now);
    return now < this.#warmAt ? 0 : this.#trusted;
  }

  // What to expect of the next answer; for estimates only.
  typical(now: number): number {
    this.#turn(now);
    const samples = this.#older.samples + this.#newer.samples;
    return samples === 0 ? 0 : (this.#older.total + this.#newer.total) / samples;
  }

  #turn(now: number): void {
    const age = now - this.#newer.since;
    if (age < HALF_MS) return;
    this.#older = age < 2 * HALF_MS ? this.#newer : empty(now);
    this.#newer = empty(now);
    this.#trusted = this.#estimate();
  }

  #estimate(): number {
    const samples = this.#older.samples + this.#newer.samples;
    if (samples < SAMPLES_MIN) return 0;
    const least = Math.min(this.#older.least, this.#newer.least);
    const spread = (this.#older.total + this.#newer.total) / samples - least;
    const margin = MARGIN_MS_MIN + (MARGIN_SIGMAS * Math.max(0, spread)) / Math.sqrt(samples);
    return Math.max(0, least - margin);
  }
}

function empty(since: number): Half {
  return { since, samples: 0, least: Number.POSITIVE_INFINITY, total: 0 };
}
