// A limit that is borrowed from: so many at once, and each is paid back by time, one after the other. What is kept is
// when everything will be paid. The same two rules hold as for windows: a call without an answer keeps its room, an
// answered one counts from the latest moment at which it can have been judged.

export class Debt {
  // In which one call is paid back, by the prior.
  readonly #eachMs: number;
  #paidAt = Number.NEGATIVE_INFINITY;

  constructor(eachMs: number) {
    this.#eachMs = eachMs;
  }

  owed(now: number): number {
    return Math.max(0, Math.ceil((this.#paidAt - now) / this.#eachMs));
  }

  // When a call of this cost may go, with so many that nobody has answered, taken to be judged at `heldAt`. What is
  // dearer than the whole goes when nothing is owed.
  freeAt(
    call: { readonly cost: number; readonly held: number },
    limit: { readonly count: number; readonly perMs: number },
    now: number,
    heldAt: number,
  ): number {
    const { count, perMs } = limit;
    const { cost, held } = call;
    const eachMs = perMs / count;
    const over = Math.min(cost, count) + held - count;
    if (over > 0) return heldAt + over * eachMs;
    return Math.max(now, this.#paidAt + over * eachMs);
  }

  // When the n-th of those that are owed will be paid back, oldest first; null: no more are owed.
  paidAt(n: number, now: number): number | null {
    const owed = this.owed(now);
    return n < owed ? this.#paidAt - (owed - 1 - n) * this.#eachMs : null;
  }

  add(cost: number, at: number): void {
    this.#paidAt = Math.max(this.#paidAt, at) + cost * this.#eachMs;
  }

  // Two names of one chat. How much of both is left depends on the time: the larger one is at least owed.
  absorb(other: Debt): void {
    this.#paidAt = Math.max(this.#paidAt, other.#paidAt);
  }
}
