// From what a try came to, to what becomes of the delivery. Pure: time and chance are arguments.
// A retry is not a loop: it is a time written into the journal, and the scheduler meets it again.

import type { Queued } from '../domain/delivery.ts';
import { INTERNAL } from '../domain/fault.ts';
import { ACCOUNT_REFUSED, type Cure, NEXT_PART, type Outcome } from '../domain/outcome.ts';
import type { Signal } from '../limits/limits.ts';
import type { DeliveryPast as PastRecord } from '../store/ports/delivery.ts';
import { unreachable } from '../system/assert.ts';

export interface RetryPolicy {
  readonly baseMs: number;
  readonly maxMs: number;
  // Given up only after so many failures and at this age, so that a short outage kills nothing.
  readonly attemptsMax: number;
  readonly deadAgeMinMs: number;
  // What to do when an answer was lost and the platform cannot deduplicate.
  readonly uncertain: 'resend' | 'hold';
}

export interface Tried {
  readonly queued: Queued;
  readonly record: PastRecord;
  readonly outcome: Outcome;
  // Repeating the call changes nothing more (edits, deletes).
  readonly idempotent: boolean;
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

// What the try says about the account and its host, for the breakers.
// `unknown`: the try ended within the gateway, which says nothing about either.
// `host_down`: nothing connects. `host_sick`: an answer said so, perhaps to this account alone.
export type Health = 'answered' | 'refused' | 'broken' | 'host_sick' | 'host_down' | 'unknown';

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
      return { signal: { kind: 'judged' }, health: isAccount ? 'refused' : 'answered' };
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
  if (cure !== null && tried.cured !== null && !tried.record.cures.includes(cure.kind)) {
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
  if (policy.uncertain === 'hold') return { ...REST, to: 'uncertain', ...doubt };
  return { ...again(tried, policy, now, chance, 'uncertain'), ...doubt };
}

function again(
  tried: Tried,
  policy: RetryPolicy,
  now: number,
  chance: number,
  end: 'dead' | 'uncertain',
) {
  const failures = tried.record.failures + (tried.probing ? 0 : 1);
  const age = now - Math.max(tried.record.acceptedAt, tried.queued.enterAt);
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
