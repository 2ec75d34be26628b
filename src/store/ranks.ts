// Places in the order of an account, drawn by whoever writes for its owner: one after the other, each account for
// itself. They are only ever compared within an account, so that no two accounts need a common count. None is kept on
// its own: an opening begins behind the last number the store has given to a delivery, and as each place comes with
// such a number, no earlier place lies beyond it.

export class Ranks {
  readonly #last = new Map<string, number>();
  #base: number;

  constructor(seqLast: number) {
    this.#base = seqLast;
  }

  next(account: string): number {
    const rank = (this.#last.get(account) ?? this.#base) + 1;
    this.#last.set(account, rank);
    return rank;
  }

  // Accounts have got other ids: all go on behind everyone.
  restart(seqLast: number): void {
    this.#last.clear();
    this.#base = seqLast;
  }
}
