// The road's memory: one object that its parts work on. What waits and is in flight (scheduler), each account's limits,
// breakers and pauses, the other ids of its chats, who listens, and whether the store can be written.
// The journal owns the truth: all of this is made anew from it at a start. What runs here throws only when an invariant
// of the road is broken, which stops the process.

import type { Queued } from '../domain/delivery.ts';
import type { ReportFault } from '../domain/fault.ts';
import { AccountLimits, type LimitRecord, RoundTrips } from '../limits/limits.ts';
import type { AccountLoad, Scheduler } from '../scheduler/scheduler.ts';
import type { LimitStore } from '../store/ports/limits.ts';
import type { OwnershipStore } from '../store/ports/ownership.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import type { Clock } from '../system/clock.ts';
import type { Random } from '../system/random.ts';
import {
  AccountOwners,
  type Alias,
  Aliases,
  type Profile,
  recordOf,
  safePriors,
} from './account/account.ts';
import { AccountAvailability, type BreakerSettings } from './account/availability.ts';
import { TokenChecks } from './account/token-checks.ts';
import { MessageThreads } from './attempt/messages.ts';
import { entered } from './clock-steps.ts';
import { RoadEvents } from './events.ts';
import { Scheduled } from './scheduled.ts';
import type { AttemptReport } from './settle.ts';

// How long the loop leaves a store alone that did not take a command.
const STORE_PAUSE_MS = 500;

export interface StateParts {
  readonly journal: LimitStore & OwnershipStore & { readonly tag: string };
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduler: Scheduler;
  // Of a platform's host; each account brings its own.
  readonly breaker: BreakerSettings;
  readonly accounts: {
    profileOf(id: string): Profile;
    stateOf(id: string): { paused: boolean; refused: string | null };
    credentialOf(id: string): string | null;
    setRefused(id: string, reason: string | null): Promise<unknown>;
  };
  readonly report: ReportFault;
  // There may be something to send.
  readonly wake: () => void;
  // Work that a stop waits for.
  readonly track: (work: Promise<unknown>) => void;
}

export interface RoadAccount {
  readonly profile: Profile;
  readonly limits: AccountLimits;
}

export class RoadState {
  readonly scheduler: Scheduler;
  readonly availability: AccountAvailability;
  readonly aliases = new Aliases();
  readonly owners: AccountOwners;
  readonly events: RoadEvents;
  readonly scheduled: Scheduled;
  readonly store = new StoreHealth();
  readonly threads = new MessageThreads();
  readonly tokens: TokenChecks;
  readonly wake: () => void;
  // Of the store: what ids of its deliveries begin with.
  readonly tag: string;
  readonly #p: StateParts;
  readonly #accounts = new Map<string, RoadAccount>();
  // By host: its accounts share the line, so what one learns of it is known to all.
  readonly #trips = new Map<string, RoundTrips>();
  readonly #leaving = new Map<string, 'removed' | 'lost'>();

  constructor(parts: StateParts) {
    const { journal, scheduler, breaker, random, report } = parts;
    this.#p = parts;
    this.wake = parts.wake;
    this.tag = journal.tag;
    this.scheduler = scheduler;
    this.owners = new AccountOwners(journal);
    this.events = new RoadEvents(journal.tag, report);
    this.availability = new AccountAvailability(scheduler, breaker, random, (event) =>
      this.events.emit(event),
    );
    this.scheduled = new Scheduled(parts);
    this.tokens = new TokenChecks(this, parts, parts.track);
  }

  // Those that are open.
  get accounts(): ReadonlyMap<string, RoadAccount> {
    return this.#accounts;
  }

  // Nothing happens if it is open already.
  openAccount(id: string): RoadAccount {
    return this.#accounts.get(id) ?? this.#open(id);
  }

  #open(id: string): RoadAccount {
    const { accounts, report } = this.#p;
    const profile = accounts.profileOf(id);
    const { priors, inFlightMax, host, order, platform, isStranger } = profile;
    const trips = this.#trips.get(host) ?? new RoundTrips();
    this.#trips.set(host, trips);
    const safe = safePriors(priors, (error) => report('limits', error, { account: id }));
    const limits = new AccountLimits({ account: id, priors: safe, trips });
    const settings = { inFlightMax, order, platform: platform.name, isStranger };
    const account = { profile, limits };
    this.#accounts.set(id, account);
    this.scheduler.addAccount(id, limits, settings);
    this.availability.add(id, profile, accounts.stateOf(id));
    this.tokens.opened(id);
    return account;
  }

  // Nothing of it waits or is in flight, and what is learned of it is kept elsewhere.
  closeAccount(id: string): void {
    this.#leaving.delete(id);
    this.#accounts.delete(id);
    this.scheduler.removeAccount(id);
    this.availability.remove(id);
    this.aliases.forget(id);
  }

  // Open accounts that are to be closed as soon as that is possible, and why.
  get leaving(): ReadonlyMap<string, 'removed' | 'lost'> {
    return this.#leaving;
  }

  leave(id: string): void {
    if (this.#accounts.has(id)) this.#leaving.set(id, 'removed');
  }

  // The store says that another owns it by now: what waits is the other's to send. Its epoch here stays as it is, so
  // that whatever is still asked of this process is refused, and nobody takes the account back unasked.
  lose(id: string, now: number): void {
    if (!this.#accounts.has(id)) return;
    this.#leaving.set(id, 'lost');
    for (const { seq } of this.scheduler.waitingOf(id)) this.scheduler.remove(seq, now);
  }

  // It is back, with all that is remembered of it.
  stay(id: string): void {
    this.#leaving.delete(id);
    this.openAccount(id);
    this.availability.setPaused(id, this.#p.accounts.stateOf(id).paused);
    this.availability.renew(id, this.#p.clock.now());
    this.wake();
  }

  // Also of an account that is not open.
  profileOf(id: string): Profile {
    return this.#accounts.get(id)?.profile ?? this.#p.accounts.profileOf(id);
  }

  loadOf(id: string): AccountLoad {
    this.openAccount(id);
    return this.scheduler.loadOf(id);
  }

  add(queued: Queued, now: number): void {
    this.openAccount(queued.account);
    this.scheduled.add(queued, now);
    this.scheduler.add(entered(this.aliases.resolved(queued), now), now);
  }

  // It is on disk, in place of another or not.
  admit(queued: Queued, replaced: number | null): void {
    const now = this.#p.clock.now();
    if (replaced !== null) {
      this.events.replaced(this.scheduler.remove(replaced, now), replaced, queued.seq, now);
    }
    this.add(this.scheduled.byOwnClock(queued), now);
    this.threads.learn(queued, null);
    this.events.accepted(queued, now);
    this.wake();
  }

  // An attempt is written.
  follow(queued: Queued, report: AttemptReport): void {
    const { settled, endedAt } = report;
    const waiting = settled.kind === 'settled' ? settled.queued : null;
    const again = waiting === null ? null : entered(this.aliases.resolved(waiting), endedAt);
    if (this.scheduler.isFlying(queued.seq)) this.scheduler.landed(queued.seq, again, endedAt);
    else if (again !== null) this.add(again, endedAt);
    if (settled.kind === 'not_owner') this.lose(queued.account, endedAt);
    this.events.attempted(queued, report);
    this.wake();
  }

  // One chat under two ids, from now on one queue and one budget. Answers what is to be kept of it.
  unite(account: string, alias: Alias, now: number): LimitRecord[] {
    if (!this.aliases.learn(account, alias)) return [];
    const records = this.openAccount(account).limits.unite(alias.from, alias.to, now);
    this.scheduler.moveChat(account, alias.from, alias.to, now);
    return [...records, recordOf(account, alias, now), ...this.aliases.forgotten(now)];
  }

  // It holds in memory; only a restart would not know of it, and learn it again. What another owns by now is its to
  // know.
  async saveLimits(records: readonly LimitRecord[]): Promise<void> {
    if (records.length === 0) return;
    try {
      await this.writeLimits(records);
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
    }
  }

  // Each account's for itself, in one commit.
  async writeLimits(records: readonly LimitRecord[]): Promise<void> {
    const byAccount = [...Map.groupBy(records, ({ account }) => account)];
    const opened = await Promise.all(byAccount.map(([account]) => this.owners.open(account)));
    const { journal } = this.#p;
    await Promise.all(byAccount.map(([, some], i) => journal.saveLimits(opened[i]!, some)));
  }
}

// Whether the store takes what it is given.
export class StoreHealth {
  #trouble: JournalUnavailable['code'] | null = null;
  #pausedUntil = 0;

  // Why it did not take the last command; null: it did.
  get trouble(): JournalUnavailable['code'] | null {
    return this.#trouble;
  }

  // The loop leaves it alone before this.
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  worked(): void {
    this.#trouble = null;
  }

  failed(error: JournalUnavailable): void {
    this.#trouble = error.code;
  }

  failedLoop(error: JournalUnavailable, now: number): void {
    this.failed(error);
    this.#pausedUntil = now + STORE_PAUSE_MS;
  }
}
