// Counts which cases a generated test reached. A generator that stops reaching a case would leave its test green and
// empty; with a least count for each case the test fails instead.

const ROUNDS_MAX = 4;

export class Coverage {
  readonly #counts = new Map<string, number>();

  count(reached: string, times = 1): void {
    this.#counts.set(reached, this.of(reached) + times);
  }

  of(reached: string): number {
    return this.#counts.get(reached) ?? 0;
  }

  // Plays rounds of random cases until all have been reached: how soon is chance, that they are is not. Answers what is
  // missing even so.
  async reach(
    least: Readonly<Record<string, number>>,
    round: () => Promise<void>,
  ): Promise<string[]> {
    for (let n = 0; n < ROUNDS_MAX; n++) {
      await round();
      if (this.missing(least).length === 0) break;
    }
    return this.missing(least);
  }

  // The cases reached less often than they should be, each with both numbers; none: the test is worth its name.
  missing(least: Readonly<Record<string, number>>): string[] {
    return Object.entries(least)
      .filter(([reached, times]) => this.of(reached) < times)
      .map(([reached, times]) => `${reached}: ${this.of(reached)} of ${times}`);
  }

  all(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

// An answer that a command gives when it met nothing to do: what matters was not reached.
export function saysNothing(answer: unknown): boolean {
  if (Array.isArray(answer)) return answer.every(saysNothing);
  return answer === null || answer === undefined || answer === false || answer === 0;
}
