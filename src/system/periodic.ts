// Periodic work: what a process does of its own accord again and again, as jobs of one runner that knows of each when
// it ran last, how long that took, how often it failed and when it is due. A job never overlaps itself, and a run that
// fails is reported and followed by the next one. Not for what ends with one call, connection or outage.

import { assert } from './assert.ts';
import type { Clock, Timer } from './clock.ts';
import { faultInWords } from './fault.ts';
import { drained, type Service } from './service.ts';

export interface JobOptions {
  // As logs and metrics call it, in snake case. No two jobs of a runner have one name.
  readonly name: string;
  // From the beginning of one run to that of the next, which follows at once if the run takes longer. Asked at the
  // start and at each beginning. Infinity: it runs when it is asked to.
  readonly everyMs: number | (() => number);
  // From the start to the first run; left out: `everyMs`.
  readonly firstMs?: number;
  // What it answers is waited for, and of no meaning.
  readonly run: (job: PeriodicJob) => unknown;
}

export interface JobStanding {
  readonly name: string;
  readonly runs: number;
  readonly failures: number;
  readonly failuresInARow: number;
  // When the last run began that has ended, and how long it took; null: none has.
  readonly lastRunAt: number | null;
  readonly tookMs: number | null;
  // Without payloads and secrets; null: none has failed.
  readonly lastError: string | null;
  readonly isRunning: boolean;
  // null: it runs just now, or when it is asked to.
  readonly nextRunAt: number | null;
  // How late the next run is, also because this one does not end.
  readonly overdueMs: number;
  readonly state: 'ok' | 'failing' | 'overdue';
}

export type JobEvent =
  | {
      readonly kind: 'failed';
      readonly job: string;
      readonly failuresInARow: number;
      readonly error: unknown;
    }
  // `failures`: in a row, before the run that succeeded.
  | { readonly kind: 'recovered'; readonly job: string; readonly failures: number };

// So many failures in a row are no accident.
const FAILURES_MIN = 3;
// Late by so many intervals, and by so long.
const OVERDUE_INTERVALS = 3;
const OVERDUE_MS_MIN = 30_000;

export class Periodic {
  readonly clock: Clock;
  readonly #jobs = new Map<string, PeriodicJob>();
  readonly #report: (event: JobEvent) => void;

  // Left out: a run that fails is an unhandled rejection, as simulated worlds and tests want it.
  constructor(clock: Clock, report: (event: JobEvent) => void = rethrow) {
    this.clock = clock;
    this.#report = report;
  }

  // It is listed until it is stopped.
  job(options: JobOptions): PeriodicJob {
    const { name } = options;
    assert(!this.#jobs.has(name), `periodic work of one name exists once: ${name}`);
    const job = new PeriodicJob(this.clock, options, this.#report, () => {
      if (this.#jobs.get(name) === job) this.#jobs.delete(name);
    });
    this.#jobs.set(name, job);
    return job;
  }

  standings(): JobStanding[] {
    return Array.from(this.#jobs.values(), (job) => job.standing());
  }
}

function rethrow(event: JobEvent): void {
  if (event.kind === 'failed') throw event.error;
}

export class PeriodicJob implements Service {
  readonly #clock: Clock;
  readonly #o: JobOptions;
  readonly #report: (event: JobEvent) => void;
  readonly #onStop: () => void;
  #life: 'new' | 'running' | 'stopped' = 'new';
  #timer: Timer | null = null;
  #nextAt = Infinity;
  // The run under way, and when the last one began.
  #running: Promise<void> | null = null;
  #beganAt = 0;
  #intervalMs = Infinity;
  #runs = 0;
  #failures = 0;
  #failuresInARow = 0;
  #lastRunAt: number | null = null;
  #tookMs: number | null = null;
  #lastError: string | null = null;

  constructor(
    clock: Clock,
    options: JobOptions,
    report: (event: JobEvent) => void,
    onStop: () => void,
  ) {
    this.#clock = clock;
    this.#o = options;
    this.#report = report;
    this.#onStop = onStop;
  }

  async start(): Promise<void> {
    if (this.#life !== 'new') return;
    this.#life = 'running';
    this.#intervalMs = this.#askInterval();
    this.within(this.#o.firstMs ?? this.#intervalMs);
  }

  // Waits for the run under way, at the latest until the deadline.
  async stop(deadlineMs: number): Promise<void> {
    this.#life = 'stopped';
    this.#timer?.cancel();
    this.#nextAt = Infinity;
    this.#onStop();
    if (this.#running !== null) await drained(this.#clock, [this.#running], deadlineMs);
  }

  // The next run begins so soon at the latest, though never before the one under way has ended.
  within(ms: number): void {
    const at = this.#clock.now() + ms;
    if (this.#life !== 'running' || at >= this.#nextAt) return;
    this.#nextAt = at;
    if (this.#running === null) this.#arm();
  }

  // Resolves when a run has ended that began after this was asked for, or it is stopped.
  async now(): Promise<void> {
    while (this.#running !== null) await this.#running;
    if (this.#life === 'running') await this.#go();
  }

  standing(): JobStanding {
    const { name } = this.#o;
    const now = this.#clock.now();
    const isRunning = this.#running !== null;
    const dueAt = isRunning ? this.#beganAt + this.#intervalMs : this.#nextAt;
    const overdueMs = Math.max(0, now - dueAt);
    const lateMs = Math.max(OVERDUE_MS_MIN, OVERDUE_INTERVALS * this.#intervalMs);
    const isFailing = this.#failuresInARow >= FAILURES_MIN;
    return {
      ...{ name, runs: this.#runs, failures: this.#failures },
      failuresInARow: this.#failuresInARow,
      ...{ lastRunAt: this.#lastRunAt, tookMs: this.#tookMs, lastError: this.#lastError },
      ...{ isRunning, nextRunAt: isRunning || dueAt === Infinity ? null : dueAt, overdueMs },
      state: overdueMs > lateMs ? 'overdue' : isFailing ? 'failing' : 'ok',
    };
  }

  #askInterval(): number {
    const { everyMs } = this.#o;
    return typeof everyMs === 'number' ? everyMs : everyMs();
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#nextAt === Infinity) return;
    this.#timer = this.#clock.schedule(this.#nextAt, () => void this.#go());
  }

  #go(): Promise<void> {
    assert(this.#running === null, 'a job does not overlap itself');
    this.#timer?.cancel();
    this.#timer = null;
    this.#nextAt = Infinity;
    this.#beganAt = this.#clock.now();
    this.#intervalMs = this.#askInterval();
    this.#running = this.#run().finally(() => this.#ended());
    return this.#running;
  }

  async #run(): Promise<void> {
    try {
      await this.#o.run(this);
      this.#succeeded();
    } catch (error) {
      this.#failed(error);
    }
  }

  #ended(): void {
    const now = this.#clock.now();
    this.#running = null;
    this.#runs += 1;
    this.#lastRunAt = this.#beganAt;
    this.#tookMs = now - this.#beganAt;
    const restMs = Math.max(0, this.#beganAt + this.#intervalMs - now);
    if (this.#life === 'running') this.#nextAt = Math.min(this.#nextAt, now + restMs);
    this.#arm();
  }

  #succeeded(): void {
    const failures = this.#failuresInARow;
    this.#failuresInARow = 0;
    if (failures > 0) this.#report({ kind: 'recovered', job: this.#o.name, failures });
  }

  #failed(error: unknown): void {
    this.#failures += 1;
    this.#failuresInARow += 1;
    this.#lastError = faultInWords(error);
    const failuresInARow = this.#failuresInARow;
    this.#report({ kind: 'failed', job: this.#o.name, failuresInARow, error });
  }
}
