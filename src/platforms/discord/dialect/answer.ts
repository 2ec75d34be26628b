// Answers in Discord's own shape: `{"message":"…","code":N}` for a no, with the headers its clients look for. `Via`,
// without which some take a 429 for a ban; and a bucket that is never empty, because pacing is done here: their own
// limiters stay calm.

import type { DescribedCall } from '../../../domain/call.ts';
import type { Problem } from '../../../domain/errors.ts';
import { provisionalId } from '../../../domain/ids.ts';
import { scalarText } from '../../../domain/scalar.ts';
import type {
  AnswerHeaders,
  DeliveryEnding,
  DialectAnswers,
  Params,
  ValueAnswer,
} from '../../dialect.ts';

const VIA = { via: '1.1 sluice' } as const;
const BUCKET_LIMIT = 1000;

export const WORDS: DialectAnswers = {
  refused,
  unreadable: (detail) => refused(400, detail),
  conflict: (detail) => refused(409, detail),
  problem,
  later,
  tooLarge: () => refused(413, 'Request entity too large', 40_005),
  ended,
  provisional,
  cosmetic: (result) => bare(result === null || result === '' ? null : result, 'triggerTyping'),
};

export function refused(status: number, message: string, code = 0): ValueAnswer {
  return { status, headers: VIA, body: JSON.stringify({ message, code }) };
}

export function unreadable(detail: string): ValueAnswer {
  return refused(400, detail);
}

function later(seconds: number): ValueAnswer {
  const body = { message: 'You are being rate limited.', retry_after: seconds, global: false };
  const told = { 'retry-after': seconds, 'x-ratelimit-scope': 'shared' };
  return { status: 429, headers: { ...VIA, ...told }, body: JSON.stringify(body) };
}

function problem({ status, detail }: Problem, retryAfterS: number): ValueAnswer {
  if (status === 429) return later(retryAfterS);
  // Discord knows no 422.
  return refused(status === 422 ? 400 : status, detail);
}

// Each route has a bucket of its own: clients queue the calls of one bucket behind each other.
function calm(method: string): AnswerHeaders {
  return {
    ...VIA,
    'x-ratelimit-limit': BUCKET_LIMIT,
    'x-ratelimit-remaining': BUCKET_LIMIT - 1,
    'x-ratelimit-reset-after': '0.001',
    'x-ratelimit-bucket': `sluice-${method}`,
  };
}

function bare(body: string | null, method: string): ValueAnswer {
  return body === null
    ? { status: 204, headers: calm(method), body: null }
    : { status: 200, headers: calm(method), body };
}

function ended(
  { method }: DescribedCall,
  params: Params,
  { state, result, detail, reason }: DeliveryEnding,
): ValueAnswer {
  switch (state) {
    case 'sent': {
      const isUnasked = method === 'executeWebhook' && scalarText(params.wait) !== 'true';
      return bare(result === null || result === '' || isUnasked ? null : result, method);
    }
    case 'dead':
      return result === null || result === ''
        ? refused(502, detail ?? reason ?? 'failed')
        : { status: statusIn(detail), headers: calm(method), body: result };
    case 'expired':
      return refused(404, 'Unknown interaction: its time ran out before it could go', 10_062);
    case 'cancelled':
      return refused(410, 'the delivery was cancelled');
    case 'uncertain':
      // Not a 5xx: clients repeat those on their own, and it may have arrived.
      return refused(409, 'the answer was lost, it may have been delivered');
    case 'superseded':
      return refused(409, 'a newer text took its place');
    default:
      return refused(502, detail ?? reason ?? 'failed');
  }
}

// Of a refusal the detail begins with it; see classify.ts.
function statusIn(detail: string | null): number {
  const status = Number(/^([45]\d\d) /.exec(detail ?? '')?.[1] ?? 400);
  return status;
}

// A message as Discord would show it, with no more in it than we know.
function provisional(
  { method, family, chat }: DescribedCall,
  params: Params,
  seq: number,
  now: number,
): ValueAnswer {
  if (family !== 'send' && family !== 'edit') {
    return { status: 202, headers: calm(method), body: null };
  }
  const id = family === 'send' ? String(provisionalId(seq)) : scalarText(params.message_id);
  const { content = '', embeds = [] } = params;
  const message = {
    ...{ id, channel_id: chat, type: 0, content, embeds, attachments: [], mentions: [] },
    ...{
      timestamp: new Date(now).toISOString(),
      edited_timestamp: null,
      pinned: false,
      tts: false,
    },
  };
  return { status: 202, headers: calm(method), body: JSON.stringify(message) };
}
