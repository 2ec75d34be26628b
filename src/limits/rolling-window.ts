// At most so many in ANY span of time: the moments at which the platform may have judged our calls.
// The one hard thing is the network. A call that left at d is judged some time later, and two calls
// that leave a second apart may be judged less than a second apart. Hence two rules, and no padding:
//   - a call without an answer may be judged at any time, so it keeps its capacity (`held`);
//   - an answered call is entered at the latest moment at which it can have been judged
//     (see RoundTrips), relative to the fastest call that could follow it.
// Count and span come from the caller, because they are learned; the window only knows times.

// An array that grows by push starts with space for seventeen and then half as many again. Chats are
// many and their windows short, so short arrays are copied to measure instead.
const COPIED_MAX = 24;
// Shared by the windows that have seen nothing; never written to.
const NONE: number[] = [];

export class RollingWindow {
  // Sorted, one entry per unit of cost; the entries before #head are gone.
  #times: number[] = NONE;
  #head = 0;
  #held = 0;

  get held(): number {
    return this.#held;
  }

  // The newest known moment of judgement; kept until a newer one comes, however old.
  get last(): number {
    return this.#times.at(-1) ?? Number.NEGATIVE_INFINITY;
  }

  used(perMs: number, now: number): number {
    return this.#times.length - this.#firstLive(perMs, now) + this.#held;
  }

  // When a call of this cost may go. Infinity: not before an unanswered call settles.
  earliest(cost: number, count: number, perMs: number, now: number): number {
    return this.freeAt(cost, count, perMs, now, Number.POSITIVE_INFINITY);
  }

  // The same with a guess: unanswered calls are taken to be judged at `heldAt`.
  freeAt(cost: number, count: number, perMs: number, now: number, heldAt: number): number {
    const live = this.#firstLive(perMs, now);
    const answered = this.#times.length - live;
    const used = answered + this.#held;
    // So many of the oldest must leave first. What is dearer than the whole window goes when it is empty.
    const leaving = Math.min(used + cost - count, used);
    if (leaving <= 0) return now;
    return (leaving > answered ? heldAt : this.#times[live + leaving - 1]!) + perMs;
  }

  // The moment of the n-th unit that still counts, oldest first; the unanswered ones come last.
  moment(n: number, perMs: number, now: number, heldAt: number): number {
    return this.#times[this.#firstLive(perMs, now) + n] ?? heldAt;
  }

  hold(cost: number): void {
    this.#held += cost;
  }

  giveBack(cost: number): void {
    this.#held -= cost;
  }

  // Enters a call at the moment of its judgement, and forgets those that it proves old.
  enter(cost: number, at: number, perMs: number): void {
    this.#forget(at - perMs);
    if (this.#head === this.#times.length) {
      this.#times = NONE;
      this.#head = 0;
    }
    for (let unit = 0; unit < cost; unit++) this.#insert(at);
  }

  // All of it was judged so much sooner than it was entered.
  advance(ms: number): void {
    for (let n = this.#head; n < this.#times.length; n++) this.#times[n]! -= ms;
  }

  // Takes over what another window has seen and holds.
  absorb(other: RollingWindow): void {
    for (const at of other.#times.slice(other.#head)) this.#insert(at);
    this.#held += other.#held;
  }

  #insert(at: number): void {
    if (this.#times.length < COPIED_MAX) this.#times = this.#times.concat(at);
    else this.#times.push(at);
    const times = this.#times;
    let place = times.length - 1;
    while (place > this.#head && times[place - 1]! > at) {
      times[place] = times[place - 1]!;
      place -= 1;
    }
    times[place] = at;
  }

  #firstLive(perMs: number, now: number): number {
    const times = this.#times;
    const edge = now - perMs;
    let low = this.#head;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (times[middle]! > edge) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  // Moving the head is cheap; the array is cut when half of it is dead, so that a busy account's
  // window costs O(1) per call and an idle chat's stays small.
  #forget(edge: number): void {
    const times = this.#times;
    while (this.#head < times.length && times[this.#head]! <= edge) this.#head += 1;
    if (this.#head === times.length || this.#head * 2 < times.length) return;
    times.copyWithin(0, this.#head);
    times.length -= this.#head;
    this.#head = 0;
  }
}

// How fast can a call be? From this follows how late an answered call can have been judged.
//
// A call leaves at d, is judged after the way there f, and its answer is back after r = f + b.
// A later call leaves at d' and is judged at d' + f'. So that the judgements lie `perMs` apart it is
// enough that d' ≥ d + perMs + (f − f'), and f − f' = r − (b + f') ≤ r − least, where `least` is the
// shortest round trip there is. So an answered call counts from d + (r − least): exact, and it costs
// no more than the jitter itself (20 ms on average, of 1000, when answers come within 40–80 ms).
//
// The shortest trip seen so far is not yet the shortest there is; the margin is for what may be missing. Two bounds are
// there whatever the jitter, and the smaller is taken: what is missing shrinks at least with the square root of
// the number of trips (both ways jitter alike: the least sum of two), and is seldom more than twice the distance of the
// shortest trip from the 16th shortest (for one way that jitters evenly it is a fraction of it).
//
// But the first calls of a process leave together, over fresh connections to servers that are not warm, and are slow
// together: many of them tell no more than one. So only calls count that left some time after the first answer. Until
// there are enough of them, and in the first seconds, `least` is 0: a call counts from the moment of its answer.

const HALF_MS = 150_000;
const SAMPLES_MIN = 32;
const WARM_MS = 500;
// A process that has just started gets faster in its first seconds, by as much as the margin.
const TRUSTED_MS = 2000;
// Few trips that were all slow have a small spread, too: the margin must make up for both.
const MARGIN_SIGMAS = 6;
const LOWEST_KEPT = 16;
const MARGIN_DISTANCES = 2;
// The platform's clock may be slewed (500 parts in a million of a second).
const MARGIN_MS_MIN = 0.5;
// A hidden wait is not jitter; it must not widen the margin without bound.
const EXCESS_MS_MAX = 1000;
const EXCESS_SAMPLES_MIN = 8;

interface Half {
  since: number;
  samples: number;
  total: number;
  // The shortest, in order.
  lowest: number[];
}

export class RoundTrips {
  // Two halves of a sliding few minutes, so that the least forgets a route that is no more.
  #older: Half = empty(Number.NEGATIVE_INFINITY);
  #newer: Half = empty(Number.NEGATIVE_INFINITY);
  #least = Number.POSITIVE_INFINITY;
  // From the shortest trip to the 16th.
  #distance = Number.POSITIVE_INFINITY;
  #trusted = 0;
  // What left before then tells nothing of how fast a call can be; Infinity: nothing was answered yet.
  #warmAt = Number.POSITIVE_INFINITY;
  #isWarm = false;

  observe(tripMs: number, now: number): void {
    this.#turn(now);
    if (this.#warmAt === Number.POSITIVE_INFINITY) this.#warmAt = now + WARM_MS;
    const isWarm = now - tripMs >= this.#warmAt;
    // It has warmed up just now: of what was seen before only the shortest tells something.
    if (isWarm && !this.#isWarm) {
      this.#newer = { ...empty(now), lowest: this.#newer.lowest.slice(0, 1) };
      this.#older = empty(now);
    }
    this.#isWarm ||= isWarm;
    if (isWarm === this.#isWarm) this.#count(tripMs);
  }

  // No call is faster than this, as far as can be known.
  least(now: number): number {
    this.#turn(now);
    return now < this.#warmAt - WARM_MS + TRUSTED_MS ? 0 : this.#trusted;
  }

  // What to expect of the next answer; for estimates only.
  typical(now: number): number {
    this.#turn(now);
    const samples = this.#older.samples + this.#newer.samples;
    return samples === 0 ? 0 : (this.#older.total + this.#newer.total) / samples;
  }

  // So much longer than the shortest it took; 0 when too little is known.
  excess(tripMs: number, now: number): number {
    this.#turn(now);
    const isKnown = this.#isWarm && this.#older.samples + this.#newer.samples >= EXCESS_SAMPLES_MIN;
    return isKnown ? Math.max(0, tripMs - this.#least) : 0;
  }

  #count(tripMs: number): void {
    const half = this.#newer;
    half.samples += 1;
    if (half.lowest.length < LOWEST_KEPT || tripMs < half.lowest.at(-1)!) {
      const place = half.lowest.findIndex((lower) => tripMs < lower);
      half.lowest.splice(place === -1 ? half.lowest.length : place, 0, tripMs);
      half.lowest.length = Math.min(half.lowest.length, LOWEST_KEPT);
      this.#compare();
    }
    half.total += Math.min(tripMs, half.lowest[0]! + EXCESS_MS_MAX);
    this.#trusted = this.#estimate();
  }

  #turn(now: number): void {
    const age = now - this.#newer.since;
    if (age < HALF_MS) return;
    this.#older = age < 2 * HALF_MS ? this.#newer : empty(now);
    this.#newer = empty(now);
    // After so long a silence connections are as cold as at the start.
    if (this.#older.samples === 0) this.#isWarm = false;
    if (!this.#isWarm) this.#warmAt = Number.POSITIVE_INFINITY;
    this.#compare();
    this.#trusted = this.#estimate();
  }

  #compare(): void {
    const lowest = [...this.#older.lowest, ...this.#newer.lowest].sort((a, b) => a - b);
    this.#least = lowest[0] ?? Number.POSITIVE_INFINITY;
    this.#distance = (lowest[LOWEST_KEPT - 1] ?? Number.POSITIVE_INFINITY) - this.#least;
  }

  #estimate(): number {
    const samples = this.#older.samples + this.#newer.samples;
    if (!this.#isWarm || samples < SAMPLES_MIN) return 0;
    const spread = Math.max(0, (this.#older.total + this.#newer.total) / samples - this.#least);
    const missing = Math.min(
      (MARGIN_SIGMAS * spread) / Math.sqrt(samples),
      MARGIN_DISTANCES * this.#distance,
    );
    return Math.max(0, this.#least - MARGIN_MS_MIN - missing);
  }
}

function empty(since: number): Half {
  return { since, samples: 0, total: 0, lowest: [] };
}
