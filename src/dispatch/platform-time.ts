// What time it is on the platforms: the `Date` of their answers, compared with our clock. The difference is kept on
// disk, so that a process in another boot of the machine learns from its first answer by how much the wall clock has
// been set in between, and how much of a freeze is really left.
// An answer's `Date` is looked at now and then, and written only when it says something new.

import type { AccountId } from '../domain/ids.ts';
import type { StoredLimit } from '../store/ports/limits.ts';
import type { Clock } from '../system/clock.ts';
import type { Periodic, PeriodicJob } from '../system/periodic.ts';
import { type ClockRecord, type HostTime, writeClock } from './clock-record.ts';
import type { RoadState } from './state.ts';

const LOOK_EVERY_MS = 10_000;
// Between two questions for a platform's time.
const ASK_EVERY_MS = 30_000;
// A `Date` names whole seconds, and the answer was on its way for a while.
const DATE_MS_ERROR = 2_000;
// Platforms have few hosts.
const HOSTS_MAX = 100;

export interface PlatformTimePorts {
  readonly clock: Clock;
  readonly periodic: Periodic;
  readonly accounts: { credentialOf(id: AccountId): string | null };
}

export class PlatformTime {
  readonly #road: RoadState;
  readonly #p: PlatformTimePorts;
  // Work that a stop waits for.
  readonly #track: (work: Promise<unknown>) => void;
  readonly #lookAt = new Map<string, number>();
  #record: ClockRecord | null = null;
  #asking: PeriodicJob | null = null;

  constructor(road: RoadState, ports: PlatformTimePorts, track: (work: Promise<unknown>) => void) {
    this.#road = road;
    this.#p = ports;
    this.#track = track;
  }

  // By host, when its next answer is worth a look; at once for one that is not in it.
  get lookAt(): ReadonlyMap<string, number> {
    return this.#lookAt;
  }

  start(record: ClockRecord): void {
    this.#record = record;
    if (!this.#ask()) return;
    this.#asking = this.#p.periodic.job({
      name: 'ask_platform_time',
      everyMs: ASK_EVERY_MS,
      run: (job) => {
        if (!this.#ask()) void job.stop(0);
      },
    });
    void this.#asking.start();
  }

  async stop(deadlineMs: number): Promise<void> {
    await this.#asking?.stop(deadlineMs);
  }

  // `date` as the answer's head says it.
  answered(host: string, date: string): void {
    if (this.#record === null) return;
    const now = this.#p.clock.now();
    if (now < (this.#lookAt.get(host) ?? 0)) return;
    const at = Date.parse(date);
    if (!Number.isNaN(at)) this.#learn(this.#record, host, now - at, now);
  }

  // While a freeze holds every call there is no answer to read the time from, so it is asked for. False: of nobody.
  #ask(): boolean {
    const { clock, accounts } = this.#p;
    const now = clock.now();
    const hosts = new Set<string>();
    for (const [account, { limits, profile }] of this.#road.accounts) {
      const { host, platform } = profile;
      if (!this.#isAwaited(host) || hosts.has(host) || limits.standing(now).frozen === 0) continue;
      const credential = accounts.credentialOf(account);
      const asked = credential === null ? undefined : platform.wire.timeAt?.(credential);
      if (asked === undefined) continue;
      hosts.add(host);
      this.#track(asked.then((date) => date !== null && this.answered(host, date)));
    }
    return hosts.size > 0;
  }

  // Whether what is frozen there waits for the host to tell the time.
  #isAwaited(host: string): boolean {
    return (this.#record?.hosts[host]?.heldMs ?? 0) !== 0;
  }

  #learn(record: ClockRecord, host: string, offsetMs: number, now: number): void {
    const known = record.hosts[host];
    if (known === undefined && Object.keys(record.hosts).length >= HOSTS_MAX) return;
    this.#lookAt.set(host, now + LOOK_EVERY_MS);
    const isNews = known === undefined || Math.abs(offsetMs - known.offsetMs) > DATE_MS_ERROR;
    if (!isNews && known.heldMs === 0) return;
    const time: HostTime = { offsetMs, heldMs: 0, before: 0 };
    this.#record = { ...record, hosts: { ...record.hosts, [host]: time } };
    const moved = known === undefined ? [] : this.#correct(host, known, offsetMs, now);
    // The clock's record first: if only that reached the disk, freezes would be too long rather than too short.
    const records = [writeClock(this.#record, now), ...moved];
    this.#track(this.#road.saveLimits(records));
  }

  // The host's freezes that were on disk end sooner than was assumed. None becomes longer: a difference that way means
  // that the platform's clock was set, not ours.
  #correct(host: string, was: HostTime, offsetMs: number, now: number): StoredLimit[] {
    const byMs = was.heldMs - (offsetMs - was.offsetMs) - DATE_MS_ERROR;
    if (was.heldMs === 0 || byMs <= 0) return [];
    const records: StoredLimit[] = [];
    for (const [account, { limits, profile }] of this.#road.accounts) {
      if (profile.host !== host) continue;
      const advanced = limits.advanceFreezes(was.before, byMs, now);
      for (const record of advanced.records) records.push(record);
      for (const chat of advanced.chats) this.#road.scheduler.reconsider(account, chat, now);
    }
    this.#road.wake();
    return records;
  }
}
