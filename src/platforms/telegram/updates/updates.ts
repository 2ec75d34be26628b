// What Telegram's updates mean to delivery: the secret of a webhook, who wrote, what an app that polls asks for.

import { jsonOrUndefined } from '../../../system/json.ts';
import { isSameSecret } from '../../../system/same-secret.ts';
import type { Poll, UpdateReading } from '../../updates.ts';
import { botOf } from '../credentials.ts';
import { postIn } from '../history/update-posts.ts';
import { kindOf, namesSomeone, readUpdate } from './read-update.ts';
import { readWebhookAnswer } from './webhook-answer.ts';

const LIMIT_MAX = 100;
export const TIMEOUT_S_MAX = 50;
const SECRET_HEADER = 'x-telegram-bot-api-secret-token';

export const UPDATES: UpdateReading = {
  // The secret itself, in a header.
  verify(headers, _rawBody, secret) {
    const given = headers[SECRET_HEADER];
    return isSameSecret(typeof given === 'string' ? given : '', secret);
  },
  proofOf: (_rawBody, secret) => ({ [SECRET_HEADER]: secret }),
  idOf: botOf,
  read: readUpdate,
  namesSomeone,
  nameCall: { method: 'getMe', body: '{}' },
  nameIn(reply) {
    if (reply.kind !== 'answered' || reply.status !== 200) return null;
    return /"username":"(\w+)"/.exec(reply.body)?.[1] ?? null;
  },
  callIn: readWebhookAnswer,
  postIn,
  readPoll,
  isAsked(update, { allowed }) {
    if (allowed.length === 0) return true;
    const kind = kindOf(update);
    return kind !== null && allowed.includes(kind);
  },
};

// Parameters come typed (JSON) or as text (query, form); what cannot be read is as if left out.
export function readPoll(params: Readonly<Record<string, unknown>>): Poll {
  const whole = (value: unknown) => {
    const number = typeof value === 'string' && value !== '' ? Number(value) : value;
    return Number.isSafeInteger(number) ? (number as number) : null;
  };
  const limit = whole(params.limit) ?? LIMIT_MAX;
  const timeoutS = Math.min(Math.max(0, whole(params.timeout) ?? 0), TIMEOUT_S_MAX);
  return {
    offset: whole(params.offset) ?? 0,
    limit: limit >= 1 && limit <= LIMIT_MAX ? limit : LIMIT_MAX,
    timeoutMs: timeoutS * 1000,
    allowed: namesOf(params.allowed_updates),
  };
}

function namesOf(value: unknown): string[] {
  const list = typeof value === 'string' ? parsed(value) : value;
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
}

function parsed(text: string): unknown {
  return jsonOrUndefined(text) ?? null;
}
