// The road's memory: one object that its parts work on. What waits and is in flight (scheduler), each account's limits,
// breakers and pauses, the other ids of its chats, who listens, and whether the store can be written.
// The journal owns the truth: all of this is made anew from it at a start. What runs here throws only when an invariant
// of the road is broken, which stops the process.

import { type Queued, slotted } from '../domain/delivery.ts';
import { ACCOUNT_GONE, type AccountId } from '../domain/ids.ts';
import { AccountLimits, type LimitRecord, RoundTrips } from '../limits/limits.ts';
import type { AccountLoad, Scheduler } from '../scheduler/scheduler.ts';
import type { StoredLimit } from '../store/ports/limits.ts';
import { NO_EPOCH, type Owner, type OwnershipStore } from '../store/ports/ownership.ts';
import { tolerateUnavailable } from '../store/ports/unavailable.ts';
import { assert } from '../system/assert.ts';
import { AccountAvailability } from './account/availability.ts';
import { ActiveFreezes } from './account/freezes.ts';
import { LimitsSetByHand } from './account/limits-by-hand.ts';
import { PassWaits } from './account/pass-waits.ts';
import type { Profile } from './account/profile.ts';
import { TokenChecks } from './account/token-checks.ts';
import { type Alias, deletionOf, readAlias, recordOf } from './alias-record.ts';
import { ContentCache, MessageThreads, PlainSends } from './attempt/messages.ts';
import { entered } from './clock-steps.ts';
import { RoadEvents, Silences, StoreHealth } from './events.ts';
import { Scheduled } from './scheduled.ts';
import type { AttemptReport } from './settle.ts';
import type { Leaving, StateParts } from './state-parts.ts';

export interface RoadAccount {
  readonly profile: Profile;
  readonly limits: AccountLimits;
}

export class RoadState {
  readonly scheduler: Scheduler;
  readonly availability: AccountAvailability;
  readonly aliases = new Aliases();
  readonly passWaits = new PassWaits();
  readonly byHand: LimitsSetByHand;
  readonly freezes = new ActiveFreezes();
  readonly silences = new Silences();
  readonly owners: AccountOwners;
  readonly events: RoadEvents;
  readonly scheduled: Scheduled;
  readonly store: StoreHealth;
  readonly threads = new MessageThreads();
  readonly plainSends = new PlainSends();
  readonly content: ContentCache;
  readonly tokens: TokenChecks;
  readonly wake: () => void;
  // Of the store: what ids of its deliveries begin with.
  readonly tag: string;
  readonly #p: StateParts;
  readonly #accounts = new Map<AccountId, RoadAccount>();
  // By host: its accounts share one connection path, so what one learns of it holds for all.
  readonly #trips = new Map<string, RoundTrips>();
  // By platform and rule, how many calls have used up a limit since the start.
  readonly limitsFilled = new Map<string, Map<string, number>>();
  readonly #leaving = new Map<AccountId, Leaving>();

  constructor(parts: StateParts) {
    const { journal, scheduler, breaker, random, report } = parts;
    this.#p = parts;
    this.wake = parts.wake;
    this.tag = journal.tag;
    this.scheduler = scheduler;
    this.owners = new AccountOwners(journal, parts.opens !== 'taken');
    this.events = new RoadEvents(journal.tag, report);
    this.events.listen(this.freezes.note, 'trouble');
    this.store = new StoreHealth(parts.clock, (trouble, at) =>
      this.events.emit({ kind: 'store', at, trouble }),
    );
    this.availability = new AccountAvailability(scheduler, breaker, random, (event) =>
      this.events.emit(event),
    );
    this.scheduled = new Scheduled(parts);
    this.content = new ContentCache(parts.clock);
    const { availability, events } = this;
    this.byHand = new LimitsSetByHand(
      { writeLimits: this.writeLimits.bind(this), retune: this.retune.bind(this) },
      parts,
    );
    const isOpen = (id: AccountId) => this.#accounts.has(id);
    const asked = { availability, events, profileOf: this.profileOf.bind(this), isOpen };
    this.tokens = new TokenChecks({ ...asked, wake: parts.wake }, parts, parts.track);
  }

  get accounts(): ReadonlyMap<AccountId, RoadAccount> {
    return this.#accounts;
  }

  // Nothing happens if it is open already.
  openAccount(id: AccountId): RoadAccount {
    return this.#accounts.get(id) ?? this.#open(id);
  }

  #open(id: AccountId): RoadAccount {
    const { accounts } = this.#p;
    const profile = accounts.profileOf(id);
    const { inFlightMax, host, order, platform, isStranger } = profile;
    const trips = this.#trips.get(host) ?? new RoundTrips();
    this.#trips.set(host, trips);
    const filled = this.limitsFilled.get(platform.name) ?? new Map<string, number>();
    this.limitsFilled.set(platform.name, filled);
    const limits = new AccountLimits({ account: id, priors: profile.priors, trips, filled });
    const settings = { inFlightMax, order, platform: platform.name, isStranger };
    const account = { profile, limits };
    this.#accounts.set(id, account);
    this.scheduler.addAccount(id, limits, settings);
    this.availability.add(id, profile, accounts.stateOf(id));
    this.tokens.opened(id);
    return account;
  }

  // Its settings have changed: its limits follow, and whatever waits may go sooner or later than before.
  retune(id: AccountId, now: number): void {
    const account = this.#accounts.get(id);
    if (account === undefined) return;
    const profile = this.#p.accounts.profileOf(id);
    this.#accounts.set(id, { ...account, profile });
    account.limits.retune(profile.priors, profile.platform.budgets.names);
    const chats = new Set(this.scheduler.waitingOf(id).map(({ chat }) => chat));
    for (const chat of ['', ...chats]) this.scheduler.reconsider(id, chat, now);
    this.wake();
  }

  // Nothing of it waits or is in flight, and what is learned of it is kept elsewhere.
  closeAccount(id: AccountId): void {
    this.#leaving.delete(id);
    this.#accounts.delete(id);
    this.scheduler.removeAccount(id);
    this.availability.remove(id);
    this.tokens.closed(id);
    this.aliases.forget(id);
    this.passWaits.forget(id);
    this.freezes.forget(id);
    this.silences.forget(id);
    this.content.forget(id);
    this.plainSends.forget(id);
  }

  // Open accounts that are to be closed as soon as that is possible, and why.
  get leaving(): ReadonlyMap<AccountId, Leaving> {
    return this.#leaving;
  }

  leave(id: AccountId, why: 'removed' | 'evicted'): void {
    if (!this.#accounts.has(id)) return;
    this.#leaving.set(id, why);
    if (why === 'evicted') this.availability.withhold(id, ACCOUNT_GONE);
  }

  // Another process owns it now (`handed`: will soon), and sends what waits. Its old epoch stays here, so that what is
  // still asked of this process is refused, and the account is not taken back unasked.
  lose(id: AccountId, now: number, why: 'lost' | 'handed' = 'lost'): void {
    if (!this.#accounts.has(id)) return;
    this.#leaving.set(id, why);
    for (const { seq } of this.scheduler.waitingOf(id)) this.scheduler.remove(seq, now);
    if (why === 'lost') this.#p.onLost?.(id);
  }

  isGone(id: AccountId): boolean {
    const why = this.#leaving.get(id);
    return why === 'lost' || why === 'handed';
  }

  // Taken while it was open still: another may have had it meanwhile.
  retake(id: AccountId, now: number): void {
    this.content.forget(id);
    this.plainSends.forget(id);
    const { paused, refused } = this.#p.accounts.stateOf(id);
    this.availability.setPaused(id, paused);
    if (refused === null) this.availability.renew(id, now);
    else this.availability.doubt(id, refused, now);
    this.tokens.opened(id);
    this.retune(id, now);
  }

  // It is back, with all that is remembered of it; unless it goes to another process, which reads how it stands.
  stay(id: AccountId): void {
    if (this.isGone(id)) return;
    this.#leaving.delete(id);
    this.openAccount(id);
    this.availability.setPaused(id, this.#p.accounts.stateOf(id).paused);
    this.availability.renew(id, this.#p.clock.now());
    this.wake();
  }

  // Also of an account that is not open.
  profileOf(id: AccountId): Profile {
    return this.#accounts.get(id)?.profile ?? this.#p.accounts.profileOf(id);
  }

  loadOf(id: AccountId): AccountLoad {
    this.openAccount(id);
    return this.scheduler.loadOf(id);
  }

  add(queued: Queued, now: number): void {
    if (this.isGone(queued.account) || this.scheduler.has(queued.seq)) return;
    this.openAccount(queued.account);
    this.scheduled.add(queued, now);
    this.scheduler.add(entered(this.aliases.resolved(queued), now), now);
  }

  // It is durable. `replaced`: the waiting delivery whose place it took.
  admit(queued: Queued, replaced: number | null, slotAt = 0): void {
    const now = this.#p.clock.now();
    if (replaced !== null) {
      this.events.replaced(this.scheduler.remove(replaced, now), replaced, queued.seq, now);
    }
    this.add(slotted(this.scheduled.byOwnClock(queued), slotAt, now), now);
    this.threads.learn(queued, null);
    this.events.accepted(queued, now);
    this.wake();
  }

  // The settlement of an attempt is written: the memory follows.
  follow(queued: Queued, report: AttemptReport): void {
    const { settled, endedAt } = report;
    const waiting = settled.kind === 'settled' ? settled.queued : null;
    const isOver = waiting === null || this.isGone(queued.account);
    const again = isOver ? null : entered(this.aliases.resolved(waiting), endedAt);
    if (this.scheduler.isInFlight(queued.seq)) this.scheduler.finished(queued.seq, again, endedAt);
    else if (again !== null) this.add(again, endedAt);
    if (settled.kind === 'not_owner') this.lose(queued.account, endedAt);
    this.events.attempted(queued, report);
    this.wake();
  }

  // Two ids of one chat, from now on one queue and one budget. Returns the records to save.
  unite(account: AccountId, alias: Alias, now: number): LimitRecord[] {
    if (!this.aliases.learn(account, alias)) return [];
    const records = this.openAccount(account).limits.unite(alias.from, alias.to, now);
    this.scheduler.moveChat(account, alias.from, alias.to, now);
    return [...records, recordOf(account, alias, now), ...this.aliases.forgotten(now)];
  }

  // A failure is tolerated: the limits hold in memory, and a restart would learn them again. Records of an account that
  // another process owns now are that process's to write.
  async saveLimits(records: readonly LimitRecord[]): Promise<void> {
    if (records.length === 0) return;
    await this.writeLimits(records).catch(tolerateUnavailable);
  }

  // In one commit. False: another process owns one of the accounts now.
  async writeLimits(records: readonly LimitRecord[]): Promise<boolean> {
    const byAccount = [...Map.groupBy(records, ({ account }) => account)];
    const opened = await Promise.all(byAccount.map(([account]) => this.owners.open(account)));
    const writing = byAccount.map(([, some], i) => this.#p.journal.saveLimits(opened[i]!, some));
    return (await Promise.all(writing)).every(({ kind }) => kind === 'kept');
  }
}

// The epochs under which the road writes. An account is opened in the store when something of it first appears, and
// closed when it is forgotten; in between its epoch is in memory, so that no message waits for it.

export class AccountOwners {
  readonly #store: Pick<OwnershipStore, 'openAccount' | 'closeAccount'>;
  readonly #owners = new Map<AccountId, Owner>();
  readonly #opening = new Map<AccountId, Promise<Owner>>();
  readonly #opensUnasked: boolean;

  constructor(store: Pick<OwnershipStore, 'openAccount' | 'closeAccount'>, opensUnasked = true) {
    this.#store = store;
    this.#opensUnasked = opensUnasked;
  }

  // Of an open account; whatever waits or is being sent belongs to one.
  of(account: AccountId): Owner {
    const owner = this.#owners.get(account);
    assert(owner !== undefined, `${account} is open`);
    return owner;
  }

  // null: it is to be opened first.
  known(account: AccountId): Owner | null {
    return this.#owners.get(account) ?? null;
  }

  async open(account: AccountId): Promise<Owner> {
    const known = this.#owners.get(account) ?? this.#opening.get(account);
    if (known !== undefined) return known;
    return this.#opensUnasked ? this.take(account) : { account, epoch: NO_EPOCH };
  }

  take(account: AccountId): Promise<Owner> {
    const opening = this.#open(account).finally(() => this.#opening.delete(account));
    this.#opening.set(account, opening);
    return opening;
  }

  async #open(account: AccountId): Promise<Owner> {
    const owner = await this.#store.openAccount(account);
    this.#owners.set(account, owner);
    return owner;
  }

  async close(account: AccountId): Promise<void> {
    const owner = this.#owners.get(account);
    if (owner === undefined) return;
    if (this.#opensUnasked) this.#owners.delete(account);
    else this.#owners.set(account, { account, epoch: NO_EPOCH });
    // It stays owned by this process, which does no harm.
    await this.#store.closeAccount(owner).catch(tolerateUnavailable);
  }
}

// One chat under several ids: a group that became a supergroup, a channel's @name and its number. Learned from
// answers, kept with the limits; whatever names such a chat shares its lanes and its budget.

// Of one account; beyond it the oldest is forgotten, and learned again when it comes up.
const ALIASES_MAX = 10_000;
// A group moves once; more steps than this are a circle.
const STEPS_MAX = 8;

export class Aliases {
  readonly #byAccount = new Map<AccountId, Map<string, Alias>>();
  // Chats that others moved to, by account, and how many did.
  readonly #homes = new Map<AccountId, Map<string, number>>();
  // Evicted ones whose records are still to be deleted.
  #forgotten: { readonly account: AccountId; readonly from: string }[] = [];

  canonical(account: AccountId, chat: string): string {
    const aliases = this.#byAccount.get(account);
    if (aliases === undefined) return chat;
    let known = chat;
    for (let i = 0; i < STEPS_MAX; i++) known = aliases.get(known)?.to ?? known;
    return known;
  }

  resolved(queued: Queued): Queued {
    const chat = this.canonical(queued.account, queued.chat);
    return chat === queued.chat ? queued : { ...queued, chat };
  }

  // Calls of other ids were redirected to this chat.
  isNewHome(account: AccountId, chat: string): boolean {
    return this.#homes.get(account)?.has(chat) === true;
  }

  of(account: AccountId): Iterable<Alias> {
    return this.#byAccount.get(account)?.values() ?? [];
  }

  // False: nothing new.
  learn(account: AccountId, alias: Alias): boolean {
    const { from, to } = alias;
    if (this.canonical(account, from) === this.canonical(account, to)) return false;
    let aliases = this.#byAccount.get(account);
    if (aliases === undefined) {
      aliases = new Map();
      this.#byAccount.set(account, aliases);
    }
    this.#countHome(account, aliases.get(from), -1);
    aliases.set(from, alias);
    this.#countHome(account, alias, 1);
    for (const oldest of aliases.values()) {
      if (aliases.size <= ALIASES_MAX) break;
      aliases.delete(oldest.from);
      this.#forgotten.push({ account, from: oldest.from });
      this.#countHome(account, oldest, -1);
    }
    return true;
  }

  // Records that delete those evicted since the last call.
  forgotten(now: number): StoredLimit[] {
    const forgotten = this.#forgotten;
    if (forgotten.length > 0) this.#forgotten = [];
    return forgotten.map(({ account, from }) => deletionOf(account, from, now));
  }

  // They stay on disk.
  forget(account: AccountId): void {
    this.#byAccount.delete(account);
    this.#homes.delete(account);
  }

  #countHome(account: AccountId, alias: Alias | undefined, change: number): void {
    if (alias?.moved !== true) return;
    let homes = this.#homes.get(account);
    if (homes === undefined) {
      homes = new Map();
      this.#homes.set(account, homes);
    }
    const count = (homes.get(alias.to) ?? 0) + change;
    if (count > 0) homes.set(alias.to, count);
    else homes.delete(alias.to);
  }

  restore(stored: StoredLimit): void {
    const alias = readAlias(stored);
    if (alias !== null) this.learn(stored.account, alias);
  }
}
