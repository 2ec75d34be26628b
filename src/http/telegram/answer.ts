// Answers in Telegram's own shape, so that a client library cannot tell Sluice's refusals from the platform's:
// `{"ok":false,"error_code":N,"description":"…"}` with the same number as the HTTP status.

import type { FastifyReply } from 'fastify';
import type { Call } from '../../accept/compose.ts';
import { retryAfterOf } from '../../accept/problems.ts';
import { type ErrorCode, type Problem, problem } from '../../domain/errors.ts';
import type { CosmeticAnswer, Ended } from '../../road/road.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import { imaginedMessage } from './placeholder.ts';
import { isEdit } from './provisional.ts';

type Params = Readonly<Record<string, unknown>>;

const JSON_TYPE = 'application/json';
const OK_PREFIX = '{"ok":true';
const DONE = '{"ok":true,"result":true}';
const TRUE_PREFIX = '{"ok":true,"result":true';

export function answerText(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type(JSON_TYPE).serializer(asIs).send(text);
}

const asIs = (payload: unknown) => String(payload);

export function answerNo(
  reply: FastifyReply,
  status: number,
  description: string,
  retryAfterS: number | null = null,
): FastifyReply {
  if (retryAfterS !== null) reply.header('retry-after', retryAfterS);
  const parameters = retryAfterS === null ? {} : { parameters: { retry_after: retryAfterS } };
  const body = { ok: false, error_code: status, description, ...parameters };
  return answerText(reply, status, JSON.stringify(body));
}

// As the platform does it: nothing but the status, and the line is closed.
export function answerTooLarge(reply: FastifyReply): FastifyReply {
  return reply.code(413).header('connection', 'close').header('x-sluice-error', 'too_large').send();
}

export function answerLater(reply: FastifyReply, seconds: number): FastifyReply {
  return answerNo(reply, 429, `Too Many Requests: retry after ${seconds}`, seconds);
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

export function answerProblem(reply: FastifyReply, refusal: Problem): FastifyReply {
  reply.header('x-sluice-error', refusal.code satisfies ErrorCode);
  if (refusal.status === 429) return answerLater(reply, retryAfterOf(refusal));
  // Telegram knows no 422: what it cannot read is a bad request.
  const status = refusal.status === 422 ? 400 : refusal.status;
  const words = WORDS[refusal.status] ?? 'Internal Server Error';
  return answerNo(reply, status, `${words}: ${refusal.detail}`);
}

// Nothing of the call is queued: whoever repeats it makes the only one there is.
export function answerStopping(reply: FastifyReply): FastifyReply {
  const detail = 'The gateway is stopping, and nothing of this call is queued: repeat it.';
  reply.header('connection', 'close');
  return answerProblem(reply, problem('shutting_down', detail));
}

// Not a 5xx: clients repeat those on their own.
export function answerKept(reply: FastifyReply, id: string): FastifyReply {
  return answerNo(
    reply,
    409,
    `Conflict: the gateway is stopping, and ${id} may be delivered already, or in part; it goes on after the start`,
  );
}

// What the caller of a held call gets when its delivery has come to rest.
export function answerEnd(reply: FastifyReply, ended: Ended): FastifyReply {
  if (ended.result !== null && (ended.state === 'sent' || ended.state === 'dead')) {
    return answerResult(reply, ended.result);
  }
  switch (ended.state) {
    case 'sent':
      return answerText(reply, 200, DONE);
    case 'expired':
      return answerNo(reply, 408, 'Request Timeout: its time to live ran out before it could go');
    case 'cancelled':
      return answerNo(reply, 410, 'Gone: the delivery was cancelled');
    case 'uncertain':
      // Not a 5xx: clients repeat those on their own, and it may have arrived.
      return answerNo(reply, 409, 'Conflict: the answer was lost, it may have been delivered');
    case 'superseded':
      return answerNo(reply, 409, 'Conflict: a newer text took its place');
    default:
      return answerNo(reply, 502, `Bad Gateway: ${ended.detail ?? ended.reason ?? 'failed'}`);
  }
}

// An edit is answered with the message, except of an inline one. Where Telegram only said that it already is so, and
// nobody remembers the message, it is made from the call.
export function answerEdit(
  reply: FastifyReply,
  call: Call,
  params: Params,
  ended: Ended,
  now: number,
): FastifyReply {
  const messageId = Number(params.message_id ?? 0);
  const isBare = ended.state === 'sent' && (ended.result ?? DONE).startsWith(TRUE_PREFIX);
  if (!isBare || !isEdit(call.method) || !(messageId > 0)) return answerEnd(reply, ended);
  const result = imaginedMessage(call, params, messageId, now);
  return answerText(reply, 200, JSON.stringify({ ok: true, result }));
}

// A typing sign that found no free moment was still the right thing to ask for.
export function answerCosmetic(reply: FastifyReply, { result }: CosmeticAnswer): FastifyReply {
  return answerResult(reply, result ?? DONE);
}

function answerResult(reply: FastifyReply, result: string): FastifyReply {
  if (result.startsWith(OK_PREFIX)) return answerText(reply, 200, result);
  const answer = readAnswer(result);
  if (answer === null) return answerNo(reply, 502, 'Bad Gateway');
  if (answer.ok === true) return answerText(reply, 200, result);
  const code = answer.error_code;
  const isStatus = typeof code === 'number' && code >= 400 && code <= 599;
  return answerText(reply, isStatus ? code : 502, result);
}

function readAnswer(text: string): { ok?: unknown; error_code?: unknown } | null {
  const value = jsonOrUndefined(text);
  return typeof value === 'object' && value !== null ? value : null;
}

export function answerProvisionally(reply: FastifyReply, result: unknown): FastifyReply {
  reply.header('preference-applied', 'respond-async');
  return answerText(reply, 202, JSON.stringify({ ok: true, result }));
}
