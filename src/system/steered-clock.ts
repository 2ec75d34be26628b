// A clock that follows another one, which can only be asked over a line: how far it is off is found out now and then.
// It is set once, before anybody has looked at it; from then on it only runs a little faster or slower until it is
// right, because a step would open a rate window early, or hold it shut.

import type { Clock, Timer } from './clock.ts';

export interface SteeredClock extends Clock {
  // Ahead by so much, at once.
  set(byMs: number): void;
  // Ahead by so much in the end; what was left of the last time is forgotten.
  steer(byMs: number): void;
}

// How much faster or slower than time: far less than a window is guarded by.
export const STEER_RATE = 0.0005;
// A timer that fires too soon is armed again for at least so long, so that it gets anywhere.
const AGAIN_MS_MIN = 0.01;

export function steeredClock(base: Clock): SteeredClock {
  let offsetMs = 0;
  let leftMs = 0;
  let steeredAt = base.now();
  const offsetAt = (time: number) => {
    const mostMs = (time - steeredAt) * STEER_RATE;
    return offsetMs + Math.max(-mostMs, Math.min(leftMs, mostMs));
  };
  const now = () => {
    const time = base.now();
    return time + offsetAt(time);
  };
  const steer = (byMs: number) => {
    const time = base.now();
    offsetMs = offsetAt(time);
    leftMs = byMs;
    steeredAt = time;
  };
  return {
    now,
    steer,
    set(byMs) {
      steer(0);
      offsetMs += byMs;
    },
    schedule(at, run): Timer {
      let timer: Timer;
      const arm = () => {
        timer = base.schedule(base.now() + Math.max(at - now(), AGAIN_MS_MIN), () => {
          if (now() < at) arm();
          else run();
        });
      };
      arm();
      return { cancel: () => timer.cancel() };
    },
  };
}

// By how much a clock is behind the one that is asked, as well as can be told from the quickest of some answers.
// Rejects when it is not answered.
export async function behindBy(
  clock: Pick<Clock, 'now'>,
  ask: () => Promise<number>,
  samples: number,
): Promise<{ readonly byMs: number; readonly errorMs: number }> {
  let best = { byMs: 0, errorMs: Number.POSITIVE_INFINITY };
  for (let i = 0; i < samples; i++) {
    const askedAt = clock.now();
    const told = await ask();
    const answeredAt = clock.now();
    const errorMs = (answeredAt - askedAt) / 2;
    if (errorMs < best.errorMs) best = { byMs: told - (askedAt + errorMs), errorMs };
  }
  return best;
}
