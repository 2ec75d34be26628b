// The only reader of what comes back from WhatsApp: a reply in, an outcome out. An answer of the Graph API's own shape
// is judged by its code; the status of HTTP says little (a pair limit has come as 400, 403 and 429). Only answers of
// that shape are quoted: a stranger's page may quote our request.

import { messageIdIn } from '../../domain/ids.ts';
import { ACCOUNT_REFUSED, type Outcome } from '../../domain/outcome.ts';
import { fieldsOf } from '../../domain/scalar.ts';
import { unreachable } from '../../system/assert.ts';
import type { Reply } from '../../system/http/transport.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import { unanswered } from '../shared/unanswered.ts';
import { handlingOf, STOP_MS } from './error-codes.ts';
import type { WhatsappReason } from './reasons.ts';

const DETAIL_CHARS_MAX = 500;
const BUSY_MS = 1000;
const GROWTH = 2;

type Answered = Extract<Reply, { kind: 'answered' }>;

export function classify(_method: string, reply: Reply): Outcome {
  if (reply.kind !== 'answered') return unanswered(reply);
  const answer = fieldsOf(jsonOrUndefined(reply.body));
  if ('error' in answer) return ofError(reply, readError(answer.error));
  return reply.status < 300 ? ofSuccess(reply, answer) : ofStranger(reply);
}

function ofSuccess(reply: Answered, answer: Readonly<Record<string, unknown>>): Outcome {
  const { messages, success } = answer;
  const first = Array.isArray(messages) ? fieldsOf(messages[0]) : {};
  if (typeof first.id === 'string') {
    return { kind: 'sent', messageId: messageIdIn(first.id), result: reply.body };
  }
  if (success === true) return { kind: 'sent', messageId: null, result: reply.body };
  return uncertain('answer_unreadable', `HTTP ${reply.status}, not an answer of the Graph API`);
}

export interface GraphError {
  readonly code: number;
  readonly detail: string;
  readonly isTransient: boolean;
}

// Of an answer, or of a status that says why a message failed.
export function readError(value: unknown): GraphError {
  const { code, message, title, error_data: data, is_transient: transient } = fieldsOf(value);
  const said = [message ?? title, fieldsOf(data).details].filter(
    (text) => typeof text === 'string',
  );
  return {
    code: typeof code === 'number' ? code : Number.NaN,
    detail: [...new Set(said)].join(': ').slice(0, DETAIL_CHARS_MAX),
    isTransient: transient === true,
  };
}

function ofError(reply: Answered, { code, detail, isTransient }: GraphError): Outcome {
  const handling = handlingOf(code);
  if (handling === null) return ofUnknown(reply, detail, isTransient);
  switch (handling.kind) {
    case 'dead':
      return refused(handling.reason, detail, reply.body);
    case 'retry':
      return saidDown('unavailable', detail, reply.status);
    case 'unknown':
      return { ...uncertain('upstream_broken', detail), status: reply.status };
    case 'wait': {
      const { waitMs: retryAfterMs, scope, growth } = handling;
      return { kind: 'limited', retryAfterMs, scope, growth, result: reply.body };
    }
    case 'stop':
      return { kind: 'limited', retryAfterMs: STOP_MS, scope: 'account', result: reply.body };
    default:
      return unreachable(handling);
  }
}

function ofUnknown(reply: Answered, detail: string, isTransient: boolean): Outcome {
  const { status, body } = reply;
  if (isTransient) return saidDown('unavailable', detail, status);
  if (status === 401) return refused(ACCOUNT_REFUSED, detail, body);
  if (status === 429) return busy(body);
  if (status >= 500) return { ...uncertain('upstream_broken', detail), status };
  return refused('bad_request', detail, body);
}

// Not the Graph API: a front server, a proxy, or an answer cut short.
function ofStranger({ status }: Answered): Outcome {
  const detail = `HTTP ${status}, not from the Graph API`;
  if (status === 429) return busy(wordless(detail));
  if (status === 413) return refused('too_large', detail, wordless(detail));
  if (status === 503) return saidDown('unavailable', detail, status);
  if (status >= 500) return { ...uncertain('upstream_broken', detail), status };
  return saidDown('not_whatsapp', detail, status);
}

function busy(result: string): Outcome {
  return { kind: 'limited', retryAfterMs: BUSY_MS, scope: 'account', growth: GROWTH, result };
}

function refused(reason: WhatsappReason, detail: string, result: string): Outcome {
  return { kind: 'refused', reason, detail, result, cure: null };
}

function saidDown(reason: WhatsappReason, detail: string, status: number): Outcome {
  const broken = status >= 500 ? { status } : null;
  return { kind: 'failed', reason, detail, hostDown: true, isAnswered: true, ...broken };
}

function uncertain(reason: WhatsappReason, detail: string) {
  return { kind: 'uncertain' as const, reason, detail: detail.slice(0, DETAIL_CHARS_MAX) };
}

function wordless(message: string): string {
  return JSON.stringify({ error: { message, type: 'OAuthException', code: 1 } });
}
