// A long-running command ends by SIGINT or SIGTERM. The first asks it to stop; a second one does not wait.
// A server that npm started also ends with npm.

import { systemClock } from '../../system/clock.ts';
import { parentGone } from '../../system/parent.ts';
import type { Io } from '../io.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const EXIT_IMPATIENT = 130;
// Ctrl-C under npm arrives twice: from the terminal, which signals the whole process group, and forwarded by npm. Only
// a signal that comes later than this is a second one.
const SAME_SIGNAL_MS_MAX = 500;

export function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    const clock = systemClock();
    let askedAt: number | null = null;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        const now = clock.now();
        if (askedAt === null) {
          askedAt = now;
          resolve(signal);
        } else if (now - askedAt > SAME_SIGNAL_MS_MAX) process.exit(EXIT_IMPATIENT);
      });
    }
  });
}

// Answers why it is to stop. For what holds a port or a folder: nothing else would end it when npm is killed.
export function untilStopped({ env }: Pick<Io, 'env'>): Promise<string> {
  return Promise.race([untilSignal(), parentGone(env).then(() => 'npm has ended')]);
}
