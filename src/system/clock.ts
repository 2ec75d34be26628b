// Time comes in here and nowhere else.
// `now` is wall time at the start plus monotonic time since: it never runs backwards and never jumps,
// because a step of the wall clock must neither open a rate window early nor hold it shut for an hour.

export interface Timer {
  cancel(): void;
}

export interface Clock {
  // Milliseconds since the epoch, with fractions.
  now(): number;
  // Calls `run` once, at or after `at`. A time that has passed: on the next turn of the loop.
  schedule(at: number, run: () => void): Timer;
  // By how much the wall clock has been set since this clock was made; left out: it cannot be.
  stepMs?(): number;
}

// Less is no step: the two are read one after the other.
const STEP_MS_MIN = 500;
// setTimeout cannot wait longer; a longer wait is cut into pieces.
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

export function systemClock(): Clock {
  const origin = Date.now() - performance.now();
  const now = () => origin + performance.now();
  return {
    now,
    stepMs() {
      const step = Date.now() - now();
      return Math.abs(step) < STEP_MS_MIN ? 0 : step;
    },
    schedule(at, run) {
      let handle: NodeJS.Timeout;
      const arm = () => {
        const left = Math.ceil(at - now());
        handle =
          left > TIMEOUT_MS_MAX
            ? setTimeout(arm, TIMEOUT_MS_MAX)
            : setTimeout(run, Math.max(0, left));
      };
      arm();
      return { cancel: () => clearTimeout(handle) };
    },
  };
}

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(clock.now() + ms, resolve);
  });
}
