// The one loop: asks the scheduler, sends within the in-flight bounds, settles. External events only wake it.
// It owns the road's memory (scheduler, limits, holds, waiters); the journal owns the truth.

import { ACCOUNT_REMOVED, type NewDelivery, type Queued } from '../domain/delivery.ts';
import type { ReportFault } from '../domain/fault.ts';
import { AccountLimits, type LimitRecord, RoundTrips } from '../limits/limits.ts';
import type { CosmeticAnswer, CosmeticCall, MoveOrder } from '../road/road.ts';
import type { AccountLoad, Scheduler } from '../scheduler/scheduler.ts';
import type { CallerStore } from '../store/ports/callers.ts';
import type { Appended, DeliveryStore, Moved } from '../store/ports/delivery.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import type { BootTime } from '../system/boot.ts';
import type { Clock, Timer } from '../system/clock.ts';
import type { Random } from '../system/random.ts';
import { drained, type Service } from '../system/service.ts';
import { type Alias, Aliases, recordOf } from './account/aliases.ts';
import { AccountAvailability, type BreakerSettings } from './account/availability.ts';
import { Cosmetics } from './account/cosmetics.ts';
import { AccountOwners, safePriors } from './account/queue-bounds.ts';
import { TokenChecks } from './account/token-checks.ts';
import type { AttemptReport, Profile } from './attempt/conclude.ts';
import { ContentCache, type Known } from './attempt/content-cache.ts';
import { type AtOncePorts, append } from './attempt/immediate.ts';
import type { Records } from './attempt/references.ts';
import { Attempts, type LimitPorts, saveLimits } from './attempt/run.ts';
import { CallerNotes } from './caller-notes.ts';
import { entered } from './clock-steps.ts';
import { RoadEvents } from './events.ts';
import { LoopWaker } from './loop-waker.ts';
import { PlatformTime } from './platform-time.ts';
import { recover, type StartStore } from './recover.ts';
import { Scheduled } from './scheduled.ts';

export type { BreakerSettings } from './account/availability.ts';
export type { Profile } from './attempt/conclude.ts';
export type { RetryPolicy } from './settle.ts';

// Decisions in one turn of the loop; then others (intake, answers) get theirs.
const DECISIONS_PER_TURN_MAX = 512;
// How long the loop leaves a store alone that did not take a command.
const STORE_PAUSE_MS = 500;
const HOUSEKEEPING_MS = 10_000;
const FORGET_STEP_MAX = 2_000;
const CANCELLED_STEP_MAX = 500;

export interface DispatchOptions {
  readonly journal: DeliveryStore & StartStore & { readonly callers: CallerStore };
  readonly clock: Clock;
  // null: it cannot be told. Left out: the clock cannot be set.
  readonly bootTime?: () => BootTime | null;
  readonly random: Random;
  readonly scheduler: Scheduler;
  // Of a platform's host; each account brings its own.
  readonly breaker: BreakerSettings;
  readonly accounts: DispatchAccounts;
  // What became of the messages a call mentions.
  readonly ledger: Records;
  // Told of exceptions that were contained where they happened.
  readonly report: ReportFault;
  // Told of broken invariants of the road itself; the process must not go on after one.
  readonly fatal: (error: unknown) => void;
}

// What dispatch needs to know of accounts; accounts/ and the settings answer it.
export interface DispatchAccounts {
  profileOf(id: string): Profile;
  stateOf(id: string): { paused: boolean; refused: string | null };
  credentialOf(id: string): string | null;
  setRefused(id: string, reason: string | null): Promise<unknown>;
  // It was removed: what is kept of it may be dropped.
  forget?(id: string): void;
}

export class Dispatch implements Service {
  readonly scheduler: Scheduler;
  readonly aliases = new Aliases();
  readonly holds: AccountAvailability;
  readonly tokens: TokenChecks;
  readonly teller: RoadEvents;
  readonly callers: CallerNotes;
  readonly #owners: AccountOwners;
  readonly #o: DispatchOptions;
  readonly #limits = new Map<string, AccountLimits>();
  // By host: its accounts share the line, so what one learns of it is known to all.
  readonly #trips = new Map<string, RoundTrips>();
  readonly #inFlight = new Set<Promise<unknown>>();
  // Removed accounts of which something is still to be remembered.
  readonly #leaving = new Set<string>();
  readonly #shown: ContentCache;
  readonly #attempts: Attempts;
  readonly #atOnce: AtOncePorts & LimitPorts;
  readonly #cosmetics: Cosmetics;
  readonly #turns: LoopWaker;
  #started: Promise<void> | null = null;
  #isStopped = false;
  #housekeeping: Timer | null = null;
  readonly #scheduled: Scheduled;
  readonly platformTime: PlatformTime;
  // When the loop last had its turn; health is told from its age.
  lastTurnAt = 0;
  // Why the store did not take the last command; null: it did.
  storeTrouble: JournalUnavailable['code'] | null = null;
  storePausedUntil = 0;

  constructor(options: DispatchOptions) {
    this.#o = options;
    this.#owners = new AccountOwners(options.journal);
    const ports = { ...options, owners: this.#owners };
    this.callers = new CallerNotes(ports);
    this.scheduler = options.scheduler;
    const { clock, scheduler } = options;
    this.#scheduled = new Scheduled({ clock, scheduler, wake: () => this.wake() });
    this.platformTime = new PlatformTime(this, ports, (work) => this.#track(work));
    this.#turns = new LoopWaker(options.clock, (now) => this.#turn(now), options.fatal);
    this.teller = new RoadEvents(options.journal.tag, options.report);
    this.holds = new AccountAvailability(this.scheduler, options.breaker, options.random, (event) =>
      this.teller.emit(event),
    );
    this.tokens = new TokenChecks(this, options, (work) => this.#track(work));
    this.#shown = new ContentCache(options.clock);
    this.#attempts = new Attempts(this, ports, this.#shown);
    this.#atOnce = {
      ...ports,
      road: this,
      turns: this.#turns,
      admit: (queued, replaced) => this.#admit(queued, replaced),
      send: (queued, ticket, delivery) => this.#attempts.makeBegun(queued, ticket, delivery),
      track: (work) => this.#track(work),
    };
    this.#cosmetics = new Cosmetics(this, ports);
  }

  // Rebuilds queue, limits and doubts from the journal, then begins to send.
  start(): Promise<void> {
    this.#started ??= this.#isStopped ? Promise.resolve() : this.#start();
    return this.#started;
  }

  async #start(): Promise<void> {
    const clockRecord = await recover(this, { ...this.#o, owners: this.#owners });
    if (this.#isStopped) return;
    if (clockRecord !== null) this.platformTime.start(clockRecord);
    this.#keepHouse();
    this.#scheduled.start();
    this.#turns.start();
  }

  // Finishes what is in flight, at the latest at the deadline; the rest is on disk already.
  async stop(deadlineMs: number): Promise<void> {
    this.#isStopped = true;
    this.#turns.stop();
    this.#housekeeping?.cancel();
    this.#scheduled.stop();
    this.platformTime.stop();
    this.tokens.stop();
    const starting = this.#started ?? Promise.resolve();
    await drained(this.#o.clock, [starting, ...this.#inFlight], deadlineMs);
  }

  submit(delivery: NewDelivery): Promise<Appended> {
    const stepMs = delivery.notBefore === 0 ? 0 : this.#scheduled.stepMs();
    if (stepMs === 0) return append(this.#atOnce, delivery);
    const notBefore = Math.max(1, delivery.notBefore + stepMs);
    return append(this.#atOnce, { ...delivery, notBefore });
  }

  cosmetic(call: CosmeticCall): Promise<CosmeticAnswer> {
    if (this.#isStopped) return Promise.resolve({ end: 'dropped', result: null });
    const chat = this.aliases.canonical(call.account, call.chat);
    const made = this.#cosmetics.make({ ...call, chat });
    this.#track(made);
    return made;
  }

  // What its message shows already, if nothing of the chat is on its way that could change it.
  shows({ account, chat: given, method, family, body }: NewDelivery): Known | null {
    const chat = this.aliases.canonical(account, given);
    if (family !== 'edit' || !this.scheduler.isQuiet(account, chat)) return null;
    const place = { account, chat, method, family };
    return this.#shown.same(this.profileOf(account).platform, place, body);
  }

  async move({ account, ...command }: MoveOrder): Promise<Moved> {
    const owner = this.#owners.known(account) ?? (await this.#owners.open(account));
    const moved = await this.#o.journal.move(owner, command);
    if (moved.kind !== 'moved') return moved;
    const now = this.#o.clock.now();
    const removed = this.scheduler.remove(command.seq, now);
    if (moved.queued !== null) this.add(moved.queued, now);
    const about = moved.queued ?? removed;
    if (about !== null) this.teller.moved(about, moved.from, command.to, command.reason, now);
    if (command.to !== 'queued') this.teller.ended(command.seq, command.to, command.reason);
    this.wake();
    return moved;
  }

  isOnRoad(seq: number): boolean {
    return this.scheduler.isFlying(seq) || this.scheduler.isWaiting(seq);
  }

  profileOf(account: string): Profile {
    return this.#o.accounts.profileOf(account);
  }

  // Adds an account the first time something of it appears.
  limitsOf(account: string): AccountLimits {
    const known = this.#limits.get(account);
    if (known !== undefined) return known;
    const profile = this.profileOf(account);
    const { priors, inFlightMax, host, order, platform, isStranger } = profile;
    const trips = this.#trips.get(host) ?? new RoundTrips();
    this.#trips.set(host, trips);
    const safe = safePriors(priors, (error) => this.#o.report('limits', error, { account }));
    const limits = new AccountLimits({ account, priors: safe, trips });
    this.#limits.set(account, limits);
    const settings = { inFlightMax, order, platform: platform.name, isStranger };
    this.scheduler.addAccount(account, limits, settings);
    this.holds.add(account, profile, this.#o.accounts.stateOf(account));
    this.tokens.opened(account);
    return limits;
  }

  loadOf(account: string): AccountLoad {
    this.limitsOf(account);
    return this.scheduler.loadOf(account);
  }

  // The account was removed: what waits for it ends, and when nothing is left that would be lost (calls in flight,
  // freezes, what was learned, what its windows count) it is forgotten.
  leave(account: string): void {
    if (this.#limits.has(account)) this.#leaving.add(account);
    this.#letGo(this.#o.clock.now());
  }

  // It is back, with all that is remembered of it.
  stay(account: string): void {
    this.#leaving.delete(account);
    this.limitsOf(account);
    this.holds.setPaused(account, this.#o.accounts.stateOf(account).paused);
    this.holds.renew(account, this.#o.clock.now());
    this.wake();
  }

  // Ends what waits in an account; says how many.
  async cancelAll(account: string, reason: string, by: string): Promise<number> {
    const at = this.#o.clock.now();
    let cancelled = 0;
    const waiting = this.scheduler.waitingOf(account);
    // Many share a commit.
    for (let from = 0; from < waiting.length; from += CANCELLED_STEP_MAX) {
      const step = waiting
        .slice(from, from + CANCELLED_STEP_MAX)
        .map(({ seq }) =>
          this.move({ account, seq, to: 'cancelled', at, reason, by, body: null, queueMax: 0 }),
        );
      for (const { kind } of await Promise.all(step)) if (kind === 'moved') cancelled += 1;
    }
    return cancelled;
  }

  #letGo(now: number): void {
    for (const account of this.#leaving) {
      this.#track(this.#cancelLeft(account));
      const limits = this.#limits.get(account)!;
      const isIdle = this.scheduler.isIdle(account) && !this.#cosmetics.isBusy(account);
      if (!isIdle || !limits.isAtRest(now)) continue;
      this.#leaving.delete(account);
      this.#limits.delete(account);
      this.scheduler.removeAccount(account);
      this.holds.remove(account);
      this.aliases.forget(account);
      this.#o.accounts.forget?.(account);
      this.#track(this.#close(account, limits));
    }
  }

  async #close(account: string, limits: AccountLimits): Promise<void> {
    await saveLimits(this.#atOnce, limits.takeUnsaved());
    // Unless it has come back meanwhile.
    if (!this.#limits.has(account)) await this.#owners.close(account);
  }

  // What came back to the queue after its account was removed.
  async #cancelLeft(account: string): Promise<void> {
    try {
      await this.cancelAll(account, ACCOUNT_REMOVED, 'sluice');
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
    }
  }

  keep(records: readonly LimitRecord[]): Promise<void> {
    return saveLimits(this.#atOnce, records);
  }

  get allLimits(): ReadonlyMap<string, AccountLimits> {
    return this.#limits;
  }

  add(queued: Queued, now: number): void {
    this.limitsOf(queued.account);
    this.#scheduled.add(queued, now);
    this.scheduler.add(entered(this.aliases.resolved(queued), now), now);
  }

  // One chat under two ids, from now on one queue and one budget. Answers what is to be kept of it.
  unite(account: string, alias: Alias, now: number): LimitRecord[] {
    if (!this.aliases.learn(account, alias)) return [];
    const records = this.limitsOf(account).unite(alias.from, alias.to, now);
    this.scheduler.moveChat(account, alias.from, alias.to, now);
    return [...records, recordOf(account, alias, now), ...this.aliases.forgotten(now)];
  }

  // The loop leaves the store alone for a while.
  storeFailed(error: JournalUnavailable, now: number): void {
    this.storeTrouble = error.code;
    this.storePausedUntil = now + STORE_PAUSE_MS;
  }

  wake(): void {
    this.#turns.wake();
  }

  #admit(queued: Queued, replaced: number | null): void {
    const now = this.#o.clock.now();
    if (replaced !== null) {
      this.teller.replaced(this.scheduler.remove(replaced, now), replaced, queued.seq, now);
    }
    this.add(this.#scheduled.byOwnClock(queued), now);
    this.teller.accepted(queued, now);
    this.wake();
  }

  // Starts what may go now; answers when to ask again.
  #turn(now: number): number {
    this.lastTurnAt = now;
    if (now < this.storePausedUntil) return this.storePausedUntil;
    for (const queued of this.scheduler.expired(now)) this.#track(this.#expire(queued, now));
    const { leadMs } = this.#attempts;
    let at = now;
    for (let i = 0; i < DECISIONS_PER_TURN_MAX; i++) {
      const decision = this.scheduler.next(at);
      if (decision.kind === 'idle') return Number.POSITIVE_INFINITY;
      if (decision.kind === 'send') {
        this.#track(this.#attempts.make(decision.queued, decision.ticket, at));
      } else if (decision.until - leadMs > now) return decision.until - leadMs;
      else if (decision.until <= at) return decision.until;
      // What may go in a moment is begun on disk now, and leaves on time.
      else at = decision.until;
    }
    return now;
  }

  #track(work: Promise<unknown>): void {
    const tracked: Promise<unknown> = work
      .catch((error: unknown) => this.#o.fatal(error))
      .finally(() => this.#inFlight.delete(tracked));
    this.#inFlight.add(tracked);
  }

  // The attempt is written; memory follows.
  follow(queued: Queued, report: AttemptReport): void {
    const { settled, endedAt } = report;
    const waiting = settled.kind === 'settled' ? settled.queued : null;
    const again = waiting === null ? null : entered(this.aliases.resolved(waiting), endedAt);
    if (this.scheduler.isFlying(queued.seq)) this.scheduler.landed(queued.seq, again, endedAt);
    else if (again !== null) this.add(again, endedAt);
    this.teller.attempted(queued, report);
    this.wake();
  }

  async #expire(queued: Queued, at: number): Promise<void> {
    const { account, seq } = queued;
    const expiry = { seq, at, reason: 'expired', by: 'sluice', body: null, queueMax: 0 };
    try {
      const owner = this.#owners.of(account);
      const moved = await this.#o.journal.move(owner, { to: 'expired', ...expiry });
      if (moved.kind !== 'moved') return;
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
      // Back into the queue, to expire when the store returns.
      this.storeFailed(error, at);
      this.add(queued, at);
      return;
    }
    this.teller.moved(queued, 'queued', 'expired', 'expired', at);
    this.teller.ended(queued.seq, 'expired', 'expired');
  }

  #keepHouse(): void {
    const { clock } = this.#o;
    this.#housekeeping = clock.schedule(clock.now() + HOUSEKEEPING_MS, () => {
      this.wake();
      this.#scheduled.forget();
      for (const limits of this.#limits.values()) limits.forgetIdle(clock.now(), FORGET_STEP_MAX);
      this.#letGo(clock.now());
      this.#keepHouse();
    });
  }
}
