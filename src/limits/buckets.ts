// What a platform itself says of its buckets, answer by answer: so many calls are left until the reset. It comes on top
// of our windows: a bucket only holds back, and also counts calls that others made with the same credential. A call in
// flight may or may not be counted in the last answer, so it is counted once more.
//
// Used capacity may come back all at once, at the reset, or one call at a time until then, and no single answer says
// which. Two answers do: in a window the reset stays where it is; where capacity comes back one by one, each call moves
// the reset away by the time one call needs. Until that was seen, an empty bucket is taken for a window. From then on
// it admits a call as soon as the reset is no further away than the other calls need. One call needs at least the time
// to the reset divided by the calls used: the largest such quotient seen is never too large, so nothing goes early.

import type { ObservedBucket } from '../domain/outcome.ts';
import type { Cause } from './types.ts';

interface Bucket {
  limit: number;
  remaining: number;
  // When it is full again; 0: nothing is known.
  resetAt: number;
  inFlight: number;
  learnedAt: number;
  // They come back one by one, each in at least `slotMs`.
  isGradual: boolean;
  slotMs: number;
}

export interface BucketAnswer {
  // What it said, if it did.
  readonly observed: ObservedBucket | undefined;
  // It said that the call was one too many.
  readonly isLimited: boolean;
  // When the call began.
  readonly takenAt: number;
}

const OVERTAKING_MS = 250;
// The network alone moves the reset by less.
const MOVED_MS_MIN = 250;
// Times are told in whole milliseconds, rounded up.
const ROUNDED_MS = 1;
const UNKNOWN = {
  ...{ limit: 0, remaining: 0, resetAt: 0, inFlight: 0, learnedAt: 0 },
  ...{ isGradual: false, slotMs: 0 },
};

export class Buckets {
  // By chat and route.
  readonly #buckets = new Map<string, Bucket>();
  #sweep: Iterator<[string, Bucket]> | null = null;

  get size(): number {
    return this.#buckets.size;
  }

  earliest(chat: string, route: string, now: number): number {
    const bucket = this.#buckets.get(keyOf(chat, route));
    if (bucket === undefined || bucket.remaining - bucket.inFlight > 0) return now;
    return Math.max(now, bucket.isGradual ? roomAt(bucket, now) : bucket.resetAt);
  }

  hold(chat: string, route: string): void {
    const key = keyOf(chat, route);
    const bucket = this.#buckets.get(key) ?? { ...UNKNOWN };
    bucket.inFlight += 1;
    this.#buckets.set(key, bucket);
  }

  settle(
    chat: string,
    route: string,
    { observed, isLimited, takenAt }: BucketAnswer,
    now: number,
  ): void {
    const key = keyOf(chat, route);
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return;
    bucket.inFlight -= 1;
    if (observed !== undefined) learn(bucket, observed, takenAt, now);
    // Whatever was believed of it was wrong.
    if (isLimited) Object.assign(bucket, { isGradual: false, slotMs: 0 });
    if (isIdle(bucket, now)) this.#buckets.delete(key);
  }

  // Why it waits; null: no bucket holds it.
  explain(chat: string, route: string, now: number): Cause | null {
    const until = this.earliest(chat, route, now);
    if (until <= now) return null;
    const { limit } = this.#buckets.get(keyOf(chat, route))!;
    const detail = `the platform says that none of ${limit} are left`;
    return { kind: 'window', name: route, scope: 'route', until, detail };
  }

  // Looks at up to `max`, going round.
  forgetIdle(now: number, max: number): void {
    for (let looked = 0; looked < max; looked++) {
      this.#sweep ??= this.#buckets.entries();
      const step = this.#sweep.next();
      if (step.done === true) {
        this.#sweep = null;
        return;
      }
      const [key, bucket] = step.value;
      if (isIdle(bucket, now)) this.#buckets.delete(key);
    }
  }
}

// Answers overtake each other: of two that come close together the one that leaves less counts.
function learn(bucket: Bucket, observed: ObservedBucket, takenAt: number, now: number): void {
  const { limit, remaining, resetAfterMs } = observed;
  const isSame = limit === bucket.limit && bucket.resetAt > now;
  const resetAt = now + resetAfterMs;
  bucket.isGradual = isSame && (bucket.isGradual || isMoved(bucket, remaining, resetAt));
  const slotMs = remaining < limit ? (resetAfterMs - ROUNDED_MS) / (limit - remaining) : 0;
  bucket.slotMs = Math.max(isSame ? bucket.slotMs : 0, slotMs);
  // A call that began after the last answer was judged after it, and its answer tells all there is: an answer that was
  // slow makes the reset look late once, not for good.
  const isOlder = takenAt < bucket.learnedAt;
  const isNear = now - bucket.learnedAt < OVERTAKING_MS;
  const isClose = isSame && (bucket.isGradual ? isOlder : isNear);
  bucket.limit = limit;
  bucket.remaining = isClose ? Math.min(remaining, bucket.remaining) : remaining;
  bucket.resetAt = Math.max(isClose ? bucket.resetAt : 0, resetAt);
  bucket.learnedAt = now;
}

// Of two answers the one that leaves less is the later one, whichever came first. A new window leaves more.
function isMoved(bucket: Bucket, remaining: number, resetAt: number): boolean {
  if (remaining === bucket.remaining) return false;
  const movedMs = (resetAt - bucket.resetAt) * Math.sign(bucket.remaining - remaining);
  return movedMs > MOVED_MS_MIN;
}

// When one more fits in, beside what is used and what is under way.
function roomAt({ limit, inFlight, resetAt, slotMs }: Bucket, now: number): number {
  const others = limit - 1 - inFlight;
  return (others < 0 ? Math.max(resetAt, now) : resetAt) - others * slotMs;
}

function isIdle({ inFlight, resetAt }: Bucket, now: number): boolean {
  return inFlight === 0 && resetAt <= now;
}

function keyOf(chat: string, route: string): string {
  return `${route} ${chat}`;
}
