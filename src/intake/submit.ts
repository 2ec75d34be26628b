// From a message on the wire to its receipt: check, draft, hand to the road, and wait if asked to.
// In a batch every item is judged alone, and all are drafted before the first is handed over, so that asking a
// platform about an unknown token cannot put later items before earlier ones.

import { type Problem, problem } from '../domain/errors.ts';
import { formatId } from '../domain/ids.ts';
import { type Appended, JournalUnavailable } from '../journal/journal.ts';
import { unreachable } from '../system/assert.ts';
import { type Drafted, draft, type FromHeaders } from './accept.ts';
import type { IntakeOptions } from './intake.ts';
import { fullProblem, invalid } from './refuse.ts';
import type { Ended } from './road.ts';
import { checkFanOut, checkMessage, type FanOutRequest, type MessageRequest } from './schema.ts';
import { showTimeOrNull } from './time.ts';
import { troublesOf } from './trouble.ts';
import { readJson } from './view.ts';
import type { Caller, Waiting } from './waiting.ts';

export interface Receipt {
  readonly id: string;
  readonly state: string;
  readonly position: number | null;
  readonly eta: string | null;
  readonly repeated?: true;
  readonly supersededBy?: string;
  // When the caller waited for the end: why, the platform's message id, and its answer.
  readonly reason?: string | null;
  readonly detail?: string | null;
  readonly messageId?: string | null;
  readonly result?: unknown;
  // Fan-out: what became of each observer's copy, in order.
  observers?: (Receipt | Problem)[];
}

export type Submitted =
  | { kind: 'accepted'; seq: number; receipt: Receipt }
  | { kind: 'refused'; problem: Problem };

// One message, drafted: the origin's delivery and its observers'.
export interface Prepared {
  readonly origin: Drafted;
  readonly observers: readonly Drafted[] | null;
  readonly waitMs: number;
}

const refused = (refusal: Problem): { kind: 'refused'; problem: Problem } => ({
  kind: 'refused',
  problem: refusal,
});

export function prepare(
  options: IntakeOptions,
  item: unknown,
  headers: FromHeaders,
): Prepared | Promise<Prepared> {
  if (isFanOut(item)) return prepareFanOut(options, item, headers);
  if (!checkMessage.Check(item)) {
    return unfit(invalid('invalid_message', troublesOf(checkMessage, item)));
  }
  const waitMs = waitOf(options, item);
  if (typeof waitMs !== 'number') return unfit(waitMs);
  const origin = draft(options, item, headers);
  if (origin instanceof Promise) {
    return origin.then((drafted) => ({ origin: drafted, observers: null, waitMs }));
  }
  return { origin, observers: null, waitMs };
}

async function prepareFanOut(
  options: IntakeOptions,
  item: object,
  headers: FromHeaders,
): Promise<Prepared> {
  if (!checkFanOut.Check(item)) {
    return unfit(invalid('invalid_message', troublesOf(checkFanOut, item)));
  }
  const { to, ...rest }: FanOutRequest = item;
  const waitMs = waitOf(options, rest);
  if (typeof waitMs !== 'number') return unfit(waitMs);
  const key = rest.idempotencyKey ?? headers.idempotencyKey;
  const origin = await draft(options, { ...rest, to: to.origin }, headers);
  const observers: Drafted[] = [];
  for (const [i, observer] of to.observers.entries()) {
    // Each copy is a message of its own: one key for all of them would be a conflict.
    const own = key === null ? {} : { idempotencyKey: `${key}#${i + 1}` };
    observers.push(await draft(options, { ...rest, ...own, to: observer }, headers));
  }
  return { origin, observers, waitMs };
}

function isFanOut(item: unknown): item is object {
  if (typeof item !== 'object' || item === null || !('to' in item)) return false;
  const { to } = item;
  return typeof to === 'object' && to !== null && ('origin' in to || 'observers' in to);
}

function unfit(refusal: Problem): Prepared {
  return { origin: refused(refusal), observers: null, waitMs: 0 };
}

export function waitOf(
  options: IntakeOptions,
  item: Pick<MessageRequest, 'wait'>,
): number | Problem {
  const { wait = 0 } = item;
  const { waitSMax } = options.settings;
  if (typeof wait === 'boolean') return wait ? waitSMax * 1000 : 0;
  if (wait <= waitSMax) return wait * 1000;
  return invalid('invalid_message', [{ path: '/wait', expected: `at most ${waitSMax} seconds` }]);
}

export function submit(options: IntakeOptions, prepared: Prepared): Promise<Submitted> {
  return prepared.observers === null
    ? submitOne(options, prepared.origin)
    : submitAll(options, prepared.origin, prepared.observers);
}

async function submitAll(
  options: IntakeOptions,
  first: Drafted,
  rest: readonly Drafted[],
): Promise<Submitted> {
  if (first.kind === 'refused') return first;
  const [origin, ...observers] = await Promise.all(
    [first, ...rest].map((each) => submitOne(options, each)),
  );
  if (origin!.kind === 'accepted') {
    origin!.receipt.observers = observers.map((each) =>
      each.kind === 'accepted' ? each.receipt : each.problem,
    );
  }
  return origin!;
}

export async function submitOne(options: IntakeOptions, drafted: Drafted): Promise<Submitted> {
  if (drafted.kind === 'refused') return drafted;
  try {
    return receiptOf(options, await options.road.submit(drafted.delivery));
  } catch (error) {
    if (error instanceof JournalUnavailable) return refused(journalProblem(error));
    throw error;
  }
}

export function journalProblem(error: JournalUnavailable): Problem {
  return problem(error.code, '');
}

function receiptOf(options: IntakeOptions, appended: Appended): Submitted {
  const { tag } = options;
  switch (appended.kind) {
    case 'accepted':
      return accepted(options, appended.queued.seq, 'queued');
    case 'repeated': {
      const { seq, state } = appended;
      const again = accepted(options, seq, state);
      return { ...again, receipt: { ...again.receipt, repeated: true } };
    }
    case 'superseded': {
      const late = accepted(options, appended.seq, 'superseded');
      return { ...late, receipt: { ...late.receipt, supersededBy: formatId(tag, appended.by) } };
    }
    case 'conflict':
      return refused(problem('idempotency_conflict', '', { id: formatId(tag, appended.seq) }));
    case 'full':
      return refused(fullProblem(appended));
    default:
      return unreachable(appended);
  }
}

function accepted(options: IntakeOptions, seq: number, state: string) {
  const place = options.road.place(seq);
  const receipt: Receipt = {
    id: formatId(options.tag, seq),
    state,
    position: place?.position ?? null,
    eta: place === null ? null : showTimeOrNull(place.eta),
  };
  return { kind: 'accepted' as const, seq, receipt };
}

// What the caller gets in the end: the result if it waited long enough, else where the delivery stands.
export async function awaitResult(
  options: IntakeOptions,
  waiting: Waiting,
  submitted: Extract<Submitted, { kind: 'accepted' }>,
  wait: { ms: number; caller: Caller },
): Promise<{ status: 200 | 202; answer: Receipt }> {
  const { receipt, seq } = submitted;
  if (wait.ms <= 0 || waiting.isFull) return { status: 202, answer: receipt };
  const waited = await waiting.until(seq, wait.ms, wait.caller);
  if (waited.kind === 'ended') {
    return { status: 200, answer: { ...receipt, ...endOf(waited.ended) } };
  }
  const now = await options.ledger.get(seq);
  const standing = accepted(options, seq, now?.state ?? receipt.state).receipt;
  return { status: 202, answer: { ...receipt, ...standing } };
}

function endOf(ended: Ended) {
  const { state, reason, detail, messageId, result } = ended;
  return { state, position: null, eta: null, reason, detail, messageId, result: readJson(result) };
}
