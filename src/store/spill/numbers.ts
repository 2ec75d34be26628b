// Numbers of deliveries that are kept for a spill: drawn from the store while it is there, so that what is accepted
// while it is away has its real id from the first moment. Each process draws its own: what is numbered lower than what
// a start has found is taken for an earlier process's.

type Range = [from: number, to: number];

export class SpillNumbers {
  readonly #ranges: Range[] = [];

  get left(): number {
    return this.#ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  }

  // null: there are none left.
  take(): number | null {
    const first = this.#ranges[0];
    if (first === undefined) return null;
    const number = first[0];
    first[0] += 1;
    if (first[0] > first[1]) this.#ranges.shift();
    return number;
  }

  add(numbers: readonly number[]): void {
    for (const number of numbers) {
      const last = this.#ranges.at(-1);
      if (last !== undefined && last[1] === number - 1) last[1] = number;
      else this.#ranges.push([number, number]);
    }
  }
}
