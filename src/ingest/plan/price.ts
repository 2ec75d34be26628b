// When a source is looked at next. Posts are not lost by looking late, they are late: so a look is due when the time
// that posts are expected to have waited, D(t) = w ∫ λ(s) (t − s) ds since the last look, has reached a price. For a
// steady rate that is every √(2c / wλ), which makes the least delay of a number of calls. The price is one for all
// sources, and is the one at which they make as many calls as the budget has. Pure.

import { HOUR_MS, HOURS_PER_WEEK, hourOfWeek } from './activity.ts';

export interface LookBounds {
  readonly everyMsMin: number;
  readonly everyMsMax: number;
}

export interface Rated {
  // Posts per ms by hour of the week.
  readonly rates: Float64Array;
  // How much a wait for this source counts.
  readonly weight: number;
}

export function dueAfter(
  { rates, weight }: Rated,
  lookedAt: number,
  price: number,
  { everyMsMin, everyMsMax }: LookBounds,
): number {
  const latest = lookedAt + everyMsMax;
  let from = lookedAt;
  let expected = 0;
  let waited = 0;
  while (from < latest) {
    const to = Math.min(latest, (Math.floor(from / HOUR_MS) + 1) * HOUR_MS);
    const rate = weight * rates[hourOfWeek(from)]!;
    const ms = to - from;
    const then = waited + expected * ms + (rate * ms * ms) / 2;
    if (then >= price) {
      const due = from + root(rate / 2, expected, waited - price);
      return Math.min(latest, Math.max(lookedAt + everyMsMin, due));
    }
    waited = then;
    expected += rate * ms;
    from = to;
  }
  return latest;
}

// The positive x of ax² + bx + c = 0, for a, b ≥ 0 and c ≤ 0; this form keeps its digits where a is next to nothing.
function root(a: number, b: number, c: number): number {
  const divisor = b + Math.sqrt(b * b - 4 * a * c);
  return divisor === 0 ? 0 : (-2 * c) / divisor;
}

// Halved so often, the price is known to some millionths.
const HALVINGS = 24;
const PRICE_MS_MIN = 1e-3;
const PRICE_MS_MAX = 1e15;

// At which these sources make `callsPerMs` together, as near as the bounds of each allow.
export function priceOf(sources: readonly Rated[], callsPerMs: number, bounds: LookBounds): number {
  const roots = sources.map(({ rates, weight }) => rates.map((rate) => Math.sqrt(rate * weight)));
  let low = Math.log(PRICE_MS_MIN);
  let high = Math.log(PRICE_MS_MAX);
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (callsAt(roots, Math.exp(middle), bounds) > callsPerMs) low = middle;
    else high = middle;
  }
  return Math.exp(high);
}

function callsAt(
  roots: readonly Float64Array[],
  price: number,
  { everyMsMin, everyMsMax }: LookBounds,
): number {
  const scale = 1 / Math.sqrt(2 * price);
  const most = 1 / everyMsMin;
  const least = 1 / everyMsMax;
  let calls = 0;
  for (const each of roots) {
    for (const root of each) calls += Math.min(most, Math.max(least, root * scale));
  }
  return calls / HOURS_PER_WEEK;
}

// Of the budget, how much is left after these waits the platform has asked for: each halves it, and what it took
// comes back within hours.
const BACK_MS = 2 * HOUR_MS;
const SHARE_MIN = 1 / 16;

export function shareAfterWaits(waitedAt: readonly number[], now: number): number {
  let share = 1;
  for (const at of waitedAt) share *= 1 - 0.5 * Math.exp(-Math.max(0, now - at) / BACK_MS);
  return Math.max(SHARE_MIN, share);
}
