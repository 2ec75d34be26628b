// What a try came to: judged, taught to the limits, and written down with the delivery's next state in one transaction.
// Judging (`settle`) is pure: time and chance are arguments. A retry is not a loop: it is a time written into the
// journal, and the scheduler meets it again.
// Whatever happens to the store, an attempt that was made is settled sooner or later: what the platform did cannot be
// undone, so the settlement is kept and tried again until the store takes it.

import type { Queued } from '../domain/delivery.ts';
import { DAMAGED, INTERNAL, type ReportFault } from '../domain/fault.ts';
import type { AccountId } from '../domain/ids.ts';
import { ACCOUNT_REFUSED, type Cure, NEXT_PART, type Outcome } from '../domain/outcome.ts';
import type { AccountLimits, Learned, Signal, Ticket } from '../limits/limits.ts';
import type { Platform } from '../platforms/platform.ts';
import type { DeliveryPast, DeliveryStore, Settled, Settlement } from '../store/ports/delivery.ts';
import type { Owner } from '../store/ports/ownership.ts';
import { CommandRefused, JournalUnavailable } from '../store/ports/unavailable.ts';
import { unreachable } from '../system/assert.ts';
import { type Clock, sleep } from '../system/clock.ts';
import { faultInWords } from '../system/fault.ts';
import type { Random } from '../system/random.ts';
import type { BreakerCause, Health } from './account/availability.ts';
import type { Profile, RetryPolicy } from './account/profile.ts';
import { isRepeatable } from './repeatable.ts';

// Between two tries to write a settlement the store did not take.
const STORE_RETRY_MS = 500;
const NOTHING_LEARNED: Learned = { records: [], freezes: [] };

export interface AttemptPorts {
  readonly journal: Pick<DeliveryStore, 'settle'>;
  readonly owners: { of(account: AccountId): Owner };
  readonly clock: Clock;
  readonly random: Random;
  readonly report: ReportFault;
  // At the start nobody waits yet: a store that cannot be written is told, not waited for.
  readonly isStarting?: boolean;
}

// A change that was made to a call before it went, as its record names it; `chat`: where it goes instead.
export interface AttemptChange {
  readonly name: string;
  readonly chat: string | null;
}

export interface AttemptReport {
  readonly n: number;
  readonly outcome: Outcome;
  readonly verdict: Verdict;
  readonly settled: Settled;
  readonly learned: Learned;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly past: DeliveryPast;
  // Of the call that was tried; null: none was.
  readonly body: string | null;
}

export interface TriedCall {
  readonly queued: Queued;
  readonly n: number;
  readonly past: DeliveryPast;
  readonly body: string | null;
  readonly outcome: Outcome;
  readonly startedAt: number;
  readonly probing: boolean;
  readonly change: AttemptChange | null;
}

// What an exception within one attempt comes to: dead, with its place, and never sent again by itself. Whether the
// request had left decides what the record says of it.
export function internalFailure(error: unknown, hasLeft: boolean): Outcome {
  const what = faultInWords(error);
  if (!hasLeft) return { kind: 'failed', reason: INTERNAL, detail: what, hostDown: false };
  const detail = `${what} (the request had left, so the message may have been delivered)`;
  return { kind: 'uncertain', reason: INTERNAL, detail };
}

// Begun, and not sent: the store's row is not what was written.
export function damagedOutcome(ports: AttemptPorts, { seq, account, method }: Queued): Outcome {
  const damage = new Error('a row of the store is not what was written');
  ports.report('store', damage, { seq, account, method });
  const detail = 'the disk has changed what the store holds of this message, so it was not sent';
  return { kind: 'failed', reason: DAMAGED, detail, hostDown: false };
}

// Decides, teaches the limits, and writes it all down in one transaction.
export async function conclude(
  ports: AttemptPorts,
  profile: Profile,
  limits: AccountLimits,
  ticket: Ticket | null,
  tried: TriedCall,
): Promise<AttemptReport> {
  const { queued, n, past, startedAt, body, change } = tried;
  const endedAt = ports.clock.now();
  const { outcome, settling } = judgeSafely(ports, profile, tried, endedAt);
  const changed = change === null ? null : { ...change, body };
  const verdict = { ...settling, cure: settling.cure ?? changed };
  const learned =
    ticket === null
      ? NOTHING_LEARNED
      : limits.settled(ticket, verdict.signal, endedAt, outcome.observed);
  const settlement = settlementOf(queued, n, outcome, verdict, learned, endedAt);
  const settled = await write(ports, queued.account, settlement);
  return { n, outcome, verdict, settled, learned, startedAt, endedAt, past, body };
}

interface Judged {
  readonly outcome: Outcome;
  readonly settling: Verdict;
}

// Pure, but in the platform's words: what it throws is this attempt's fault, and not the road's.
function judgeSafely(ports: AttemptPorts, profile: Profile, tried: TriedCall, now: number): Judged {
  const chance = ports.random.next();
  try {
    return judge(profile, tried, now, chance);
  } catch (error) {
    ports.report('attempt', error, { seq: tried.queued.seq, account: tried.queued.account });
    const outcome = internalFailure(error, true);
    const doubt = { idempotent: false, spends: false, reconciledMs: 0, cured: null, next: null };
    const facts = { ...tried, outcome, ...doubt };
    return { outcome, settling: settle(facts, profile.retry, now, chance) };
  }
}

function judge(profile: Profile, tried: TriedCall, now: number, chance: number): Judged {
  const { queued } = tried;
  const { platform } = profile;
  const { outcome, next } = partOf(platform, tried.body, tried.outcome);
  const idempotent = outcome.kind === 'uncertain' && isRepeatable(platform, tried, now);
  const cured = curedOf(platform, queued, tried.body, outcome);
  const spends = platform.calls.spends?.(queued.method, queued.budget) === true;
  const { reconciledMs = 0 } = platform.wire;
  const facts = { ...tried, outcome, idempotent, spends, reconciledMs, cured, next };
  return { outcome, settling: settle(facts, profile.retry, now, chance) };
}

// Dead without a try: what stands on disk cannot be taken up.
export async function quarantine(
  ports: AttemptPorts,
  begun: { queued: Queued; n: number; past: DeliveryPast },
  outcome: Outcome,
): Promise<AttemptReport> {
  const { queued, n, past } = begun;
  const endedAt = ports.clock.now();
  const doubted = outcome.kind === 'uncertain';
  const rest = { dueAt: 0, failed: false, doubted, cure: null } as const;
  const signal = { kind: 'unjudged' } as const;
  const verdict: Verdict = { to: 'dead', ...rest, signal, health: 'unknown' };
  const learned = NOTHING_LEARNED;
  const settlement = settlementOf(queued, n, outcome, verdict, learned, endedAt);
  const settled = await write(ports, queued.account, settlement);
  const times = { startedAt: endedAt, endedAt };
  return { n, outcome, verdict, settled, learned, ...times, past, body: null };
}

// Begun, and not to be sent before `until`: no call was made, so nothing counts against it.
export async function postpone(
  ports: AttemptPorts,
  tried: { queued: Queued; n: number; past: DeliveryPast; startedAt: number },
  reason: string,
  until: number,
): Promise<AttemptReport> {
  const { queued, n, past, startedAt } = tried;
  const outcome: Outcome = { kind: 'failed', reason, detail: '', hostDown: false };
  const rest = { failed: false, doubted: false, cure: null } as const;
  const signal = { kind: 'unjudged' } as const;
  const verdict: Verdict = { to: 'queued', dueAt: until, ...rest, signal, health: 'answered' };
  const endedAt = ports.clock.now();
  const learned = NOTHING_LEARNED;
  const settlement = settlementOf(queued, n, outcome, verdict, learned, endedAt);
  const settled = await write(ports, queued.account, settlement);
  return { n, outcome, verdict, settled, learned, startedAt, endedAt, past, body: null };
}

// What an outcome means when the call is one of several messages.
function partOf(platform: Platform, body: string | null, outcome: Outcome) {
  if (body === null || outcome.kind !== 'sent') return { outcome, next: null };
  const { repairs } = platform;
  if (repairs === undefined || !body.startsWith(repairs.partsMark)) return { outcome, next: null };
  const rest = repairs.rest(body, outcome.result);
  if (rest === null) return { outcome, next: null };
  const { messageId, result } = rest;
  return { outcome: { ...outcome, messageId, result }, next: rest.body };
}

function curedOf(platform: Platform, queued: Queued, body: string | null, outcome: Outcome) {
  const cure = 'cure' in outcome ? outcome.cure : null;
  if (cure === null || cure === undefined || body === null) return null;
  return platform.repairs?.cure(cure, queued.method, body) ?? null;
}

function settlementOf(
  queued: Queued,
  n: number,
  outcome: Outcome,
  verdict: Verdict,
  learned: Learned,
  endedAt: number,
): Settlement {
  const { to, dueAt, failed, doubted, cure } = verdict;
  const answer = answerOf(outcome);
  // What only comes back to the queue has no result yet.
  const rests = to !== 'queued';
  return {
    seq: queued.seq,
    n,
    endedAt,
    outcome: outcome.kind,
    reason: reasonOf(outcome),
    detail: detailOf(outcome),
    retryAfterMs: outcome.kind === 'limited' ? outcome.retryAfterMs : null,
    ...{ to, dueAt, failed, doubted, cure },
    messageId: rests && outcome.kind === 'sent' ? outcome.messageId : null,
    result: rests ? answer : null,
    limits: learned.records,
  };
}

export function reasonOf(outcome: Outcome): string | null {
  if (outcome.kind === 'sent') return null;
  return outcome.kind === 'limited' ? 'limited' : outcome.reason;
}

// What a breaker is told.
export function causeOf(outcome: Outcome): BreakerCause {
  return { reason: reasonOf(outcome) ?? '', detail: detailOf(outcome) ?? '' };
}

export function detailOf(outcome: Outcome): string | null {
  if (outcome.kind === 'sent') return null;
  if (outcome.kind !== 'limited') return outcome.detail;
  return `the platform asked to wait ${Math.ceil(outcome.retryAfterMs / 1000)} s`;
}

export function answerOf(outcome: Outcome): string | null {
  return 'result' in outcome ? outcome.result : null;
}

async function write(
  ports: AttemptPorts,
  account: AccountId,
  settlement: Settlement,
): Promise<Settled> {
  const owner = ports.owners.of(account);
  let told = settlement;
  for (;;) {
    try {
      return await ports.journal.settle(owner, told);
    } catch (error) {
      if (!(error instanceof JournalUnavailable) || ports.isStarting === true) throw error;
      // Words of the platform that the store cannot take: it ends as it ended, without them.
      if (error instanceof CommandRefused)
        told = { ...told, detail: null, messageId: null, result: null };
      await sleep(ports.clock, STORE_RETRY_MS);
    }
  }
}

export interface Tried {
  readonly queued: Queued;
  readonly past: DeliveryPast;
  readonly outcome: Outcome;
  // Repeating the call changes nothing more (edits, deletes).
  readonly idempotent: boolean;
  // Repeating the call may cost its price once more.
  readonly spends: boolean;
  // So long the platform may still tell what became of it.
  readonly reconciledMs: number;
  // The call as its cure would have it; null when there is none or it does not fit.
  readonly cured: { chat: string | null; body: string } | null;
  // A call of several messages, of which one was sent: the call of the others; null: none are left.
  readonly next: string | null;
  // The breaker was not closed: a probe's failure says nothing about this delivery.
  readonly probing: boolean;
}

export interface Verdict {
  readonly to: 'sent' | 'queued' | 'uncertain' | 'dead';
  readonly dueAt: number;
  readonly failed: boolean;
  readonly doubted: boolean;
  readonly cure: { name: string; chat: string | null; body: string | null } | null;
  readonly signal: Signal;
  readonly health: Health;
}

export function settle(tried: Tried, policy: RetryPolicy, now: number, chance: number): Verdict {
  const { outcome } = tried;
  switch (outcome.kind) {
    case 'sent': {
      if (tried.next === null) return { ...REST, to: 'sent', ...lessonOf(outcome) };
      const cure = { name: NEXT_PART, chat: null, body: tried.next };
      return { ...REST, to: 'queued', cure, ...lessonOf(outcome) };
    }
    case 'limited': {
      // Part of an album may be out already: what is left of it waits, as often as it takes.
      const cure = outcome.cure && tried.cured ? { name: outcome.cure.kind, ...tried.cured } : null;
      const dueAt = now + outcome.retryAfterMs;
      return { ...REST, to: 'queued', dueAt, cure, ...lessonOf(outcome) };
    }
    case 'refused':
      return settleRefused(tried, outcome.reason, outcome.cure);
    case 'failed':
      if (outcome.reason === INTERNAL) return { ...REST, to: 'dead', ...lessonOf(outcome) };
      return { ...again(tried, policy, now, chance, 'dead'), ...lessonOf(outcome) };
    case 'uncertain':
      return settleUncertain(tried, outcome.reason, policy, now, chance);
    default:
      return unreachable(outcome);
  }
}

// What any try teaches, whatever becomes of it: the limits and the breakers.
export function lessonOf(outcome: Outcome): Pick<Verdict, 'signal' | 'health'> {
  switch (outcome.kind) {
    case 'sent':
      return { signal: { kind: 'ok' }, health: 'answered' };
    case 'limited': {
      const { retryAfterMs, scope } = outcome;
      return { signal: { kind: 'limited', retryAfterMs, scope }, health: 'answered' };
    }
    case 'refused': {
      const isAccount = outcome.reason === ACCOUNT_REFUSED;
      const kind = outcome.isUnasked === true ? 'unjudged' : 'judged';
      return { signal: { kind }, health: isAccount ? 'refused' : 'answered' };
    }
    case 'failed':
      if (outcome.reason === INTERNAL) return { signal: { kind: 'unjudged' }, health: 'unknown' };
      if (!outcome.hostDown) return { signal: { kind: 'judged' }, health: 'broken' };
      return {
        signal: { kind: 'unjudged' },
        health: outcome.isAnswered === true ? 'host_sick' : 'host_down',
      };
    case 'uncertain':
      return {
        signal: { kind: 'judged' },
        health: outcome.reason === INTERNAL ? 'unknown' : 'broken',
      };
    default:
      return unreachable(outcome);
  }
}

const REST = { dueAt: 0, failed: false, doubted: false, cure: null } as const;

function settleRefused(tried: Tried, reason: string, cure: Cure | null): Verdict {
  const lesson = lessonOf(tried.outcome);
  // The account is refused, not the message: it waits until the token changes.
  if (reason === ACCOUNT_REFUSED) return { ...REST, to: 'queued', ...lesson };
  if (cure !== null && tried.cured !== null && !tried.past.cures.includes(cure.kind)) {
    return { ...REST, to: 'queued', cure: { name: cure.kind, ...tried.cured }, ...lesson };
  }
  return { ...REST, to: 'dead', ...lesson };
}

function settleUncertain(
  tried: Tried,
  reason: string,
  policy: RetryPolicy,
  now: number,
  chance: number,
): Verdict {
  const lesson = lessonOf(tried.outcome);
  // What broke here once would break again: it waits for a person, and is never sent again by itself.
  if (reason === INTERNAL) return { ...REST, to: 'dead', doubted: true, ...lesson };
  if (tried.idempotent) return { ...again(tried, policy, now, chance, 'dead'), ...lesson };
  const doubt = { doubted: true, ...lesson } as const;
  if (tried.spends || policy.uncertain === 'hold') return { ...REST, to: 'uncertain', ...doubt };
  const next = again(tried, policy, now, chance, 'uncertain');
  const dueAt = next.to === 'queued' ? Math.max(next.dueAt, now + tried.reconciledMs) : 0;
  return { ...next, dueAt, ...doubt };
}

function again(
  tried: Tried,
  policy: RetryPolicy,
  now: number,
  chance: number,
  end: 'dead' | 'uncertain',
) {
  const failures = tried.past.failures + (tried.probing ? 0 : 1);
  const age = now - Math.max(tried.past.acceptedAt, tried.queued.enterAt);
  const exhausted = failures >= policy.attemptsMax && age >= policy.deadAgeMinMs;
  const to: Verdict['to'] = exhausted && !tried.probing ? end : 'queued';
  const dueAt = to === 'queued' ? now + backoffMs(policy, Math.max(1, failures), chance) : 0;
  return { to, dueAt, failed: !tried.probing, doubted: false, cure: null };
}

// Full jitter: anywhere between 0 and the doubling bound, so that what failed together does not return together.
export function backoffMs(policy: RetryPolicy, failures: number, chance: number): number {
  // Beyond 2^30 the bound is long reached; the cap keeps the power finite.
  const bound = Math.min(policy.maxMs, policy.baseMs * 2 ** Math.min(failures - 1, 30));
  return bound * chance;
}
