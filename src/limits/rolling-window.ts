// At most so many in ANY span of time: the moments at which the platform may have judged our calls.
// The one hard thing is the network. A call that left at d is judged some time later, and two calls
// that leave a second apart may be judged less than a second apart. Hence two rules, and no padding:
//   - a call without an answer may be judged at any time, so it keeps its capacity (`held`);
//   - an answered call is entered at the latest moment at which it can have been judged
//     (see learning.ts), relative to the fastest call that could follow it.
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
