// Answers in Telegram's own shape, so that a client library cannot tell Sluice's refusals from the platform's:
// `{"ok":false,"error_code":N,"description":"…"}` with the same number as the HTTP status.

import type { DescribedCall } from '../../accept/draft.ts';
import { retryAfterOf } from '../../accept/problems.ts';
import { type ErrorCode, type Problem, problem } from '../../domain/errors.ts';
import { scalarNumber } from '../../domain/scalar.ts';
import type { CosmeticAnswer, Ended } from '../../road/road.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import type { AnswerHeaders, ValueAnswer } from '../answer.ts';
import { imaginedMessage } from './placeholder.ts';
import { isEdit } from './provisional.ts';

type Params = Readonly<Record<string, unknown>>;

const OK_PREFIX = '{"ok":true';
const DONE = '{"ok":true,"result":true}';
const TRUE_PREFIX = '{"ok":true,"result":true';
const NO_HEADERS: AnswerHeaders = Object.freeze({});

export function answerText(status: number, body: string): ValueAnswer {
  return { status, headers: NO_HEADERS, body };
}

// The same answer with what is to be said beside it.
export function withHeaders(answer: ValueAnswer, more: AnswerHeaders): ValueAnswer {
  const { status, headers, body } = answer;
  return { status, headers: headers === NO_HEADERS ? more : { ...headers, ...more }, body };
}

export function answerNo(
  status: number,
  description: string,
  retryAfterS: number | null = null,
): ValueAnswer {
  const parameters = retryAfterS === null ? {} : { parameters: { retry_after: retryAfterS } };
  const body = { ok: false, error_code: status, description, ...parameters };
  const answer = answerText(status, JSON.stringify(body));
  return retryAfterS === null ? answer : withHeaders(answer, { 'retry-after': retryAfterS });
}

// As the platform does it: nothing but the status, and the line is closed.
export function answerTooLarge(): ValueAnswer {
  const headers = { connection: 'close', 'x-sluice-error': 'too_large' satisfies ErrorCode };
  return { status: 413, headers, body: null };
}

export function answerLater(seconds: number): ValueAnswer {
  return answerNo(429, `Too Many Requests: retry after ${seconds}`, seconds);
}

const WORDS: Readonly<Record<number, string>> = {
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

export function answerProblem(refusal: Problem): ValueAnswer {
  const code: ErrorCode = refusal.code;
  return withHeaders(inWords(refusal), { 'x-sluice-error': code });
}

function inWords(refusal: Problem): ValueAnswer {
  if (refusal.status === 429) return answerLater(retryAfterOf(refusal));
  // Telegram knows no 422: what it cannot read is a bad request.
  const status = refusal.status === 422 ? 400 : refusal.status;
  const words = WORDS[refusal.status] ?? 'Internal Server Error';
  return answerNo(status, `${words}: ${refusal.detail}`);
}

// Nothing of the call is queued: whoever repeats it makes the only one there is.
export function answerStopping(): ValueAnswer {
  const detail = 'The gateway is stopping, and nothing of this call is queued: repeat it.';
  return withHeaders(answerProblem(problem('shutting_down', detail)), { connection: 'close' });
}

// Not a 5xx: clients repeat those on their own.
export function answerKept(id: string): ValueAnswer {
  return answerNo(
    409,
    `Conflict: the gateway is stopping, and ${id} may be delivered already, or in part; it goes on after the start`,
  );
}

// What the caller of a held call gets when its delivery has come to rest.
export function answerEnd(ended: Ended): ValueAnswer {
  if (ended.result !== null && (ended.state === 'sent' || ended.state === 'dead')) {
    return answerResult(ended.result);
  }
  switch (ended.state) {
    case 'sent':
      return answerText(200, DONE);
    case 'expired':
      return answerNo(408, 'Request Timeout: its time to live ran out before it could go');
    case 'cancelled':
      return answerNo(410, 'Gone: the delivery was cancelled');
    case 'uncertain':
      // Not a 5xx: clients repeat those on their own, and it may have arrived.
      return answerNo(409, 'Conflict: the answer was lost, it may have been delivered');
    case 'superseded':
      return answerNo(409, 'Conflict: a newer text took its place');
    default:
      return answerNo(502, `Bad Gateway: ${ended.detail ?? ended.reason ?? 'failed'}`);
  }
}

// An edit is answered with the message, except of an inline one. Where Telegram only said that it already is so, and
// nobody remembers the message, it is made from the call.
export function answerEdit(
  call: DescribedCall,
  params: Params,
  ended: Ended,
  now: number,
): ValueAnswer {
  const messageId = scalarNumber(params.message_id);
  const isBare = ended.state === 'sent' && (ended.result ?? DONE).startsWith(TRUE_PREFIX);
  if (!isBare || !isEdit(call.method) || !(messageId > 0)) return answerEnd(ended);
  const result = imaginedMessage(call, params, messageId, now);
  return answerText(200, JSON.stringify({ ok: true, result }));
}

// A typing sign that found no free moment was still the right thing to ask for.
export function answerCosmetic({ result }: CosmeticAnswer): ValueAnswer {
  return answerResult(result ?? DONE);
}

function answerResult(result: string): ValueAnswer {
  if (result.startsWith(OK_PREFIX)) return answerText(200, result);
  const answer = readAnswer(result);
  if (answer === null) return answerNo(502, 'Bad Gateway');
  if (answer.ok === true) return answerText(200, result);
  const code = answer.error_code;
  const isStatus = typeof code === 'number' && code >= 400 && code <= 599;
  return answerText(isStatus ? code : 502, result);
}

function readAnswer(text: string): { ok?: unknown; error_code?: unknown } | null {
  const value = jsonOrUndefined(text);
  return typeof value === 'object' && value !== null ? value : null;
}

export function answerProvisionally(result: unknown): ValueAnswer {
  const answer = answerText(202, JSON.stringify({ ok: true, result }));
  return withHeaders(answer, { 'preference-applied': 'respond-async' });
}
