// One part of a measurement in a process of its own, so that parts do not share a thread.

import { fork } from 'node:child_process';
import { NODE_FLAGS } from '../../bin/node-flags.js';

export interface Child<Ready> {
  readonly ready: Ready;
  readonly pid: number;
  stop(): Promise<void>;
}

// The child says what it has to say in one message, and ends when it is told to.
export function startChild<Ready>(
  file: string,
  args: readonly string[],
  flags: readonly string[] = [],
  // As the gateway has them; all parts of a measurement alike.
  nodeFlags: readonly string[] = NODE_FLAGS,
): Promise<Child<Ready>> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL(file, import.meta.url), args, {
      execArgv: [...nodeFlags, ...flags],
    });
    const ended = new Promise<void>((done) => {
      child.once('exit', () => done());
    });
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
    child.once('message', (ready) =>
      resolve({
        ready: ready as Ready,
        pid: child.pid!,
        stop() {
          child.kill('SIGTERM');
          return ended;
        },
      }),
    );
  });
}

export function tell(ready: unknown): void {
  process.send!(ready);
  // A measurement that is broken off tells nobody to stop.
  process.once('disconnect', () => process.exit(1));
}
