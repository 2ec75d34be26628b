// How the time of a piece of work grows with the length of its text. Each length is ten times the one before. What is
// judged is the last step, to a megabyte; the shorter ones only stop what would take an hour there, and only where
// there is no doubt. Time is that of this thread on a processor, the least of several runs counts, and what is quick
// at a megabyte is not judged at all: a busy machine does not look like slow code. Nor does the collector, which has
// more to do for each character once the young generation is full: what is steep by little must be so further on too.

export interface Growth {
  // Of the step that was judged; 0: none had to be.
  readonly ratio: number;
  readonly chars: number;
  readonly ms: number;
}

export type Work = (text: string) => unknown;
// The least time of so many runs.
export type Measure = (work: Work, text: string, runs: number) => Promise<number>;

export const RATIO_MAX = 15;
const CHARS = [1_000, 10_000, 100_000, 1_000_000];
// Whatever grows with the square takes minutes at a megabyte.
const FLOOR_MS = 250;
const RUNS = 3;
const RUNS_TO_WARM = 5;
const RUNS_WHEN_STEEP = 6;
// A hiccup of the machine is shorter, and is mostly not this thread's time.
const RETRIED_MS_MAX = 2_000;
const HICCUP_MS_MAX = 200;
// Little noise makes so much of a step. Seen early, since ten times the text would take a hundred times as long.
const HOPELESS_RATIO = 30;
const HOPELESS_MS = 10;
const SURELY_RATIO = 2 * HOPELESS_RATIO;
// What grows with the square takes nine times as long for three times as much.
const FURTHER_TIMES = 3;
const FURTHER_RATIO = 5;
// What has just been too steep over a step of ten is so over this one when its ratio is more.
const FURTHER_RATIO_MAX = RATIO_MAX ** Math.log10(FURTHER_TIMES);
// What takes this long is measured well by one run.
const LONG_MS = 100;
const STEP_MS = 10;

export function repeated(pump: string, chars: number): string {
  return pump.repeat(Math.ceil(chars / pump.length));
}

export async function growthOf(
  work: Work,
  textOf: (chars: number) => string,
  charsMax: number,
  measure: Measure = least,
): Promise<Growth> {
  // Compiled before it is measured.
  await measure(work, flat(textOf(CHARS[0]!)), RUNS_TO_WARM);
  let shorter = '';
  let shorterMs = Number.POSITIVE_INFINITY;
  for (const chars of CHARS.filter((each) => each <= charsMax)) {
    const text = flat(textOf(chars));
    const isLast = chars === CHARS.at(-1);
    let ms = await measure(work, text, 1);
    // Nearly all are quick, and one run shows it; what is not is compared with care.
    if (ms > (isLast ? FLOOR_MS : HOPELESS_MS)) {
      if (shorter !== '') shorterMs = Math.min(shorterMs, await measure(work, shorter, RUNS));
      for (let run = 0; run < RUNS_WHEN_STEEP && isSteep(ms, shorterMs, isLast); run++) {
        // What is so steep is looked at further on, where it is not the last step.
        if (ms > RETRIED_MS_MAX || (!isLast && ms / shorterMs > SURELY_RATIO)) break;
        ms = Math.min(ms, await measure(work, text, 1));
      }
      const ratio = ms / shorterMs;
      const longer = () => flat(textOf(FURTHER_TIMES * chars));
      if (
        isSteep(ms, shorterMs, isLast) &&
        (isLast
          ? ratio > SURELY_RATIO || (await staysSteep(measure, work, longer, ms))
          : ms > HICCUP_MS_MAX || (await isSteepFurther(measure, work, longer, ms)))
      ) {
        return { ratio, chars, ms };
      }
    }
    [shorter, shorterMs] = [text, ms];
  }
  return { ratio: 0, chars: 0, ms: 0 };
}

function isSteep(ms: number, shorterMs: number, isLast: boolean): boolean {
  const ratio = ms / shorterMs;
  return isLast ? ms > FLOOR_MS && ratio > RATIO_MAX : ms > HOPELESS_MS && ratio > HOPELESS_RATIO;
}

// A machine that was busy a moment ago makes a step look steep, but not the next one too.
async function isSteepFurther(
  measure: Measure,
  work: Work,
  longer: () => string,
  ms: number,
): Promise<boolean> {
  return (await measure(work, longer(), RUNS)) / ms > FURTHER_RATIO;
}

// Nor does what has grown dearer once, for all lengths beyond. What costs less for more was refused, which says nothing
// of what is not.
async function staysSteep(
  measure: Measure,
  work: Work,
  longer: () => string,
  ms: number,
): Promise<boolean> {
  const text = longer();
  let further = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS && further / ms > FURTHER_RATIO_MAX; run++) {
    further = Math.min(further, await measure(work, text, 1));
  }
  return further < ms || further / ms > FURTHER_RATIO_MAX;
}

export async function least(work: Work, text: string, runs: number): Promise<number> {
  let ms = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const start = process.threadCpuUsage();
    const startMs = performance.now();
    const done = work(text);
    if (done instanceof Promise) await done;
    const wallMs = performance.now() - startMs;
    const { user, system } = process.threadCpuUsage(start);
    // Some systems count the time of a thread in steps of several milliseconds.
    ms = Math.min(ms, wallMs, (user + system) / 1000 + STEP_MS);
    if (ms > LONG_MS) break;
  }
  return ms;
}

// Text that comes over the wire is in one piece.
function flat(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
