// What was learned about one rule in one place: how much of the prior to believe.
// A refusal halves it, a slow success takes a tenth; quiet time gives it back in steps. The factor is
// a function of the last fall and the time since, so only falls are written to disk, and time that
// passed while the process was down counts like any other.

export interface LearningSettings {
  // Quiet time before the first step up: doubled by every further offence.
  readonly quietMsBase: number;
  readonly quietMsMax: number;
  // One offence is forgotten per so much quiet.
  readonly offenceMs: number;
  // A success that took so long had its flood wait hidden in it; longer ones were something else.
  readonly slowMsMin: number;
  readonly slowMsMax: number;
  // Two chats refused within this are evidence against the account.
  readonly momentMs: number;
}

export const LEARNING: LearningSettings = {
  quietMsBase: 10 * 60_000,
  quietMsMax: 24 * 3_600_000,
  offenceMs: 24 * 3_600_000,
  slowMsMin: 1000,
  // The platform hides waits up to 8 s; the rest is the call itself.
  slowMsMax: 9000,
  momentMs: 5000,
};

export const FACTOR_MIN = 0.02;
// Slowness alone proves little (the platform may just be busy): it never lowers further than this.
export const SLOW_FACTOR_MIN = 0.4;
const REFUSED = 0.5;
const SLOWED = 0.9;
const STEP = 0.05;
// A step up takes this part of the quiet time before it.
const STEPS_PER_QUIET = 10;
const OFFENCES_MAX = 16;

export interface LearnedRate {
  // The factor after the last fall; it held good for as long as the quiet lasted.
  factor: number;
  offences: number;
  fellAt: number;
}

export function newRate(): LearnedRate {
  return { factor: 1, offences: 0, fellAt: Number.NEGATIVE_INFINITY };
}

export function offencesAt(rate: LearnedRate, now: number, settings: LearningSettings): number {
  if (rate.offences === 0) return 0;
  return Math.max(0, rate.offences - Math.floor((now - rate.fellAt) / settings.offenceMs));
}

export function factorAt(rate: LearnedRate, now: number, settings: LearningSettings): number {
  if (rate.factor === 1) return 1;
  const doubled = settings.quietMsBase * 2 ** Math.max(0, rate.offences - 1);
  const quiet = Math.min(doubled, settings.quietMsMax);
  const beyond = now - rate.fellAt - quiet;
  if (beyond < 0) return rate.factor;
  const steps = 1 + Math.floor(beyond / (quiet / STEPS_PER_QUIET));
  return Math.min(1, rate.factor + STEP * steps);
}

// The call that proves the rule too generous must have been made under the rule as it is now:
// what was in flight when the rate fell has nothing new to say.
export function refuse(
  rate: LearnedRate,
  takenAt: number,
  now: number,
  settings: LearningSettings,
) {
  if (takenAt < rate.fellAt) return false;
  fall(rate, REFUSED, FACTOR_MIN, now, settings);
  rate.offences = Math.min(OFFENCES_MAX, offencesAt(rate, now, settings) + 1);
  rate.fellAt = now;
  return true;
}

// Notes a refusal that the rule does not explain. The second one counts.
export function warn(rate: LearnedRate, takenAt: number, now: number, settings: LearningSettings) {
  if (takenAt < rate.fellAt) return false;
  if (offencesAt(rate, now, settings) > 0) return refuse(rate, takenAt, now, settings);
  rate.offences = 1;
  rate.fellAt = now;
  return true;
}

// At most once per window: the calls of one window all tell of the same excess.
export function slow(
  rate: LearnedRate,
  perMs: number,
  takenAt: number,
  now: number,
  settings: LearningSettings,
): boolean {
  if (takenAt < rate.fellAt || now - rate.fellAt < perMs) return false;
  if (factorAt(rate, now, settings) <= SLOW_FACTOR_MIN) return false;
  fall(rate, SLOWED, SLOW_FACTOR_MIN, now, settings);
  rate.fellAt = now;
  return true;
}

// On the way up again the steps below have held: fall to the last but one, not to the bottom.
function fall(
  rate: LearnedRate,
  by: number,
  least: number,
  now: number,
  settings: LearningSettings,
) {
  const current = factorAt(rate, now, settings);
  const held = current > rate.factor ? Math.max(rate.factor, current - 2 * STEP) : least;
  rate.factor = Math.max(held, least, current * by);
}

// Nothing is left to remember.
export function isSpent(rate: LearnedRate, now: number, settings: LearningSettings): boolean {
  return factorAt(rate, now, settings) === 1 && offencesAt(rate, now, settings) === 0;
}

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
