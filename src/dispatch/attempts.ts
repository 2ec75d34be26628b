// The attempts the loop starts, each from its ticket to its landing: begin, send, settle, and then memory follows.
// The order is the promise: nothing leaves before it is begun on disk, and the lane is free only when it is settled.

import type { NewDelivery, Queued } from '../domain/delivery.ts';
import { ACCOUNT_REFUSED } from '../domain/outcome.ts';
import { type Begun, type Journal, JournalUnavailable } from '../journal/journal.ts';
import type { AccountLimits, LimitRecord, Ticket } from '../limits/limits.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { assert } from '../system/assert.ts';
import { sleep } from '../system/clock.ts';
import type { Alias, Aliases } from './aliases.ts';
import {
  type AttemptPorts,
  type AttemptReport,
  begin,
  type Change,
  call,
  conclude,
  type Profile,
  postpone,
  reasonOf,
} from './attempt.ts';
import type { Holds } from './holds.ts';
import { Lead } from './lead.ts';
import { NAMED, type Records, resolve } from './references.ts';
import type { Shown } from './shown.ts';

// A try that is begun on disk.
interface Start {
  readonly queued: Queued;
  readonly ticket: Ticket;
  readonly probing: boolean;
  readonly begun: Extract<Begun, { kind: 'begun' }>;
  readonly startedAt: number;
}

type Kept = Omit<Parameters<typeof conclude>[4], 'outcome'>;

export interface AttemptsPorts extends AttemptPorts {
  readonly accounts: AccountKeys;
  readonly ledger: Records;
}

export interface AccountKeys {
  credentialOf(id: string): string | null;
  setRefused(id: string, reason: string): Promise<unknown>;
}

// What an attempt needs of the road's memory.
export interface AttemptRoad {
  readonly scheduler: Scheduler;
  readonly holds: Holds;
  readonly aliases: Aliases;
  unite(account: string, alias: Alias, now: number): LimitRecord[];
  storeTrouble: JournalUnavailable['code'] | null;
  storeFailed(error: JournalUnavailable, now: number): void;
  profileOf(account: string): Profile;
  limitsOf(account: string): AccountLimits;
  follow(queued: Queued, report: AttemptReport): void;
  wake(): void;
}

export class Attempts {
  readonly #road: AttemptRoad;
  readonly #p: AttemptsPorts;
  readonly #shown: Shown;
  readonly #lead = new Lead();
  readonly #lookUp: Parameters<typeof resolve>[1];

  constructor(road: AttemptRoad, ports: AttemptsPorts, shown: Shown) {
    this.#road = road;
    this.#p = ports;
    this.#shown = shown;
    const { ledger: records, clock } = ports;
    this.#lookUp = { records, places: road.scheduler, now: () => clock.now() };
  }

  // How long it takes to begin on disk: so much sooner than it may leave a call can be begun.
  get leadMs(): number {
    return this.#lead.ms;
  }

  async make(queued: Queued, ticket: Ticket, takenAt: number): Promise<void> {
    const probing = this.#road.holds.probes(queued.account, takenAt);
    const begun = await this.#begin(queued.seq, takenAt);
    if (begun instanceof JournalUnavailable || begun.kind === 'gone') {
      this.#giveBack(queued, ticket, probing, begun);
      return;
    }
    this.#road.storeTrouble = null;
    return this.#go({ queued, ticket, probing, begun, startedAt: this.#p.clock.now() });
  }

  // Begun in the commit that accepted it.
  makeBegun(queued: Queued, ticket: Ticket, { acceptedAt, body }: NewDelivery): Promise<void> {
    const record = { acceptedAt, failures: 0, doubts: 0, cures: [] };
    const begun = { kind: 'begun', n: 1, body, record } as const;
    const startedAt = this.#p.clock.now();
    return this.#go({ queued, ticket, probing: false, begun, startedAt });
  }

  async #go(start: Start): Promise<void> {
    const { queued, begun } = start;
    const { account } = queued;
    const { platform } = this.#road.profileOf(account);
    const asked = this.#addressed(platform, queued, begun.body);
    const resolving = resolve(platform, this.#lookUp, queued, asked);
    const moved = asked === begun.body ? null : { name: 'move_chat', chat: queued.chat };
    if (resolving === null) return this.#send(start, asked, moved);
    const resolved = await resolving;
    switch (resolved.kind) {
      case 'ready':
        return this.#send(start, resolved.body, moved ?? { name: NAMED, chat: null });
      case 'wait':
        return this.#keep(start, (tried) =>
          postpone(this.#p, tried, 'reference_waits', resolved.until),
        );
      case 'lost':
        return this.#keep(start, (tried) =>
          this.#conclude(start, null, { ...tried, outcome: resolved.outcome }),
        );
    }
  }

  // What was asked for a chat's old id goes to its new one.
  #addressed(platform: Platform, { account, chat, method }: Queued, body: string): string {
    if (!this.#road.aliases.isNewHome(account, chat)) return body;
    return platform.cure({ kind: 'move_chat', chat }, method, body)?.body ?? body;
  }

  async #send(start: Start, given: string, change: Change | null): Promise<void> {
    const { queued, ticket, probing, begun } = start;
    const { account } = queued;
    const profile = this.#road.profileOf(account);
    const { platform, splits } = profile;
    const body = (splits ? platform.split(queued.method, given) : null) ?? given;
    // A probe must be a call, whatever it says.
    const known = probing ? null : this.#shown.same(platform, queued, body);
    if (known !== null) {
      return this.#keep(start, (tried) =>
        this.#conclude(start, null, { ...tried, outcome: known.sent }),
      );
    }
    const startedAt = this.#p.clock.now();
    this.#road.limitsOf(account).departed(ticket, startedAt);
    const credential = this.#p.accounts.credentialOf(account);
    assert(credential !== null, 'an account of the road has a credential');
    const outcome = await this.#call(profile, credential, queued, body);
    if (outcome.kind === 'refused' && outcome.reason === ACCOUNT_REFUSED) {
      await markRefused(this.#p.accounts, account);
    }
    const { n, record } = begun;
    const tried = { queued, n, record, body, outcome, startedAt, probing, change };
    await this.#land(queued, await this.#conclude(start, ticket, tried));
  }

  #conclude({ queued }: Start, ticket: Ticket | null, tried: Parameters<typeof conclude>[4]) {
    const profile = this.#road.profileOf(queued.account);
    return conclude(this.#p, profile, this.#road.limitsOf(queued.account), ticket, tried);
  }

  async #call(profile: Profile, credential: string, queued: Queued, body: string) {
    const departure = this.#shown.depart(profile.platform, queued, body);
    const outcome = await call(profile, credential, queued, body);
    return departure === null ? outcome : this.#shown.arrive(departure, queued, outcome);
  }

  // Settled without a call, which teaches nothing: its room and its probe go to others.
  async #keep(
    { queued, ticket, probing, begun, startedAt }: Start,
    settleIt: (tried: Kept) => Promise<AttemptReport>,
  ): Promise<void> {
    this.#road.limitsOf(queued.account).settled(ticket, { kind: 'unjudged' }, startedAt);
    if (probing) this.#road.holds.probeGone(queued.account, startedAt);
    const { n, record, body } = begun;
    const tried = { queued, n, record, body, startedAt, probing: false, change: null };
    this.#road.follow(queued, await settleIt(tried));
  }

  // Resolves when it may leave.
  async #begin(seq: number, leavesAt: number): Promise<Begun | JournalUnavailable> {
    const { clock } = this.#p;
    const askedAt = clock.now();
    const begun = await begin(this.#p, seq, leavesAt);
    this.#lead.observe(clock.now() - askedAt);
    while (clock.now() < leavesAt) await sleep(clock, leavesAt - clock.now());
    return begun;
  }

  // It never left: withdrawn meanwhile, or the store could not be written.
  #giveBack(queued: Queued, ticket: Ticket, probing: boolean, why: Begun | JournalUnavailable) {
    const now = this.#p.clock.now();
    const storeDown = why instanceof JournalUnavailable;
    if (storeDown) this.#road.storeFailed(why, now);
    this.#road.limitsOf(queued.account).settled(ticket, { kind: 'unjudged' }, now);
    if (probing) this.#road.holds.probeGone(queued.account, now);
    this.#road.scheduler.landed(queued.seq, storeDown ? queued : null, now);
    this.#road.wake();
  }

  async #land(queued: Queued, report: AttemptReport): Promise<void> {
    const { outcome, verdict, endedAt } = report;
    const { account, chat } = queued;
    this.#road.holds.learn(account, chat, verdict.health, reasonOf(outcome) ?? '', endedAt);
    const after = this.#road.profileOf(account).platform.chatAfter(chat, outcome);
    const alias = after === null ? null : { from: chat, to: after.chat, moved: after.moved };
    const records = alias === null ? [] : this.#road.unite(account, alias, endedAt);
    this.#road.follow(queued, report);
    // Others of its chat may wait for its answer under another id.
    const now = this.#road.aliases.canonical(account, chat);
    if (now !== chat) this.#road.scheduler.reconsider(account, now, endedAt);
    await saveLimits(this.#p.journal, records);
  }
}

// It holds in memory; only a restart would not know of it, and learn it again.
export async function saveLimits(
  journal: Pick<Journal, 'saveLimits'>,
  records: readonly LimitRecord[],
): Promise<void> {
  if (records.length === 0) return;
  try {
    await journal.saveLimits(records);
  } catch (error) {
    if (!(error instanceof JournalUnavailable)) throw error;
  }
}

// Before the attempt is settled, so that a crash in between does not make the next process ask again.
export async function markRefused(accounts: AccountKeys, id: string): Promise<void> {
  try {
    await accounts.setRefused(id, ACCOUNT_REFUSED);
  } catch (error) {
    // The breaker holds it in memory; only a restart would ask once more.
    if (!(error instanceof JournalUnavailable)) throw error;
  }
}
