// Answers in Telegram's own shape, so that a client library cannot tell Sluice's refusals from the platform's:
// `{"ok":false,"error_code":N,"description":"…"}` with the same number as the HTTP status.

import type { DescribedCall } from '../../../domain/call.ts';
import type { Problem } from '../../../domain/errors.ts';
import { scalarNumber } from '../../../domain/scalar.ts';
import { jsonOrUndefined } from '../../../system/json.ts';
import type { DeliveryEnding, DialectWords, Params, ValueAnswer } from '../../dialect.ts';
import { imaginedMessage } from './placeholder.ts';
import { isEdit, provisionalResult } from './provisional.ts';

const OK_PREFIX = '{"ok":true';
const DONE = '{"ok":true,"result":true}';
const TRUE_PREFIX = '{"ok":true,"result":true';

export const WORDS: DialectWords = {
  refused,
  unreadable,
  conflict,
  problem: inWords,
  later,
  tooLarge,
  ended,
  provisional,
  cosmetic,
};

export function answerText(status: number, body: string): ValueAnswer {
  return { status, body };
}

export function refused(status: number, description: string): ValueAnswer {
  return answerText(status, JSON.stringify({ ok: false, error_code: status, description }));
}

export function unreadable(detail: string): ValueAnswer {
  return refused(400, `Bad Request: ${detail}`);
}

function conflict(detail: string): ValueAnswer {
  return refused(409, `Conflict: ${detail}`);
}

// As the platform does it: nothing but the status, and the line is closed.
function tooLarge(): ValueAnswer {
  return { status: 413, headers: { connection: 'close' }, body: null };
}

function later(seconds: number): ValueAnswer {
  const description = `Too Many Requests: retry after ${seconds}`;
  const parameters = { retry_after: seconds };
  const body = JSON.stringify({ ok: false, error_code: 429, description, parameters });
  return { status: 429, headers: { 'retry-after': seconds }, body };
}

const REASON_PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Request Entity Too Large',
  415: 'Unsupported Media Type',
  422: 'Bad Request',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

function inWords(refusal: Problem, retryAfterS: number): ValueAnswer {
  if (refusal.status === 429) return later(retryAfterS);
  // Telegram knows no 422: what it cannot read is a bad request.
  const status = refusal.status === 422 ? 400 : refusal.status;
  const phrase = REASON_PHRASES[refusal.status] ?? 'Internal Server Error';
  return refused(status, `${phrase}: ${refusal.detail}`);
}

// What the caller of a held call gets when its delivery has come to rest.
function answerEnd(ending: DeliveryEnding): ValueAnswer {
  if (ending.result !== null && (ending.state === 'sent' || ending.state === 'dead')) {
    return answerResult(ending.result);
  }
  switch (ending.state) {
    case 'sent':
      return answerText(200, DONE);
    case 'expired':
      return refused(408, 'Request Timeout: its time to live ran out before it could go');
    case 'cancelled':
      return refused(410, 'Gone: the delivery was cancelled');
    case 'uncertain':
      // Not a 5xx: clients repeat those on their own, and it may have arrived.
      return conflict('the answer was lost, it may have been delivered');
    case 'superseded':
      return conflict('a newer text took its place');
    default:
      return refused(502, `Bad Gateway: ${ending.detail ?? ending.reason ?? 'failed'}`);
  }
}

// An edit is answered with the message, except of an inline one. Where Telegram only said that it already is so, and
// nobody remembers the message, it is made from the call.
function ended(
  call: DescribedCall,
  params: Params,
  ending: DeliveryEnding,
  now: number,
): ValueAnswer {
  if (call.family !== 'edit') return answerEnd(ending);
  const messageId = scalarNumber(params.message_id);
  const isBare = ending.state === 'sent' && (ending.result ?? DONE).startsWith(TRUE_PREFIX);
  if (!isBare || !isEdit(call.method) || !(messageId > 0)) return answerEnd(ending);
  const result = imaginedMessage(call, params, messageId, now);
  return answerText(200, JSON.stringify({ ok: true, result }));
}

// A typing sign that found no free moment was still the right thing to ask for.
function cosmetic(result: string | null): ValueAnswer {
  return answerResult(result ?? DONE);
}

function answerResult(result: string): ValueAnswer {
  if (result.startsWith(OK_PREFIX)) return answerText(200, result);
  const answer = readAnswer(result);
  if (answer === null) return refused(502, 'Bad Gateway');
  if (answer.ok === true) return answerText(200, result);
  const code = answer.error_code;
  const isStatus = typeof code === 'number' && code >= 400 && code <= 599;
  return answerText(isStatus ? code : 502, result);
}

function readAnswer(text: string): { ok?: unknown; error_code?: unknown } | null {
  const value = jsonOrUndefined(text);
  return typeof value === 'object' && value !== null ? value : null;
}

function provisional(call: DescribedCall, params: Params, seq: number, now: number): ValueAnswer {
  const result = provisionalResult(call, params, seq, now);
  return answerText(202, JSON.stringify({ ok: true, result }));
}
