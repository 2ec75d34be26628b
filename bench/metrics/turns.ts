// Two ways to do the same, in turns in one process, so that both meet the same machine and the same compiled code. What
// counts is the processor time of this thread, which is the road's, not the clock: a percent is less than what a busy
// machine does to the clock. Noise only ever adds, so the better half of the turns is compared.

export interface Compared {
  // Milliseconds of processor time of a turn.
  readonly one: number;
  readonly other: number;
}

const WARM_UP_TURNS = 6;

export async function inTurns(
  turns: number,
  one: (measure: Measure) => Promise<void>,
  other: (measure: Measure) => Promise<void>,
): Promise<Compared> {
  const took: [number[], number[]] = [[], []];
  for (let i = -WARM_UP_TURNS; i < turns; i++) {
    // Who comes first changes: a store grows slower as it grows.
    for (const which of i % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const measure: Measure = async (work) => {
        const ms = await cpuMsOf(work);
        if (i >= 0) took[which].push(ms);
      };
      await (which === 0 ? one : other)(measure);
    }
  }
  return { one: betterHalf(took[0]), other: betterHalf(took[1]) };
}

// Called once in a turn, around what is compared; what comes before and after it is not counted.
export type Measure = (work: () => Promise<void>) => Promise<void>;

async function cpuMsOf(work: () => Promise<void>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function betterHalf(values: readonly number[]): number {
  const half = values.toSorted((a, b) => a - b).slice(0, Math.ceil(values.length / 2));
  return half.reduce((sum, value) => sum + value, 0) / half.length;
}
