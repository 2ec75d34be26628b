// Publishes the road's events to whoever listens (log, metrics, the event stream), and the ends to whoever waits.
// Nothing is built when nobody listens, and routine goes to those alone who want it: see Interest.

import { summaryOf } from '../domain/body.ts';
import type { Queued, State } from '../domain/delivery.ts';
import type {
  About,
  Interest,
  RoadCounts,
  RoadEvent,
  RoadListener,
  StoreTrouble,
} from '../domain/event.ts';
import type { ReportFault } from '../domain/fault.ts';
import type { AccountId } from '../domain/ids.ts';
import { formatId } from '../domain/ids.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Ended } from '../road/road.ts';
import type { JournalUnavailable } from '../store/ports/unavailable.ts';
import type { Clock } from '../system/clock.ts';
import { type AttemptReport, answerOf, detailOf, reasonOf } from './settle.ts';

interface Waiter {
  // The delivery it waits for now; changes when another takes its place.
  seq: number;
  readonly signal: AbortSignal;
  resolve(ended: Ended): void;
  reject(reason: unknown): void;
}

// Those who wait until the same signal, and the listener that it calls.
interface Company {
  readonly waiters: Set<Waiter>;
  readonly leave: () => void;
}

// When a newer delivery takes the place of the one they wait for, they wait for that one: the older caller gets the
// newer one's result.
class Waiters {
  readonly #waiting = new Map<number, Set<Waiter>>();
  // One listener for each signal: for every one that is added, a signal looks through all that it has, and thousands
  // may wait with one that never comes.
  readonly #companies = new Map<AbortSignal, Company>();

  wait(seq: number, signal: AbortSignal): Promise<Ended> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const waiter: Waiter = { seq, signal, resolve, reject };
      this.#heed(waiter);
      this.#join(waiter);
    });
  }

  finish(ended: Ended): void {
    const waiters = this.#waiting.get(ended.seq);
    if (waiters === undefined) return;
    this.#waiting.delete(ended.seq);
    for (const waiter of waiters) {
      this.#unheed(waiter);
      waiter.resolve(ended);
    }
  }

  redirect(from: number, to: number): void {
    const waiters = this.#waiting.get(from);
    if (waiters === undefined) return;
    this.#waiting.delete(from);
    for (const waiter of waiters) {
      waiter.seq = to;
      this.#join(waiter);
    }
  }

  #join(waiter: Waiter): void {
    const waiters = this.#waiting.get(waiter.seq);
    if (waiters === undefined) this.#waiting.set(waiter.seq, new Set([waiter]));
    else waiters.add(waiter);
  }

  #heed(waiter: Waiter): void {
    const { signal } = waiter;
    const company = this.#companies.get(signal);
    if (company !== undefined) {
      company.waiters.add(waiter);
      return;
    }
    const waiters = new Set([waiter]);
    const leave = () => {
      this.#companies.delete(signal);
      for (const each of waiters) {
        this.#leave(each);
        each.reject(signal.reason);
      }
    };
    this.#companies.set(signal, { waiters, leave });
    signal.addEventListener('abort', leave, { once: true });
  }

  #unheed(waiter: Waiter): void {
    const { signal } = waiter;
    const company = this.#companies.get(signal);
    if (!company?.waiters.delete(waiter) || company.waiters.size > 0) return;
    this.#companies.delete(signal);
    signal.removeEventListener('abort', company.leave);
  }

  #leave(waiter: Waiter): void {
    const waiters = this.#waiting.get(waiter.seq);
    if (waiters?.delete(waiter) && waiters.size === 0) this.#waiting.delete(waiter.seq);
  }
}

export class RoadEvents {
  readonly waiters = new Waiters();
  readonly #tag: string;
  readonly #report: ReportFault;
  readonly #routine = new Set<RoadListener>();
  readonly #trouble = new Set<RoadListener>();
  readonly #counts = { accepted: 0, sent: 0, limited: 0, failed: 0, dead: 0, events: 0 };

  constructor(tag: string, report: ReportFault) {
    this.#tag = tag;
    this.#report = report;
  }

  get counts(): RoadCounts {
    return this.#counts;
  }

  // Without an interest: everything.
  listen(listener: RoadListener, interest?: Interest): () => void {
    if (interest !== 'trouble') this.#routine.add(listener);
    if (interest !== 'routine') this.#trouble.add(listener);
    return () => {
      if (interest !== 'trouble') this.#routine.delete(listener);
      if (interest !== 'routine') this.#trouble.delete(listener);
    };
  }

  emit(event: RoadEvent): void {
    this.#counts.events += 1;
    this.#publish(this.#trouble, event);
  }

  #publish(listeners: ReadonlySet<RoadListener>, event: RoadEvent): void {
    for (const listener of listeners) {
      // A listener that throws must not stop the road.
      try {
        listener(event);
      } catch (error) {
        this.#report('listener', error, { event: event.kind });
      }
    }
  }

  accepted(queued: Queued, at: number): void {
    this.#counts.accepted += 1;
    this.#counts.events += 1;
    if (this.#routine.size === 0) return;
    this.#publish(this.#routine, { kind: 'accepted', at, about: this.#about(queued) });
  }

  // A newer one took its place: whoever waited for the old one waits for the new one.
  replaced(old: Queued | null, from: number, to: number, at: number): void {
    this.waiters.redirect(from, to);
    if (old !== null) this.moved(old, 'queued', 'superseded', 'newer_text', at);
  }

  attempted(queued: Queued, report: AttemptReport): void {
    const { outcome, settled, learned, endedAt } = report;
    const { account } = queued;
    this.#count(report);
    const isRoutine = settled.kind === 'settled' && settled.state === 'sent';
    const listeners = isRoutine ? this.#routine : this.#trouble;
    if (listeners.size > 0) this.#publishAttempt(listeners, queued, report);
    for (const { scope, name, until, cause } of learned.freezes) {
      const scoped = `${scope}:${name}`;
      this.emit({ kind: 'frozen', at: endedAt, account, scope: scoped, until, cause });
    }
    if (settled.kind !== 'settled' || settled.state === 'queued') return;
    if (settled.supersededBy !== null) {
      this.waiters.redirect(queued.seq, settled.supersededBy);
      return;
    }
    this.waiters.finish({
      seq: queued.seq,
      state: settled.state,
      reason: reasonOf(outcome),
      detail: detailOf(outcome),
      messageId: outcome.kind === 'sent' ? outcome.messageId : null,
      result: answerOf(outcome),
    });
  }

  // Came to rest without an attempt.
  ended(seq: number, state: State, reason: string): void {
    this.waiters.finish({ seq, state, reason, detail: null, messageId: null, result: null });
  }

  moved(q: Queued, from: State, to: State, reason: string | null, at: number, dueAt = 0): void {
    if (to === 'dead') this.#counts.dead += 1;
    const ageMs = at - q.enterAt;
    this.emit({ kind: 'moved', at, about: this.#about(q), from, to, reason, dueAt, ageMs });
  }

  #count({ outcome, settled }: AttemptReport): void {
    const counts = this.#counts;
    counts.events += 1;
    if (outcome.kind === 'limited') counts.limited += 1;
    else if (outcome.kind === 'failed' || outcome.kind === 'uncertain') counts.failed += 1;
    if (settled.kind !== 'settled') return;
    counts.events += 1;
    if (settled.state === 'sent') counts.sent += 1;
    else if (settled.state === 'dead') counts.dead += 1;
  }

  // Two events in a row of every delivery there is: written out, because spreading costs more than the counting.
  #publishAttempt(
    listeners: ReadonlySet<RoadListener>,
    queued: Queued,
    report: AttemptReport,
  ): void {
    const { n, outcome, settled, startedAt, endedAt: at, body } = report;
    const about = this.#about(queued);
    const reason = reasonOf(outcome);
    const tookMs = at - startedAt;
    const waitedMs = Math.max(0, startedAt - Math.max(queued.enterAt, queued.dueAt));
    const retryAfterMs = outcome.kind === 'limited' ? outcome.retryAfterMs : null;
    const payload = outcome.kind === 'sent' || body === null ? null : summaryOf(body);
    const kind = 'attempted';
    const end = outcome.kind;
    const event: RoadEvent = {
      kind,
      at,
      about,
      n,
      outcome: end,
      reason,
      tookMs,
      waitedMs,
      retryAfterMs,
      brokenStatus: brokenStatusOf(outcome),
      payload,
    };
    const detail = end === 'failed' || end === 'uncertain' ? detailOf(outcome) : null;
    this.#publish(listeners, detail === null ? event : { ...event, detail });
    if (settled.kind !== 'settled') return;
    const to = settled.state;
    const dueAt = settled.queued?.dueAt ?? 0;
    const ageMs = at - queued.enterAt;
    this.#publish(listeners, {
      kind: 'moved',
      at,
      about,
      from: 'sending',
      to,
      reason,
      dueAt,
      ageMs,
    });
  }

  #about(queued: Queued): About {
    const { seq, account, chat, lane, method, priority } = queued;
    const id = formatId(this.#tag, seq);
    const correlation = queued.correlation ?? id;
    return { seq, id, correlation, account, chat, lane, method, priority };
  }
}

// null: it was not answered with a 5xx.
function brokenStatusOf(outcome: Outcome): number | null {
  if (outcome.kind !== 'failed' && outcome.kind !== 'uncertain') return null;
  return outcome.status ?? null;
}

// While the store cannot be written, that is published again so often.
const REMIND_MS = 60_000;
// How long the loop leaves a store alone that did not take a command.
const STORE_PAUSE_MS = 500;

// Whether the store can be written.
export class StoreHealth {
  readonly #clock: Clock;
  readonly #publish: (trouble: StoreTrouble | null, at: number) => void;
  #trouble: StoreTrouble | null = null;
  #publishedAt = 0;
  #pausedUntil = 0;

  constructor(clock: Clock, publish: (trouble: StoreTrouble | null, at: number) => void) {
    this.#clock = clock;
    this.#publish = publish;
  }

  // Why it did not take the last command; null: it did.
  get trouble(): StoreTrouble | null {
    return this.#trouble;
  }

  // The loop leaves it alone before this.
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  worked(): void {
    if (this.#trouble !== null) this.#set(null);
  }

  failed(error: JournalUnavailable): void {
    const isNew = this.#trouble !== error.code;
    if (isNew || this.#clock.now() - this.#publishedAt >= REMIND_MS) this.#set(error.code);
  }

  failedLoop(error: JournalUnavailable, now: number): void {
    this.failed(error);
    this.#pausedUntil = now + STORE_PAUSE_MS;
  }

  #set(trouble: StoreTrouble | null): void {
    this.#trouble = trouble;
    this.#publishedAt = this.#clock.now();
    this.#publish(trouble, this.#publishedAt);
  }
}

// Since when a platform has not answered an account's calls, while some are in flight: until their deadline, which is
// long, neither a retry nor a breaker says that anything is wrong. Any answer ends a silence, so one slow call among
// others is none. A call with files may take as long as its bytes do: its answer counts, its wait does not.

// Longer than platforms take when they hide a short wait as latency (1 to 8 s).
const ANSWER_DUE_MS = 10_000;
// So many times what answers of the account take is clearly longer than usual.
const USUAL_TIMES = 4;
const SMOOTHING = 1 / 8;
// The next call after one without an answer goes on with its silence, unless it comes later than this (ms).
const RESUMED_WITHIN_MS = 60_000;

interface Calls {
  inFlight: number;
  // null: the newest call that ended was answered, and none is in flight.
  since: number | null;
  endedAt: number;
  usualMs: number;
}

export class Silences {
  readonly #byAccount = new Map<AccountId, Calls>();

  left(account: AccountId, now: number): void {
    const known = this.#byAccount.get(account);
    const calls = known ?? { inFlight: 0, since: null, endedAt: now, usualMs: 0 };
    if (known === undefined) this.#byAccount.set(account, calls);
    const isLater = calls.inFlight === 0 && now - calls.endedAt > RESUMED_WITHIN_MS;
    if (calls.since === null || isLater) calls.since = now;
    calls.inFlight += 1;
  }

  // Its call is over: answered, or its deadline is over, or the connection broke. `leftAt` null: it never left() here.
  over(account: AccountId, leftAt: number | null, isAnswered: boolean, now: number): void {
    const calls = this.#byAccount.get(account);
    if (calls === undefined) return;
    if (leftAt !== null) {
      if (isAnswered) calls.usualMs += (now - leftAt - calls.usualMs) * SMOOTHING;
      calls.inFlight -= 1;
      calls.endedAt = now;
    }
    if (isAnswered) calls.since = calls.inFlight === 0 ? null : now;
  }

  // null: it answers, nothing is in flight, or an answer may still come.
  since(account: AccountId, now: number): number | null {
    const calls = this.#byAccount.get(account);
    if (calls === undefined || calls.inFlight === 0 || calls.since === null) return null;
    const dueMs = Math.max(ANSWER_DUE_MS, USUAL_TIMES * calls.usualMs);
    return now - calls.since >= dueMs ? calls.since : null;
  }

  forget(account: AccountId): void {
    this.#byAccount.delete(account);
  }
}
