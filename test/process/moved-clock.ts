// A clock that runs as the system's does and can be set forward: what was to come in hours comes now. For real
// sockets and a real store, which a virtual clock cannot wait for.

import { type Clock, systemClock, type Timer } from '../../src/system/clock.ts';

export interface MovedClock extends Clock {
  move(ms: number): void;
}

interface Waiting {
  readonly at: number;
  readonly run: () => void;
  timer: Timer;
}

export function movedClock(): MovedClock {
  const system = systemClock();
  const waiting = new Set<Waiting>();
  let movedMs = 0;
  const arm = (each: Waiting) => {
    each.timer = system.schedule(each.at - movedMs, () => {
      waiting.delete(each);
      each.run();
    });
  };
  return {
    now: () => system.now() + movedMs,
    schedule(at, run) {
      const each: Waiting = { at, run, timer: { cancel() {} } };
      waiting.add(each);
      arm(each);
      return {
        cancel() {
          waiting.delete(each);
          each.timer.cancel();
        },
      };
    },
    move(ms) {
      movedMs += ms;
      for (const each of waiting) {
        each.timer.cancel();
        arm(each);
      }
    },
  };
}
