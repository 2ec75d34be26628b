// What a delivery that no longer waits has waited for, and how long: accepted, due, begun, ended, with its retries,
// freezes and moves by hand. From its record alone, so it can be asked for as long as the record is kept. What held it
// in the queue was noted with each try; a turn is what is left, of which nothing more is known.

import { showTime } from '../../accept/time.ts';
import type { Delivery } from '../../domain/delivery.ts';
import type { Attempt } from '../../domain/outcome.ts';
import { readWaited, WAITED_KINDS } from '../../domain/waited.ts';
import type { HistoryEntry } from '../../ledger/ledger.ts';
import { unreachable } from '../../system/assert.ts';

const PAST_KINDS = ['scheduled', ...WAITED_KINDS, 'rest', 'call'] as const;

export interface PastStep {
  readonly kind: (typeof PAST_KINDS)[number];
  readonly from: number;
  readonly to: number;
  readonly detail: string;
}

const MINUTE_S = 60;
const HOUR_S = 3600;
// As short as this is not told.
const NO_TIME = '0 s';
const NO_TIME_MS = 5;

export function pastOf(
  delivery: Delivery,
  attempts: readonly Attempt[],
  history: readonly HistoryEntry[],
): PastStep[] {
  const past = new Past(delivery.acceptedAt);
  const [first = null] = attempts;
  const { enterAt } = delivery;
  const begun = first?.startedAt ?? delivery.settledAt ?? delivery.acceptedAt;
  // Once it had its turn it waited like any other. A final text has the record of a time that was its preview's.
  if (delivery.live) {
    past.until(Math.min(begun - waitedMs(first), enterAt), 'turn', 'its session’s turn');
  } else if (first === null || begun >= enterAt) {
    past.until(Math.min(begun, enterAt), 'scheduled', 'it was scheduled for later');
  }
  const moves = [...history].sort((a, b) => a.at - b.at);
  for (const [i, attempt] of attempts.entries()) {
    past.moved(moves, attempt.startedAt);
    past.waited(attempt);
    past.until(attempt.startedAt, 'turn', 'its turn');
    if (attempt.endedAt === null) continue;
    past.until(attempt.endedAt, 'call', `try ${attempt.n}, ${endOf(attempt)}`);
    past.pause(attempt, attempts[i + 1] ?? null, moves);
  }
  const { settledAt } = delivery;
  if (settledAt === null) return past.steps;
  past.moved(moves, settledAt);
  past.until(settledAt, 'turn', 'its turn, which did not come');
  return past.steps;
}

class Past {
  readonly steps: PastStep[] = [];
  #at: number;

  constructor(acceptedAt: number) {
    this.#at = acceptedAt;
  }

  // Nothing is noted of what took no time; a call is noted anyway.
  until(to: number, kind: PastStep['kind'], detail: string): void {
    if (to < this.#at || (to === this.#at && kind !== 'call')) return;
    this.steps.push({ kind, from: this.#at, to, detail });
    this.#at = to;
  }

  // What held it in the queue.
  waited({ startedAt, waitedFor }: Attempt): void {
    for (const { kind, ago, ms, detail } of readWaited(waitedFor)) {
      const from = startedAt - ago;
      if (from - this.#at >= NO_TIME_MS) this.until(from, 'turn', 'its turn');
      this.until(Math.min(startedAt, from + ms), kind, detail);
    }
  }

  // It rested, dead or in doubt, until somebody moved it.
  moved(moves: readonly HistoryEntry[], before: number): void {
    for (const { at, from, to, reason, by } of moves) {
      if (at < this.#at || at > before) continue;
      const isTurn = from === 'queued' || from === 'sending';
      this.until(at, isTurn ? 'turn' : 'rest', `${from}, then ${to} (${reason}) by ${by}`);
    }
  }

  // Before the next try: as long as the platform said, or a backoff. What is longer than that was spent in the queue.
  pause(attempt: Attempt, next: Attempt | null, moves: readonly HistoryEntry[]): void {
    const { n, outcome, retryAfterMs } = attempt;
    const nextAt = next?.startedAt ?? null;
    const moved = moves.find(({ at }) => at >= this.#at);
    if (nextAt === null || (moved !== undefined && moved.at <= nextAt)) return;
    if (outcome === 'limited') {
      const askedMs = retryAfterMs ?? 0;
      const detail = `the platform said to wait ${inWords(askedMs)} after try ${n}`;
      this.until(Math.min(nextAt, this.#at + askedMs), 'freeze', detail);
    } else {
      this.until(nextAt - waitedMs(next), 'retry', `the retry after try ${n}, ${endOf(attempt)}`);
    }
  }
}

// How long before its start it was held in the queue.
function waitedMs(attempt: Attempt | null): number {
  return readWaited(attempt?.waitedFor ?? null)[0]?.ago ?? 0;
}

function endOf({ outcome, reason, detail }: Attempt): string {
  if (outcome === null) return 'without an answer';
  const why = whyOf(reason === outcome ? null : reason, detail);
  return why === '' ? outcome : `${outcome}: ${why}`;
}

// What was met, in words, and its code; what is not known is left out.
function whyOf(reason: string | null, detail: string | null): string {
  if (reason === null || detail === null || detail === '') return reason ?? detail ?? '';
  return `${detail.replace(/\.$/, '')} [${reason}]`;
}

// "It was sent at …, after 2 tries and 12 s: 9.4 s its turn, 2 s a freeze, 0.6 s calls."
export function pastInWords(delivery: Delivery, past: readonly PastStep[]): string {
  const { state, settledAt, attempts, reason, detail, acceptedAt } = delivery;
  const tries = attempts === 1 ? '1 try' : `${attempts} tries`;
  const whole = settledAt === null ? NO_TIME : inWords(settledAt - acceptedAt);
  const took = whole === NO_TIME ? '' : ` and ${whole}`;
  const parts = partsOf(past);
  const waited = parts === '' ? '' : `: ${parts}`;
  if (state === 'sent' && settledAt !== null) {
    return `It was sent at ${showTime(settledAt)}, after ${tries}${took}${waited}.`;
  }
  const when = settledAt === null ? '' : ` since ${showTime(settledAt)}`;
  // In words; its code stands beside them.
  const why = detail?.replace(/\.$/, '') || (reason ?? '').replaceAll('_', ' ');
  return `It does not wait: it is ${state}${when}, after ${tries}${why === '' ? '' : ` (${why})`}${took}${waited}.`;
}

function partsOf(past: readonly PastStep[]): string {
  const sums = PAST_KINDS.map((kind) => {
    const ofKind = past.filter((step) => step.kind === kind);
    return { kind, ms: ofKind.reduce((sum, { from, to }) => sum + to - from, 0) };
  });
  return sums
    .filter(({ ms }) => inWords(ms) !== NO_TIME)
    .sort((a, b) => b.ms - a.ms)
    .map(({ kind, ms }) => `${inWords(ms)} ${nameOf(kind)}`)
    .join(', ');
}

function nameOf(kind: PastStep['kind']): string {
  switch (kind) {
    case 'scheduled':
      return 'scheduled for later';
    case 'turn':
      return 'until its turn';
    case 'freeze':
      return 'frozen';
    case 'held':
      return 'while its account was held';
    case 'window':
      return 'for limits';
    case 'ahead':
      return 'behind others';
    case 'retry':
      return 'before retries';
    case 'rest':
      return 'at rest until moved by hand';
    case 'call':
      return 'in calls';
    default:
      return unreachable(kind);
  }
}

function inWords(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${Math.round(seconds * 100) / 100} s`;
  if (seconds < 2 * MINUTE_S) return `${Math.round(seconds)} s`;
  if (seconds < 2 * HOUR_S) return `${Math.round(seconds / MINUTE_S)} min`;
  return `${Math.round(seconds / HOUR_S)} h`;
}
