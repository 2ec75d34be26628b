// The nodes of a fleet go by one clock, the database's: windows, freezes and places in line are restored from times
// that another node wrote, and the clocks of machines may be set wrong. A node asks for the time when it starts, and
// again every minute, because the best of clocks drift.

import type { Periodic, PeriodicJob } from '../system/periodic.ts';
import { behindBy, type SteeredClock } from '../system/steered-clock.ts';

export interface FleetClockParts {
  readonly clock: SteeredClock;
  // The time there, in ms since the epoch. Rejects while the database is away.
  readonly ask: () => Promise<number>;
  // It is off by more than can be put right soon: one of the two clocks was set.
  readonly onOff: (byMs: number) => void;
}

const SAMPLES = 5;
const ASK_EVERY_MS = 60_000;
// What a busy line answers less exactly than this says nothing.
const ERROR_MS_MAX = 250;
const OFF_MS_MAX = 1_000;

export class FleetClock {
  readonly #parts: FleetClockParts;
  #isSet = false;
  #following: PeriodicJob | null = null;

  constructor(parts: FleetClockParts) {
    this.#parts = parts;
  }

  // Before anybody has looked at it. Rejects while the database is away.
  async set(): Promise<void> {
    if (this.#isSet) return;
    const { clock, ask } = this.#parts;
    const { byMs } = await behindBy(clock, ask, SAMPLES);
    clock.set(byMs);
    this.#isSet = true;
  }

  start(periodic: Periodic): void {
    this.#following ??= periodic.job({
      name: 'follow_database_clock',
      everyMs: ASK_EVERY_MS,
      run: () => this.#follow(),
    });
    void this.#following.start();
  }

  async stop(deadlineMs: number): Promise<void> {
    await this.#following?.stop(deadlineMs);
  }

  async #follow(): Promise<void> {
    const { clock, ask, onOff } = this.#parts;
    const { byMs, errorMs } = await behindBy(clock, ask, SAMPLES);
    if (errorMs > ERROR_MS_MAX) return;
    // Less cannot be distinguished from the time on the way.
    clock.steer(Math.abs(byMs) <= errorMs ? 0 : byMs);
    if (Math.abs(byMs) > OFF_MS_MAX) onOff(byMs);
  }
}
