// Deliveries that wait for a time their caller gave. Such a time is of the wall clock: when that is set while the road
// runs, they follow it. Limits, freezes and retries do not: the platform's time goes on as before.
// On disk such a time is one of the wall clock, whenever it was accepted, so the next process reads it as it was meant.

import { isScheduled, type Queued } from '../domain/delivery.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { Clock } from '../system/clock.ts';
import type { Periodic, PeriodicJob } from '../system/periodic.ts';
import { STEP_MS_MIN } from './clock-steps.ts';

// How soon a step of the wall clock is noticed.
const WALL_MS = 1_000;
const FORGET_STEP_MAX = 2_000;

export interface ScheduledPorts {
  readonly clock: Clock;
  readonly periodic: Periodic;
  readonly scheduler: Scheduler;
  wake(): void;
  // Work that a stop waits for; what it throws ends the process.
  track(work: Promise<unknown>): void;
}

export class Scheduled {
  readonly #p: ScheduledPorts;
  readonly #seqs = new Set<number>();
  // null: nobody can set the clock.
  readonly #following: PeriodicJob | null;
  // By how much the wall clock has been set, as far as this has followed it.
  #steppedMs = 0;

  constructor(ports: ScheduledPorts) {
    this.#p = ports;
    const follow = async () => void this.stepMs();
    const run = () => ports.track(follow());
    this.#following =
      ports.clock.stepMs === undefined
        ? null
        : ports.periodic.job({ name: 'follow_wall_clock', everyMs: WALL_MS, run });
  }

  add(queued: Queued, now: number): void {
    if (queued.dueAt > now && isScheduled(queued)) this.#seqs.add(queued.seq);
  }

  start(): void {
    this.stepMs();
    void this.#following?.start();
  }

  // By how much the wall clock is ahead of ours, with all that is scheduled moved accordingly.
  stepMs(): number {
    const { clock } = this.#p;
    if (clock.stepMs === undefined) return 0;
    const byMs = clock.stepMs() - this.#steppedMs;
    if (Math.abs(byMs) >= STEP_MS_MIN) this.#follow(byMs, clock.now());
    return this.#steppedMs;
  }

  // A new delivery with its time, which is of the wall clock, moved to our clock.
  byOwnClock(queued: Queued): Queued {
    if (queued.dueAt === 0 || this.#steppedMs === 0) return queued;
    const dueAt = Math.max(1, queued.dueAt - this.#steppedMs);
    return { ...queued, dueAt, enterAt: isScheduled(queued) ? dueAt : queued.enterAt };
  }

  async stop(deadlineMs: number): Promise<void> {
    await this.#following?.stop(deadlineMs);
  }

  // Looks at a few, and drops those that no longer wait.
  forget(): void {
    let left = FORGET_STEP_MAX;
    for (const seq of this.#seqs) {
      if (!this.#p.scheduler.isWaiting(seq)) this.#seqs.delete(seq);
      left -= 1;
      if (left === 0) return;
    }
  }

  #follow(byMs: number, now: number): void {
    const { scheduler } = this.#p;
    this.#steppedMs += byMs;
    for (const seq of this.#seqs) {
      const queued = scheduler.isWaiting(seq) ? scheduler.remove(seq, now) : null;
      if (queued === null) continue;
      const dueAt = Math.max(1, queued.dueAt - byMs);
      scheduler.add({ ...queued, dueAt, enterAt: dueAt }, now);
    }
    this.#p.wake();
  }
}
