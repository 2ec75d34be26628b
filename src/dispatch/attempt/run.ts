// The attempts the loop starts, each from its ticket to its end: begin, send, settle, then update the road's memory.
// The order is the promise: nothing leaves before it is begun on disk, and the lane is free only when it is settled.
// What runs in the platform's code, or on the message itself, is guarded: an exception there settles this delivery dead
// (`internal`), and the road goes on. Nothing guarded changes the road's own state (scheduler, limits, breakers,
// store); an exception there is a broken invariant of the road, and stops the process.

import { hasFiles } from '../../domain/body.ts';
import type { NewDelivery, Queued } from '../../domain/delivery.ts';
import { type AccountId, formatId } from '../../domain/ids.ts';
import { ACCOUNT_REFUSED, type Outcome, withGrownWait } from '../../domain/outcome.ts';
import type { Ticket } from '../../limits/limits.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { Decision } from '../../scheduler/scheduler.ts';
import type { Begun, DeliveryStore } from '../../store/ports/delivery.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import { sleep } from '../../system/clock.ts';
import type { Reply } from '../../system/http/transport.ts';
import type { Alias } from '../alias-record.ts';
import type { PlatformTime } from '../platform-time.ts';
import {
  type AttemptChange,
  type AttemptPorts,
  type AttemptReport,
  causeOf,
  conclude,
  damagedOutcome,
  internalFailure,
  postpone,
  quarantine,
  type TriedCall,
} from '../settle.ts';
import type { RoadState } from '../state.ts';
import { waitedInWords } from '../views.ts';
import { type Departure, NAMED, noteSent, type Records, resolve } from './messages.ts';

type Sendable = Extract<Decision, { kind: 'send' }>;

// An attempt that is begun on disk.
interface Start {
  readonly queued: Queued;
  readonly ticket: Ticket;
  readonly probing: boolean;
  readonly begun: Extract<Begun, { kind: 'begun' }>;
  // When it was asked to be begun, or before.
  readonly askedAt: number;
  readonly startedAt: number;
}

// An attempt that ends without a call.
interface Ending extends Omit<Start, 'begun' | 'askedAt'> {
  readonly begun: Omit<Start['begun'], 'kind' | 'body'> & { readonly body: string | null };
}

// What is to be done with an attempt that has begun.
type Plan =
  | { kind: 'send'; body: string; change: AttemptChange | null }
  | { kind: 'wait'; until: number }
  // Settled without a call.
  | { kind: 'known'; outcome: Outcome };

interface Answer {
  readonly outcome: Outcome;
  // What time the platform says it is; undefined: it does not.
  readonly date: string | undefined;
}

type Kept = Omit<TriedCall, 'outcome'>;

type Refusal = Extract<Outcome, { kind: 'refused' }>;

export interface AttemptsPorts extends BeginPorts {
  // How long after it was asked to be begun a call may leave; left out: for ever.
  readonly fleet?: { readonly certainMs: number };
  readonly accounts: AccountKeys;
  readonly ledger: Records;
  readonly platformTime: Pick<PlatformTime, 'lookAt' | 'answered'>;
}

export interface AccountKeys {
  credentialOf(id: AccountId): string | null;
  setRefused(id: AccountId, reason: string): Promise<unknown>;
}

export class Attempts {
  readonly #road: RoadState;
  readonly #p: AttemptsPorts;
  readonly #beginLatency = new BeginLatency();
  readonly #lookAt: ReadonlyMap<string, number>;
  readonly #lookUp: Parameters<typeof resolve>[1];
  readonly #certainMs: number;

  constructor(road: RoadState, ports: AttemptsPorts) {
    this.#road = road;
    this.#p = ports;
    this.#lookAt = ports.platformTime.lookAt;
    this.#certainMs = ports.fleet?.certainMs ?? Number.POSITIVE_INFINITY;
    const { ledger: records, clock } = ports;
    this.#lookUp = { records, positions: road.scheduler, now: () => clock.now() };
  }

  // How long it takes to begin on disk: a call is begun so much before it may leave.
  get beginLatencyMs(): number {
    return this.#beginLatency.ms;
  }

  async make({ queued, ticket, waited }: Sendable, takenAt: number): Promise<void> {
    const probing = this.#road.availability.probes(queued.account, takenAt);
    const askedAt = this.#p.clock.now();
    const begun = await this.#begin(queued, takenAt, waited);
    if (
      begun instanceof JournalUnavailable ||
      begun.kind === 'gone' ||
      begun.kind === 'not_owner'
    ) {
      this.#giveBack(queued, ticket, probing, begun);
      return;
    }
    this.#road.store.worked();
    const start = { queued, ticket, probing, startedAt: this.#p.clock.now() };
    if (begun.kind === 'begun') return this.#go({ ...start, begun, askedAt });
    const outcome = damagedOutcome(this.#p, queued);
    const ended = { ...start, begun: { ...begun, body: null } };
    return this.#keep(ended, (tried) => quarantine(this.#p, tried, outcome));
  }

  // Begun in the commit that accepted it.
  makeBegun(queued: Queued, ticket: Ticket, { acceptedAt, body }: NewDelivery): Promise<void> {
    const past = { acceptedAt, failures: 0, doubts: 0, cures: [] };
    const begun = { kind: 'begun', n: 1, body, past } as const;
    const startedAt = this.#p.clock.now();
    return this.#go({ queued, ticket, probing: false, begun, askedAt: acceptedAt, startedAt });
  }

  #go(start: Start): Promise<void> {
    let planning: Plan | Promise<Plan>;
    try {
      planning = this.#plan(start);
    } catch (error) {
      return this.#fail(start, error);
    }
    // Saves a microtask on the hot path: few calls mention a message that is not sent yet.
    if (!(planning instanceof Promise)) return this.#carryOut(start, planning);
    return planning.then(
      (plan) => this.#carryOut(start, plan),
      (error) => this.#fail(start, error),
    );
  }

  #carryOut(start: Start, plan: Plan): Promise<void> {
    switch (plan.kind) {
      case 'send':
        return this.#isStale(start)
          ? this.#keep(start, (tried) => postpone(this.#p, tried, 'owner_uncertain', 0))
          : this.#send(start, plan.body, plan.change);
      case 'wait': {
        const { until } = plan;
        return this.#keep(start, (tried) => postpone(this.#p, tried, 'reference_waits', until));
      }
      case 'known': {
        const { outcome } = plan;
        return this.#keep(start, (tried) => this.#conclude(start, null, { ...tried, outcome }));
      }
    }
  }

  // The process was frozen for so long that another may have taken the account over since it was begun.
  #isStale({ askedAt }: Start): boolean {
    return this.#p.clock.now() - askedAt > this.#certainMs;
  }

  #plan(start: Start): Plan | Promise<Plan> {
    const { queued, begun } = start;
    const { platform } = this.#road.profileOf(queued.account);
    const asked = this.#addressed(platform, queued, begun.body);
    const resolving = resolve(platform, this.#lookUp, queued, asked);
    const moved = asked === begun.body ? null : { name: 'move_chat', chat: queued.chat };
    if (resolving === null) return this.#planSend(start, asked, moved);
    return resolving.then((resolved): Plan => {
      switch (resolved.kind) {
        case 'ready':
          return this.#planSend(start, resolved.body, moved ?? { name: NAMED, chat: null });
        case 'wait':
          return resolved;
        case 'lost':
          return { kind: 'known', outcome: resolved.outcome };
      }
    });
  }

  #planSend({ queued, probing }: Start, given: string, change: AttemptChange | null): Plan {
    const { platform, splits } = this.#road.profileOf(queued.account);
    const { repairs } = platform;
    const mayBeCut = splits && repairs !== undefined && given.length > repairs.wholeUnitsMax;
    const body = (mayBeCut ? repairs.split(queued.method, given) : null) ?? given;
    // A probe must reach the platform, even if it changes nothing.
    const known = probing ? null : this.#road.content.same(platform, queued, body);
    return known === null ? { kind: 'send', body, change } : { kind: 'known', outcome: known.sent };
  }

  // What was asked for a chat's old id goes to its new one.
  #addressed(platform: Platform, { account, chat, method }: Queued, body: string): string {
    if (!this.#road.aliases.isNewHome(account, chat)) return body;
    return platform.repairs?.cure({ kind: 'move_chat', chat }, method, body)?.body ?? body;
  }

  async #send(start: Start, body: string, change: AttemptChange | null): Promise<void> {
    const { queued, ticket, probing, begun } = start;
    const { account } = queued;
    const credential = this.#p.accounts.credentialOf(account);
    if (credential === null) return this.#fail(start, new Error('the account has no credential'));
    const startedAt = this.#p.clock.now();
    const { limits, profile } = this.#road.openAccount(account);
    limits.departed(ticket, startedAt);
    const { outcome, date } = await this.#call(credential, start, body);
    if (date !== undefined) this.#lookAtDate(profile.host, date, startedAt);
    if (outcome.kind === 'sent')
      noteSent(this.#road, limits, queued, outcome.messageId, this.#p.clock.now());
    const { n, past } = begun;
    const isRefused = outcome.kind === 'refused' && outcome.reason === ACCOUNT_REFUSED;
    const confirmed = isRefused ? await this.#confirmed(account, outcome) : outcome;
    const meant = confirmed.kind === 'limited' ? withGrownWait(confirmed, n) : confirmed;
    const tried = { queued, n, past, body, outcome: meant, startedAt, probing, change };
    return this.#finish(queued, probing, await this.#conclude(start, ticket, tried));
  }

  // Only now and then: most answers' dates say nothing new.
  #lookAtDate(host: string, date: string, now: number): void {
    if (now >= (this.#lookAt.get(host) ?? 0)) this.#p.platformTime.answered(host, date);
  }

  // That the account is refused is believed only when the platform confirms it; else the call failed.
  async #confirmed(account: AccountId, outcome: Refusal): Promise<Outcome> {
    if (await this.#road.tokens.isRefused(account)) return outcome;
    const { reason, detail } = outcome;
    return {
      kind: 'failed',
      reason,
      detail: `${detail}, but the platform accepts the account's token`,
      hostDown: false,
    };
  }

  #conclude({ queued }: Start, ticket: Ticket | null, tried: TriedCall) {
    const { profile, limits } = this.#road.openAccount(queued.account);
    return conclude(this.#p, profile, limits, ticket, tried);
  }

  // Never rejects: whatever the platform throws is an outcome of this call.
  async #call(credential: string, { queued, begun }: Start, body: string): Promise<Answer> {
    const { platform, deadlineMs } = this.#road.profileOf(queued.account);
    const { method } = queued;
    let departure: Departure | null = null;
    let hasLeft = false;
    try {
      departure = this.#road.content.depart(platform, queued, body);
      hasLeft = true;
      const key = formatId(this.#road.tag, queued.seq);
      const call = { credential, method, body, deadlineMs, key };
      // One with files may take as long as they do.
      const leftAt = hasFiles(body) ? null : this.#p.clock.now();
      if (leftAt !== null) this.#road.silences.left(queued.account, leftAt);
      let reply: Reply | null = null;
      try {
        reply = await platform.wire.send(call);
      } finally {
        const isAnswered = reply?.kind === 'answered';
        this.#road.silences.over(queued.account, leftAt, isAnswered, this.#p.clock.now());
      }
      const { failures, doubts } = begun.past;
      const outcome = platform.wire.classify(method, reply, failures + doubts > 0);
      if (typeof outcome.kind !== 'string')
        throw new TypeError('the platform’s classify returned no outcome');
      const date = reply.kind === 'answered' ? reply.headers.date : undefined;
      return { outcome: this.#arrived(departure, queued, outcome), date };
    } catch (error) {
      this.#report(queued, error);
      const outcome = internalFailure(error, hasLeft);
      return { outcome: this.#arrived(departure, queued, outcome), date: undefined };
    }
  }

  #arrived(departure: Departure | null, queued: Queued, outcome: Outcome): Outcome {
    return departure === null ? outcome : this.#road.content.arrive(departure, queued, outcome);
  }

  // An exception before the call could be made.
  #fail(start: Start, error: unknown): Promise<void> {
    this.#report(start.queued, error);
    const outcome = internalFailure(error, false);
    return this.#keep(start, (tried) => this.#conclude(start, null, { ...tried, outcome }));
  }

  #report({ seq, account, method }: Queued, error: unknown): void {
    this.#p.report('attempt', error, { seq, account, method });
  }

  // Settled without a call, so nothing is learned: capacity and probe are given back.
  async #keep(
    { queued, ticket, probing, begun, startedAt }: Ending,
    settleIt: (tried: Kept) => Promise<AttemptReport>,
  ): Promise<void> {
    this.#road.openAccount(queued.account).limits.settled(ticket, { kind: 'unjudged' }, startedAt);
    if (probing) this.#road.availability.probeGone(queued.account, startedAt);
    const { n, past, body } = begun;
    const tried = { queued, n, past, body, startedAt, probing: false, change: null };
    this.#road.follow(queued, await settleIt(tried));
  }

  // Resolves when it may leave.
  async #begin(queued: Queued, leavesAt: number, waited: Sendable['waited']) {
    const { clock } = this.#p;
    const askedAt = clock.now();
    const begun = await begin(this.#p, queued, leavesAt, waited);
    this.#beginLatency.observe(clock.now() - askedAt);
    while (clock.now() < leavesAt) await sleep(clock, leavesAt - clock.now());
    return begun;
  }

  // It never left: withdrawn meanwhile, or the store could not be written.
  #giveBack(queued: Queued, ticket: Ticket, probing: boolean, why: Begun | JournalUnavailable) {
    const now = this.#p.clock.now();
    const storeDown = why instanceof JournalUnavailable;
    if (storeDown) this.#road.store.failedLoop(why, now);
    this.#road.openAccount(queued.account).limits.settled(ticket, { kind: 'unjudged' }, now);
    if (probing) this.#road.availability.probeGone(queued.account, now);
    this.#road.scheduler.finished(queued.seq, storeDown ? queued : null, now);
    if (!storeDown && why.kind === 'not_owner') this.#road.lose(queued.account, now);
    this.#road.wake();
  }

  #finish(queued: Queued, probing: boolean, report: AttemptReport): Promise<void> | undefined {
    const { outcome, verdict, endedAt } = report;
    const { account, chat } = queued;
    const { health } = verdict;
    if (health !== 'unknown') {
      this.#road.availability.learn(account, chat, health, causeOf(outcome), endedAt);
    } else if (probing) this.#road.availability.probeGone(account, endedAt);
    const alias = this.#aliasAfter(queued, outcome);
    const records = alias === null ? [] : this.#road.unite(account, alias, endedAt);
    this.#road.follow(queued, report);
    // Others of its chat may wait for its answer under another id.
    const now = this.#road.aliases.canonical(account, chat);
    if (now !== chat) this.#road.scheduler.reconsider(account, now, endedAt);
    return records.length === 0 ? undefined : this.#road.saveLimits(records);
  }

  // What became of the delivery is settled by now: an exception here costs only the knowledge of the chat's other id.
  #aliasAfter(queued: Queued, outcome: Outcome): Alias | null {
    const { account, chat } = queued;
    try {
      const { repairs } = this.#road.profileOf(account).platform;
      const after = repairs?.chatAfter(chat, outcome) ?? null;
      return after === null ? null : { from: chat, to: after.chat, moved: after.moved };
    } catch (error) {
      this.#report(queued, error);
      return null;
    }
  }
}

export interface BeginPorts extends AttemptPorts {
  readonly journal: AttemptPorts['journal'] & Pick<DeliveryStore, 'begin'>;
}

// JournalUnavailable: the store cannot be written now; nothing was begun.
export async function begin(
  ports: BeginPorts,
  { account, seq }: Queued,
  at: number,
  waited: Sendable['waited'] = null,
): Promise<Begun | JournalUnavailable> {
  const waitedFor = waited === null ? undefined : waitedInWords(waited, at);
  try {
    return await ports.journal.begin(ports.owners.of(account), seq, at, waitedFor);
  } catch (error) {
    if (error instanceof JournalUnavailable) return error;
    throw error;
  }
}

// How long before a call may leave it must be begun, so that it is on disk when its time comes: a smoothed mean of
// what beginning took. Without it every window would last longer by a commit.

const SMOOTHING = 1 / 8;
// A store that stalls must not make the loop decide far ahead.
const LATENCY_MS_MAX = 50;

export class BeginLatency {
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  observe(tookMs: number): void {
    this.#ms += (Math.min(tookMs, LATENCY_MS_MAX) - this.#ms) * SMOOTHING;
  }
}
