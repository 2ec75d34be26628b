// From a message on the wire to its receipt: check, draft, hand to the road, and wait if asked to.
// In a batch every item is judged alone, and all are drafted before the first is handed over, so that asking a
// platform about an unknown token cannot put later items before earlier ones.

import type { Problem } from '../domain/errors.ts';
import type { Ended } from '../road/road.ts';
import { jsonOrText } from '../system/json.ts';
import type { Claimant } from '../system/shares.ts';
import {
  accepted,
  type Caller,
  type Receipt,
  refused,
  type Submitted,
  submitOne,
  type WaitingCallers,
} from './callers.ts';
import type { AcceptContext } from './context.ts';
import { type Drafted, draft, type FromHeaders } from './draft.ts';
import { draftObservers, fanOut, type ObserverDraft } from './fan-out.ts';
import { invalid } from './problems.ts';
import { checkFanOut, checkMessage, type FanOutRequest, type MessageRequest } from './schema.ts';
import { troublesOf } from './trouble.ts';
import { recordOf } from './unread.ts';

export { journalProblem, type Receipt, type Submitted, submitOne } from './callers.ts';

// One message, drafted: the origin's delivery and its observers'.
export interface PreparedMessage {
  readonly origin: Drafted;
  readonly observers: readonly ObserverDraft[] | null;
  readonly waitMs: number;
}

export function prepare(
  options: AcceptContext,
  item: unknown,
  headers: FromHeaders,
): PreparedMessage | Promise<PreparedMessage> {
  if (isFanOut(item)) return prepareFanOut(options, item, headers);
  if (!checkMessage.Check(item)) {
    return unfit(invalid('invalid_message', troublesOf(checkMessage, item)));
  }
  const waitMs = waitOf(options, item);
  if (typeof waitMs !== 'number') return unfit(waitMs);
  const origin = draft(options, item, headers);
  if (origin instanceof Promise)
    return origin.then((drafted) => prepared(options, item, drafted, waitMs));
  return prepared(options, item, origin, waitMs);
}

function prepared(
  options: AcceptContext,
  asked: Pick<MessageRequest, 'wait' | 'notBefore'>,
  origin: Drafted,
  waitMs: number,
): PreparedMessage {
  const isWaiting = asked.wait === undefined && isAwaited(options, asked, origin);
  const { waitSMax } = options.settings;
  return { origin, observers: null, waitMs: isWaiting ? waitSMax * 1000 : waitMs };
}

// Whether its answer is what it is made for. What is meant for later is not waited for.
function isAwaited(
  { platforms }: AcceptContext,
  { notBefore }: Pick<MessageRequest, 'notBefore'>,
  origin: Drafted,
): boolean {
  if (origin.kind === 'refused' || notBefore !== undefined) return false;
  const { platform, method } = origin.delivery;
  return platforms.get(platform)?.calls.isAwaited?.(method) ?? false;
}

async function prepareFanOut(
  options: AcceptContext,
  item: object,
  headers: FromHeaders,
): Promise<PreparedMessage> {
  if (!checkFanOut.Check(item)) {
    return unfit(invalid('invalid_message', troublesOf(checkFanOut, item)));
  }
  const { to, ...content }: FanOutRequest = item;
  const waitMs = waitOf(options, content);
  if (typeof waitMs !== 'number') return unfit(waitMs);
  const origin = await draft(options, { ...content, to: to.origin }, headers);
  if (origin.kind === 'refused') return unfit(origin.problem);
  const observers = draftObservers(options, item, origin.delivery, headers);
  return { ...prepared(options, content, origin, waitMs), observers };
}

export function isFanOut(item: unknown): item is object {
  if (typeof item !== 'object' || item === null || !('to' in item)) return false;
  const { to } = item;
  return typeof to === 'object' && to !== null && ('origin' in to || 'observers' in to);
}

function unfit(refusal: Problem): PreparedMessage {
  return { origin: refused(refusal), observers: null, waitMs: 0 };
}

export function waitOf(
  options: AcceptContext,
  item: Pick<MessageRequest, 'wait'>,
): number | Problem {
  const { wait = 0 } = item;
  const { waitSMax } = options.settings;
  if (typeof wait === 'boolean') return wait ? waitSMax * 1000 : 0;
  if (wait <= waitSMax) return wait * 1000;
  return invalid('invalid_message', [{ path: '/wait', expected: `at most ${waitSMax} seconds` }]);
}

export function submit(options: AcceptContext, prepared: PreparedMessage): Promise<Submitted> {
  const { origin, observers } = prepared;
  return observers === null ? submitOne(options, origin) : fanOut(options, origin, observers);
}

// What the caller gets in the end: the result if it waited long enough, else where the delivery stands.
export async function awaitResult(
  options: AcceptContext,
  waiting: WaitingCallers,
  submitted: Extract<Submitted, { kind: 'accepted' }>,
  wait: { ms: number; caller: Caller; claimant: Claimant },
): Promise<{ status: 200 | 202; answer: Receipt }> {
  const { receipt, seq } = submitted;
  if (wait.ms <= 0 || !waiting.enter(wait.claimant)) return { status: 202, answer: receipt };
  const waited = await waiting
    .until(seq, wait.ms, wait.caller)
    .finally(() => waiting.leave(wait.claimant));
  if (waited.kind === 'ended') {
    return { status: 200, answer: { ...receipt, ...endOf(waited.ended) } };
  }
  const now = await recordOf(options, seq);
  const standing = accepted(options, seq, now?.state ?? receipt.state, receipt.correlation).receipt;
  return { status: 202, answer: { ...receipt, ...standing } };
}

// Who waits over REST has a key: it is no stranger.
export function claimantOf({ origin }: PreparedMessage): Claimant {
  const account = origin.kind === 'drafted' ? origin.delivery.account : '';
  return { account, address: '', isStranger: false };
}

function endOf(ended: Ended) {
  const { state, reason, detail, messageId, result } = ended;
  return {
    state,
    position: null,
    eta: null,
    reason,
    detail,
    messageId,
    result: jsonOrText(result),
  };
}
