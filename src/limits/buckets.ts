// What a platform itself says of its buckets, answer by answer: so many calls are left until it is full again. Beside
// the windows, which are ours: a bucket only holds back, and knows of calls that others made with the same credential.
// A call without an answer may or may not be counted in what the last answer said, so it is taken for one that is not.

import type { ObservedBucket } from '../domain/outcome.ts';
import type { Cause } from './words.ts';

interface Bucket {
  limit: number;
  remaining: number;
  // When it is full again; 0: nothing is known.
  resetAt: number;
  inFlight: number;
  learnedAt: number;
}

const OVERTAKING_MS = 250;
const UNKNOWN = { limit: 0, remaining: 0, resetAt: 0, inFlight: 0, learnedAt: 0 };

export class Buckets {
  // By chat and route.
  readonly #buckets = new Map<string, Bucket>();
  #sweep: Iterator<[string, Bucket]> | null = null;

  get size(): number {
    return this.#buckets.size;
  }

  earliest(chat: string, route: string | undefined, now: number): number {
    const bucket = route === undefined ? undefined : this.#buckets.get(keyOf(chat, route));
    if (bucket === undefined || bucket.resetAt <= now) return now;
    return bucket.remaining - bucket.inFlight > 0 ? now : bucket.resetAt;
  }

  hold(chat: string, route: string | undefined): void {
    if (route === undefined) return;
    const key = keyOf(chat, route);
    const bucket = this.#buckets.get(key) ?? { ...UNKNOWN };
    bucket.inFlight += 1;
    this.#buckets.set(key, bucket);
  }

  // `observed`: what the answer said, if it did.
  settle(
    chat: string,
    route: string | undefined,
    observed: ObservedBucket | undefined,
    now: number,
  ): void {
    const key = route === undefined ? '' : keyOf(chat, route);
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return;
    bucket.inFlight -= 1;
    if (observed !== undefined) learn(bucket, observed, now);
    if (isIdle(bucket, now)) this.#buckets.delete(key);
  }

  // Why it waits; null: no bucket holds it.
  explain(chat: string, route: string | undefined, now: number): Cause | null {
    const until = this.earliest(chat, route, now);
    if (route === undefined || until <= now) return null;
    const { limit } = this.#buckets.get(keyOf(chat, route))!;
    const detail = `the platform says that none of ${limit} are left until it is full again`;
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
function learn(bucket: Bucket, observed: ObservedBucket, now: number): void {
  const { limit, remaining, resetAfterMs } = observed;
  const isClose = now - bucket.learnedAt < OVERTAKING_MS && bucket.resetAt > now;
  bucket.limit = limit;
  bucket.remaining = isClose ? Math.min(remaining, bucket.remaining) : remaining;
  bucket.resetAt = Math.max(isClose ? bucket.resetAt : 0, now + resetAfterMs);
  bucket.learnedAt = now;
}

function isIdle({ inFlight, resetAt }: Bucket, now: number): boolean {
  return inFlight === 0 && resetAt <= now;
}

function keyOf(chat: string, route: string): string {
  return `${route} ${chat}`;
}
