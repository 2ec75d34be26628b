// The attempts the loop starts, each from its ticket to its landing: begin, send, settle, and then memory follows.
// The order is the promise: nothing leaves before it is begun on disk, and the lane is free only when it is settled.

import type { Queued } from '../domain/delivery.ts';
import { ACCOUNT_REFUSED } from '../domain/outcome.ts';
import { type Begun, JournalUnavailable } from '../journal/journal.ts';
import type { AccountLimits, Ticket } from '../limits/limits.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { assert } from '../system/assert.ts';
import {
  type AttemptPorts,
  type AttemptReport,
  begin,
  call,
  conclude,
  type Profile,
  reasonOf,
} from './attempt.ts';
import type { Holds } from './holds.ts';
import type { Known, Shown } from './shown.ts';

type Started = Extract<Begun, { kind: 'begun' }>;

export interface AccountKeys {
  credentialOf(id: string): string | null;
  setRefused(id: string, reason: string): Promise<unknown>;
}

// What an attempt needs of the road's memory.
export interface AttemptRoad {
  readonly scheduler: Scheduler;
  readonly holds: Holds;
  storeTrouble: JournalUnavailable['code'] | null;
  storeFailed(error: JournalUnavailable, now: number): void;
  profileOf(account: string): Profile;
  limitsOf(account: string): AccountLimits;
  follow(queued: Queued, report: AttemptReport): void;
  wake(): void;
}

export class Attempts {
  readonly #road: AttemptRoad;
  readonly #p: AttemptPorts & { readonly accounts: AccountKeys };

  readonly #shown: Shown;

  constructor(
    road: AttemptRoad,
    ports: AttemptPorts & { readonly accounts: AccountKeys },
    shown: Shown,
  ) {
    this.#road = road;
    this.#p = ports;
    this.#shown = shown;
  }

  async make(queued: Queued, ticket: Ticket, takenAt: number): Promise<void> {
    const { account, seq } = queued;
    const limits = this.#road.limitsOf(account);
    const probing = this.#road.holds.probes(account, takenAt);
    const begun = await begin(this.#p, seq, takenAt);
    if (begun instanceof JournalUnavailable || begun.kind === 'gone') {
      this.#giveBack(queued, ticket, probing, begun);
      return;
    }
    this.#road.storeTrouble = null;
    const profile = this.#road.profileOf(account);
    const { platform, splits } = profile;
    const body = (splits ? platform.split(queued.method, begun.body) : null) ?? begun.body;
    const startedAt = this.#p.clock.now();
    limits.departed(ticket, startedAt);
    const credential = this.#p.accounts.credentialOf(account);
    assert(credential !== null, 'an account of the road has a credential');
    // A probe must be a call, whatever it says.
    const known = probing ? null : this.#shown.same(profile.platform, queued, body);
    if (known !== null) return this.#leaveOut(queued, ticket, begun, known, startedAt);
    const outcome = await this.#call(profile, credential, queued, body);
    if (outcome.kind === 'refused' && outcome.reason === ACCOUNT_REFUSED) {
      await markRefused(this.#p.accounts, account);
    }
    const { n, record } = begun;
    const tried = { queued, n, record, body, outcome, startedAt, probing };
    this.#land(queued, await conclude(this.#p, profile, limits, ticket, tried));
  }

  async #call(profile: Profile, credential: string, queued: Queued, body: string) {
    const departure = this.#shown.depart(profile.platform, queued, body);
    const outcome = await call(profile, credential, queued, body);
    return departure === null ? outcome : this.#shown.arrive(departure, queued, outcome);
  }

  // The message shows it already: settled without a call, which teaches nothing.
  async #leaveOut(q: Queued, ticket: Ticket, begun: Started, known: Known, startedAt: number) {
    const limits = this.#road.limitsOf(q.account);
    limits.settled(ticket, { kind: 'unjudged' }, startedAt);
    const tried = { ...begun, queued: q, outcome: known.sent, startedAt, probing: false };
    const profile = this.#road.profileOf(q.account);
    this.#road.follow(q, await conclude(this.#p, profile, limits, null, tried));
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

  #land(queued: Queued, report: AttemptReport): void {
    const { outcome, verdict, endedAt } = report;
    const { account, chat } = queued;
    this.#road.holds.learn(account, chat, verdict.health, reasonOf(outcome) ?? '', endedAt);
    this.#road.follow(queued, report);
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
