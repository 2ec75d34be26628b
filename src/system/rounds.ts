// Periodic work: done at the start, again after a short pause while there is more of it (so that others get a turn),
// else after the period. A step that fails is reported, and tried again in the next round.

import type { Clock, Timer } from './clock.ts';
import { drained, type Service } from './service.ts';

export interface Rounds {
  readonly clock: Clock;
  // Says whether there is more.
  readonly step: () => Promise<boolean>;
  readonly onFailure: (error: unknown) => void;
  readonly pauseMs: number;
  readonly everyMs: number;
}

export function createRounds({ clock, step, onFailure, pauseMs, everyMs }: Rounds): Service {
  let timer: Timer | null = null;
  let current: Promise<void> = Promise.resolve();
  let life: 'new' | 'running' | 'stopped' = 'new';

  const arm = (delayMs: number) => {
    timer = clock.schedule(clock.now() + delayMs, () => {
      current = go();
    });
  };
  const go = async () => {
    let isMore = false;
    try {
      isMore = await step();
    } catch (error) {
      onFailure(error);
    }
    if (life === 'running') arm(isMore ? pauseMs : everyMs);
  };

  return {
    async start() {
      if (life !== 'new') return;
      life = 'running';
      arm(0);
    },
    // A step is short: it is let finish.
    async stop(deadlineMs) {
      life = 'stopped';
      timer?.cancel();
      await drained(clock, [current], deadlineMs);
    },
  };
}
