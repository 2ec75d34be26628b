// How often a source posts, by hour of the week: posts bear their dates, so the rate is observed and not guessed. What
// was seen fades with a half-life, and an hour that was seen little leans on the same hour of other days, and that on
// the mean (a gamma prior of so many hours for a Poisson rate). All times in ms, UTC. Pure.

export const HOUR_MS = 3_600_000;
export const HOURS_PER_WEEK = 168;
const HOURS_PER_DAY = 24;
const WEEK_MS = HOURS_PER_WEEK * HOUR_MS;

export const HALF_LIFE_MS = 3 * WEEK_MS;
// What is older weighs 6 % and is not looked at.
const SEEN_MS_MAX = 12 * WEEK_MS;
// So much time of the next wider view stands in for what was not seen.
const PRIOR_MS = 6 * HOUR_MS;
// A source of which nothing is known: one post in a day.
const UNKNOWN_POSTS = 1;
const UNKNOWN_MS = 24 * HOUR_MS;

export interface Activity {
  // Up to where it was observed; both lists have faded to this time.
  readonly at: number;
  // Posts, and the time that was observed, in each hour of the week.
  readonly posts: readonly number[];
  readonly observedMs: readonly number[];
}

// Of one whose history begins at `from`.
export function newActivity(from: number, now: number): Activity {
  const none = Array<number>(HOURS_PER_WEEK).fill(0);
  const at = Math.min(now, Math.max(from, now - SEEN_MS_MAX));
  return { at, posts: none, observedMs: none };
}

// What was posted on these dates, with everything up to `now` observed.
export function observe(activity: Activity, dates: readonly number[], now: number): Activity {
  const at = Math.max(now, activity.at);
  const faded = fade(at - activity.at);
  const posts = activity.posts.map((count) => count * faded);
  const observedMs = activity.observedMs.map((ms) => ms * faded);
  for (const date of dates) {
    if (date <= at && date > at - SEEN_MS_MAX) posts[hourOfWeek(date)]! += fade(at - date);
  }
  let from = Math.max(activity.at, at - SEEN_MS_MAX);
  while (from < at) {
    const to = Math.min(at, (Math.floor(from / HOUR_MS) + 1) * HOUR_MS);
    observedMs[hourOfWeek(from)]! += (to - from) * fade(at - to);
    from = to;
  }
  return { at, posts, observedMs };
}

// Posts per ms, for each hour of the week.
export function ratesOf({ posts, observedMs }: Activity): Float64Array {
  const mean = (sum(posts) + UNKNOWN_POSTS) / (sum(observedMs) + UNKNOWN_MS);
  const ofDay = Array.from({ length: HOURS_PER_DAY }, (_, hour) => {
    const seen = sum(posts, hour, HOURS_PER_DAY);
    return (seen + mean * PRIOR_MS) / (sum(observedMs, hour, HOURS_PER_DAY) + PRIOR_MS);
  });
  return Float64Array.from(posts, (seen, hour) => {
    const prior = ofDay[hour % HOURS_PER_DAY]! * PRIOR_MS;
    return (seen + prior) / (observedMs[hour]! + PRIOR_MS);
  });
}

// The epoch began on a Thursday; where the week begins does not matter.
export function hourOfWeek(at: number): number {
  return Math.floor(at / HOUR_MS) % HOURS_PER_WEEK;
}

function fade(ms: number): number {
  return 2 ** (-ms / HALF_LIFE_MS);
}

function sum(values: readonly number[], first = 0, step = 1): number {
  let total = 0;
  for (let at = first; at < values.length; at += step) total += values[at]!;
  return total;
}
