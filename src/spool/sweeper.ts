// Sweeps the spool now and then: at the start for what a crash left behind, later for what has been delivered.
// An empty spool costs nothing; a journal that cannot be asked is asked again.

import type { Clock, Timer } from '../system/clock.ts';
import { drained, type Service } from '../system/service.ts';
import type { FileSpool } from './spool.ts';

export const SWEEP_EVERY_MS = 2_000;

export interface SweeperParts {
  readonly clock: Clock;
  readonly spool: FileSpool;
  // Which files deliveries still need.
  readonly inUse: () => Promise<readonly string[]>;
  readonly onFailure: (error: unknown) => void;
}

export function createSweeper(parts: SweeperParts): Service {
  const { clock, spool } = parts;
  let isStarted = false;
  let sweeping: Promise<void> = Promise.resolve();
  let timer: Timer | null = null;
  let isStopped = false;
  const sweep = async () => {
    try {
      if (!spool.isEmpty) await spool.sweep(parts.inUse);
    } catch (error) {
      parts.onFailure(error);
    }
  };
  const plan = () => {
    if (isStopped) return;
    timer = clock.schedule(clock.now() + SWEEP_EVERY_MS, () => {
      sweeping = sweep().then(plan);
    });
  };
  return {
    async start() {
      if (isStarted || isStopped) return;
      isStarted = true;
      sweeping = sweep().then(plan);
    },
    async stop(deadlineMs) {
      isStopped = true;
      timer?.cancel();
      await drained(clock, [sweeping], deadlineMs);
    },
  };
}
