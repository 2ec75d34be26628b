// Start and stop as a contract: start once, stop as often as you like, stop waits for the work to drain
// until the deadline. One stress suite (service.contract.ts) runs over every service.

import type { Clock } from './clock.ts';

export interface Service {
  // A second start is the first one; after a stop there is none.
  start(): Promise<void>;
  // Resolves when nothing of the service runs any more, at the latest at `deadlineMs` from now.
  stop(deadlineMs: number): Promise<void>;
}

// Resolves when the work has ended, well or not, at the latest at the deadline.
export async function drained(
  clock: Clock,
  work: Iterable<Promise<unknown>>,
  deadlineMs: number,
): Promise<void> {
  const deadline = Promise.withResolvers<void>();
  const patience = clock.schedule(clock.now() + deadlineMs, deadline.resolve);
  await Promise.race([Promise.allSettled(work), deadline.promise]);
  patience.cancel();
}
