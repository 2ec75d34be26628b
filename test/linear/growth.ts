// How the time of a piece of work grows with the length of its text. Each length is ten times the one before. Time is
// that of this thread on a processor where it is long enough, and the least of several runs counts, so that a busy
// machine does not look like slow code; below a floor nothing is compared.

export interface Growth {
  // The worst step of ten times the length.
  readonly ratio: number;
  readonly chars: number;
  readonly ms: number;
}

export type Work = (text: string) => unknown;

export const RATIO_MAX = 15;
const CHARS = [1_000, 10_000, 100_000, 1_000_000];
const FLOOR_MS = 25;
const RUNS = 3;
const RUNS_TO_WARM = 5;
const RUNS_WHEN_STEEP = 6;
// No noise makes so much of a tenth.
const HOPELESS_RATIO = 40;
// What takes this long is measured well by one run.
const LONG_MS = 60;
const STEP_MS = 10;

export function repeated(pump: string, chars: number): string {
  return pump.repeat(Math.ceil(chars / pump.length));
}

// Stops at the first step that is too steep: the next one could take an hour.
export async function growthOf(
  work: Work,
  textOf: (chars: number) => string,
  charsMax: number,
): Promise<Growth> {
  let worst: Growth = { ratio: 0, chars: 0, ms: 0 };
  let shorterMs = 0;
  // Compiled before it is measured.
  await least(work, flat(textOf(CHARS[0]!)), RUNS_TO_WARM);
  for (const chars of CHARS.filter((each) => each <= charsMax)) {
    const text = flat(textOf(chars));
    let ms = await least(work, text, RUNS);
    for (let run = 0; run < RUNS_WHEN_STEEP && isSteep(ms, shorterMs); run++) {
      if (ms / shorterMs > HOPELESS_RATIO) break;
      ms = Math.min(ms, await least(work, text, 1));
    }
    const ratio = shorterMs > 0 && ms > FLOOR_MS ? ms / shorterMs : 0;
    if (ratio > worst.ratio) worst = { ratio, chars, ms };
    if (ratio > RATIO_MAX) return worst;
    shorterMs = ms;
  }
  return worst;
}

function isSteep(ms: number, shorterMs: number): boolean {
  return shorterMs > 0 && ms > FLOOR_MS && ms / shorterMs > RATIO_MAX;
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
