// Answers in the Graph API's own shape, so that a client cannot tell Sluice's refusals from the platform's:
// `{"error":{"message","type","code","error_data":{"details"},"fbtrace_id"}}`.

import type { DescribedCall } from '../../domain/call.ts';
import { provisionalId } from '../../domain/ids.ts';
import { fieldsOf, scalarText } from '../../domain/scalar.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import type { Params, ValueAnswer } from '../dialect.ts';
import { dialectAnswers } from '../shared/dialect-answers.ts';
import { contactOf, PRODUCT } from './describe.ts';

const SUCCESS = '{"success":true}';

// The code that means most nearly the same as a status of HTTP.
const CODES: Readonly<Record<number, number>> = {
  400: 100,
  401: 190,
  403: 10,
  404: 100,
  409: 131000,
  413: 131009,
  429: 130429,
  500: 1,
  502: 131016,
  503: 131016,
};
const STATUSES: Readonly<Record<number, number>> = {
  0: 401,
  190: 401,
  10: 403,
  368: 403,
  131031: 403,
};

export const WORDS = dialectAnswers({
  refused,
  unreadable,
  later,
  tooLarge: () => ({ status: 413, headers: { connection: 'close' }, body: null }),
  shown: (result) => (result === null ? said(200, SUCCESS) : answered(result)),
  provisional,
});

function said(status: number, body: string): ValueAnswer {
  return { status, body };
}

export function refused(status: number, details: string): ValueAnswer {
  const code = CODES[status] ?? (status >= 500 ? 131000 : 100);
  const data = { ...PRODUCT, details };
  const type = status >= 500 ? 'GraphMethodException' : 'OAuthException';
  const error = { message: `(#${code}) ${details}`, type, code, error_data: data };
  return said(status, JSON.stringify({ error }));
}

export function unreadable(detail: string): ValueAnswer {
  return refused(400, `Invalid parameter: ${detail}`);
}

function later(seconds: number): ValueAnswer {
  const answer = refused(429, `Too many requests, retry after ${seconds} s`);
  return { ...answer, headers: { 'retry-after': seconds } };
}

// As the platform said it: the status of an error follows from its code.
function answered(result: string): ValueAnswer {
  const answer = fieldsOf(jsonOrUndefined(result));
  if (!('error' in answer)) return said(200, result);
  const code = Number(fieldsOf(answer.error).code);
  return said(STATUSES[code] ?? 400, result);
}

// A message that does not exist yet; its id may be used in later calls (a reply, a reaction).
function provisional(call: DescribedCall, params: Params, seq: number): ValueAnswer {
  if (call.family !== 'send' && call.family !== 'reaction') return said(202, SUCCESS);
  const input = scalarText(params.to) || call.chat;
  const contacts = [contactOf(input, call.chat)];
  const messages = [{ id: String(provisionalId(seq)) }];
  return said(202, JSON.stringify({ ...PRODUCT, contacts, messages }));
}
