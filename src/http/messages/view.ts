// A delivery as callers see it. The account's id is shown, its token never; times are ISO 8601.

import { showTime, showTimeOrNull } from '../../accept/time.ts';
import { EXACT_MEMBER } from '../../domain/body.ts';
import type { Delivery } from '../../domain/delivery.ts';
import { formatId } from '../../domain/ids.ts';
import type { Attempt } from '../../domain/outcome.ts';
import type { HistoryEntry } from '../../ledger/ledger.ts';
import { jsonOrText } from '../../system/json.ts';

const PREVIEW_MAX = 120;
const PREVIEW_BODY_MAX = 65_536;

export function showBriefly(tag: string, delivery: Delivery) {
  const { id, state, reason, detail, platform, account, chat, thread, session, user } = delivery;
  return {
    id,
    state,
    reason,
    detail,
    platform,
    account,
    chat,
    thread,
    session,
    user,
    correlation: delivery.correlation,
    method: delivery.method,
    priority: delivery.priority,
    final: delivery.final,
    acceptedAt: showTime(delivery.acceptedAt),
    dueAt: showTimeOrNull(delivery.dueAt),
    expiresAt: showTimeOrNull(delivery.expiresAt),
    settledAt: showTimeOrNull(delivery.settledAt),
    tries: delivery.attempts,
    failures: delivery.failures,
    // Tries whose answer was lost: more than none means the chat may have it twice.
    doubts: delivery.doubts,
    cures: delivery.cures,
    // The disk has changed what was accepted: its content, method and chat are not to be trusted.
    damaged: delivery.damaged,
    messageId: delivery.messageId,
    supersededBy: delivery.supersededBy === null ? null : formatId(tag, delivery.supersededBy),
    // Its caller may have had no answer to that one and said it again: the chat may have it twice.
    repeats: delivery.repeats === null ? null : formatId(tag, delivery.repeats),
  };
}

export function showFully(
  tag: string,
  delivery: Delivery,
  past: { attempts: readonly Attempt[]; history: readonly HistoryEntry[] },
) {
  return {
    ...showBriefly(tag, delivery),
    body: shownBody(delivery.body),
    result: jsonOrText(delivery.result),
    attempts: past.attempts.map(showAttempt),
    history: past.history.map(({ at, from, to, reason, by }) => ({
      at: showTime(at),
      from,
      to,
      reason,
      by,
    })),
  };
}

// The parameters as the caller gave them: how the call is to be handled is no part of them.
function shownBody(body: string | null): unknown {
  const shown = jsonOrText(body);
  if (typeof shown !== 'object' || shown === null || !(EXACT_MEMBER in shown)) return shown;
  const { [EXACT_MEMBER]: _exact, ...params } = shown as Record<string, unknown>;
  return params;
}

function showAttempt(attempt: Attempt) {
  const { n, startedAt, endedAt, outcome, reason, detail, retryAfterMs } = attempt;
  return {
    n,
    startedAt: showTime(startedAt),
    endedAt: showTimeOrNull(endedAt),
    outcome,
    reason,
    detail,
    retryAfterMs,
  };
}

// Content is told only to those who ask for it.
export function showPage(
  tag: string,
  found: readonly Delivery[],
  asked: { limit: number; preview: boolean },
) {
  const { limit, preview } = asked;
  const last = found.at(-1);
  return {
    items: found.map((delivery) => ({
      ...showBriefly(tag, delivery),
      ...(preview ? { preview: previewOf(delivery.body) } : {}),
    })),
    next: found.length === limit && last !== undefined ? formatId(tag, last.seq) : null,
  };
}

// What its reader would see first, for lists; '' where there is no text. A body that is very long is not read for it.
export function previewOf(body: string | null): string {
  if (body === null || body.length > PREVIEW_BODY_MAX) return '';
  const params = jsonOrText(body) as Readonly<Record<string, unknown>> | null;
  const text = params?.text ?? params?.caption ?? params?.content;
  return typeof text === 'string'
    ? Array.from(text.slice(0, 2 * PREVIEW_MAX))
        .slice(0, PREVIEW_MAX)
        .join('')
    : '';
}
