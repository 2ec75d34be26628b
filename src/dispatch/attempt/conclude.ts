// One attempt, from the scheduler's word to the journal's: begin (durable) → send → classify → settle (durable).
// Whatever happens to the store, an attempt that was made is settled sooner or later: what the platform did
// cannot be undone, so the settlement is kept and tried again until the store takes it.

import type { Queued } from '../../domain/delivery.ts';
import { DAMAGED, INTERNAL, type ReportFault } from '../../domain/fault.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { AccountLimits, Learned, Priors, Ticket } from '../../limits/limits.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { Order } from '../../scheduler/scheduler.ts';
import type {
  Begun,
  DeliveryStore,
  DeliveryPast as PastRecord,
  Settled,
  Settlement,
} from '../../store/ports/delivery.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import { type Clock, sleep } from '../../system/clock.ts';
import { faultInWords } from '../../system/fault.ts';
import type { Random } from '../../system/random.ts';
import type { BreakerSettings } from '../account/availability.ts';
import type { AccountOwners } from '../account/queue-bounds.ts';
import { type RetryPolicy, settle, type Verdict } from '../settle.ts';

// Between two tries to write a settlement the store did not take.
const STORE_RETRY_MS = 500;

export interface Profile {
  readonly platform: Platform;
  // The platform's limits, with the account's own settings.
  readonly priors: Priors;
  // Accounts of one host share a breaker.
  readonly host: string;
  readonly retry: RetryPolicy;
  readonly breaker: BreakerSettings;
  readonly deadlineMs: number;
  readonly queueMax: number;
  readonly queueBytesMax: number;
  // Nobody has configured the account.
  readonly isStranger: boolean;
  readonly inFlightMax: number;
  readonly order: Order;
  // Whether a text too long for one message goes out as several.
  readonly splits: boolean;
}

export interface AttemptPorts {
  readonly journal: Pick<DeliveryStore, 'begin' | 'settle'>;
  readonly owners: Pick<AccountOwners, 'of'>;
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
  readonly record: PastRecord;
  // Of the call that was tried; null: none was.
  readonly body: string | null;
}

export interface TriedCall {
  readonly queued: Queued;
  readonly n: number;
  readonly record: PastRecord;
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
  ports.report('store', new Error('a row of the store is not what was written'), {
    seq,
    account,
    method,
  });
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
  const { queued, n, record, startedAt, body, change } = tried;
  const endedAt = ports.clock.now();
  const { outcome, settling } = judgeSafely(ports, profile, tried, endedAt);
  const changed = change === null ? null : { ...change, body };
  const verdict = { ...settling, cure: settling.cure ?? changed };
  const learned =
    ticket === null ? NOTHING_LEARNED : limits.settled(ticket, verdict.signal, endedAt);
  const settlement = settlementOf(queued, n, outcome, verdict, learned, endedAt);
  const settled = await write(ports, queued.account, settlement);
  return { n, outcome, verdict, settled, learned, startedAt, endedAt, record, body };
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
    const doubt = { idempotent: false, spends: false, cured: null, next: null };
    const facts = { ...tried, outcome, ...doubt };
    return { outcome, settling: settle(facts, profile.retry, now, chance) };
  }
}

function judge(profile: Profile, tried: TriedCall, now: number, chance: number): Judged {
  const { queued, record, probing } = tried;
  const { platform } = profile;
  const { outcome, next } = partOf(platform, tried.body, tried.outcome);
  const idempotent = platform.calls.isIdempotent(queued.method);
  const cured = curedOf(platform, queued, tried.body, outcome);
  // A message of the paid budget costs its price each time.
  const spends = queued.gate === 'paid' || platform.calls.spends?.(queued.method) === true;
  const facts = { queued, record, outcome, idempotent, spends, cured, next, probing };
  return { outcome, settling: settle(facts, profile.retry, now, chance) };
}

// Dead without a try: what stands on disk cannot be taken up.
export async function quarantine(
  ports: AttemptPorts,
  begun: { queued: Queued; n: number; record: PastRecord },
  outcome: Outcome,
): Promise<AttemptReport> {
  const { queued, n, record } = begun;
  const endedAt = ports.clock.now();
  const doubted = outcome.kind === 'uncertain';
  const rest = { dueAt: 0, failed: false, doubted, cure: null } as const;
  const signal = { kind: 'unjudged' } as const;
  const verdict: Verdict = { to: 'dead', ...rest, signal, health: 'unknown' };
  const learned = NOTHING_LEARNED;
  const settlement = settlementOf(queued, n, outcome, verdict, learned, endedAt);
  const settled = await write(ports, queued.account, settlement);
  const times = { startedAt: endedAt, endedAt };
  return { n, outcome, verdict, settled, learned, ...times, record, body: null };
}

// Begun, and not to be sent before `until`: no call was made, so nothing counts against it.
export async function postpone(
  ports: AttemptPorts,
  tried: { queued: Queued; n: number; record: PastRecord; startedAt: number },
  reason: string,
  until: number,
): Promise<AttemptReport> {
  const { queued, n, record, startedAt } = tried;
  const outcome: Outcome = { kind: 'failed', reason, detail: '', hostDown: false };
  const rest = { failed: false, doubted: false, cure: null } as const;
  const signal = { kind: 'unjudged' } as const;
  const verdict: Verdict = { to: 'queued', dueAt: until, ...rest, signal, health: 'answered' };
  const endedAt = ports.clock.now();
  const learned = NOTHING_LEARNED;
  const settlement = settlementOf(queued, n, outcome, verdict, learned, endedAt);
  const settled = await write(ports, queued.account, settlement);
  return { n, outcome, verdict, settled, learned, startedAt, endedAt, record, body: null };
}

// What an outcome means when the call is one of several messages.
function partOf(platform: Platform, body: string | null, outcome: Outcome) {
  if (body === null || outcome.kind !== 'sent') return { outcome, next: null };
  const rest = platform.repairs?.rest(body, outcome.result) ?? null;
  if (rest === null) return { outcome, next: null };
  const { messageId, result } = rest;
  return { outcome: { ...outcome, messageId, result }, next: rest.body };
}

const NOTHING_LEARNED: Learned = { records: [], freezes: [] };

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
    to,
    dueAt,
    failed,
    doubted,
    cure,
    messageId: rests && outcome.kind === 'sent' ? outcome.messageId : null,
    result: rests ? answer : null,
    limits: learned.records,
  };
}

export function reasonOf(outcome: Outcome): string | null {
  if (outcome.kind === 'sent') return null;
  return outcome.kind === 'limited' ? 'limited' : outcome.reason;
}

export function detailOf(outcome: Outcome): string | null {
  switch (outcome.kind) {
    case 'sent':
      return null;
    case 'limited':
      return `the platform said wait ${Math.ceil(outcome.retryAfterMs / 1000)} s`;
    default:
      return outcome.detail;
  }
}

export function answerOf(outcome: Outcome): string | null {
  return 'result' in outcome ? outcome.result : null;
}

async function write(
  ports: AttemptPorts,
  account: string,
  settlement: Settlement,
): Promise<Settled> {
  const owner = ports.owners.of(account);
  for (;;) {
    try {
      return await ports.journal.settle(owner, settlement);
    } catch (error) {
      if (!(error instanceof JournalUnavailable) || ports.isStarting === true) throw error;
      await sleep(ports.clock, STORE_RETRY_MS);
    }
  }
}

// JournalUnavailable: the store cannot be written now; nothing was begun.
export async function begin(
  ports: AttemptPorts,
  { account, seq }: Queued,
  at: number,
): Promise<Begun | JournalUnavailable> {
  try {
    return await ports.journal.begin(ports.owners.of(account), seq, at);
  } catch (error) {
    if (error instanceof JournalUnavailable) return error;
    throw error;
  }
}
