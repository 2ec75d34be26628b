// The Bot API as Telegram's clients know it: how their requests are read, and how they are answered.

import { ATTACH, attachedTo, type Files, NO_FILES, withoutReserved } from '../../../domain/body.ts';
import type { DescribedCall } from '../../../domain/call.ts';
import type { Problem } from '../../../domain/errors.ts';
import { scalarNumber, scalarText } from '../../../domain/scalar.ts';
import { jsonOrUndefined } from '../../../system/json.ts';
import type {
  DeliveryEnding,
  Dialect,
  DialectRoute,
  GivenParams,
  LocatedCall,
  LocatedFile,
  LocatedRequest,
  Params,
  ReadCall,
  RequestHead,
  ValueAnswer,
} from '../../dialect.ts';
import { placeholderMessage } from './placeholder.ts';
import { isEdit, isForetold, provisionalResult } from './provisional.ts';

// How a request of the Bot API is read. Its paths are /bot<token>/<method>, /bot<token>/test/<method> on the test
// servers, and files below /file/bot<token>/. They are decoded once and then matched whole: what is not exactly a
// token, a method or a plain path of a file is not there, so no text of a stranger gets into a path of ours.
// Parameters come from wherever they are: query, JSON, form, multipart. They are one set; of a name that is given
// twice the first counts, and the query comes first, as for the platform itself.

const ROUTES: readonly DialectRoute[] = [
  { verbs: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'], url: '/bot*' },
  { verbs: ['GET', 'HEAD'], url: '/file/bot*' },
];
const OWN = /^\/(?:file\/)?bot/;

const METHOD = /^\w{1,64}$/;
const CALL = /^\/bot(\d{1,20}:[\w-]{1,100}(?:\/test)?)\/(\w{0,64})$/;
const FILE = /^\/file\/bot(\d{1,20}:[\w-]{1,100}(?:\/test)?)\/([^\\]{1,400})$/;
const VERBS = ['GET', 'POST'];
// Nothing but the method stands in the path.
const NO_PARAMS: Params = Object.freeze({});
// Of a long poll.
const POLL_S_MAX = 50;

function locate({ verb, url }: RequestHead): LocatedRequest | null {
  const path = pathOf(url);
  const call = callAt(path);
  if (call === null) return fileAt(path, verb === 'HEAD');
  if (VERBS.includes(verb)) return call;
  const { credential } = call;
  return { kind: 'refused', credential, answer: refused(405, 'Method Not Allowed') };
}

// As the path would say it, so that the same is a token and a method.
function located(token: string, method: string): LocatedCall | null {
  return callAt(pathOf(`/bot${encodeURIComponent(token)}/${encodeURIComponent(method)}`));
}

function read({ method: named }: LocatedCall, given: GivenParams): ReadCall {
  const params = paramsOf(given);
  if (params === null) return { kind: 'refused', answer: unreadable('JSON object expected') };
  const method = named === '' ? scalarText(params.method) : named;
  if (METHOD.test(method)) return { kind: 'call', method, params };
  return { kind: 'refused', answer: refused(404, 'Not Found') };
}

function heldMs({ timeout }: Params): number {
  const seconds = scalarNumber(timeout);
  return seconds > 0 ? Math.min(seconds, POLL_S_MAX) * 1000 : 0;
}

// The bot's number is no secret, and may stand apart from it.
function secretOf(token: string): string {
  return token.slice(token.indexOf(':') + 1);
}

function callAt(path: string): LocatedCall | null {
  const match = CALL.exec(path);
  if (match === null) return null;
  return { kind: 'call', credential: match[1]!, method: match[2]!, params: NO_PARAMS };
}

function fileAt(path: string, isHead: boolean): LocatedFile | null {
  const match = FILE.exec(path);
  if (match === null) return null;
  const segments = match[2]!.split('/');
  if (!segments.every(isPlain)) return null;
  const encoded = segments.map(encodeURIComponent).join('/');
  const file = { kind: 'file', credential: match[1]!, method: 'getFile', path: encoded } as const;
  return isHead ? { ...file, isHead } : file;
}

function isPlain(segment: string): boolean {
  return segment !== '' && segment !== '.' && segment !== '..' && !/\p{Cc}/u.test(segment);
}

// '' when its escapes cannot be read.
function pathOf(url: string): string {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}

// null: the body is not an object.
function paramsOf({ query, body, files }: GivenParams): Params | null {
  if (body === undefined || body === null) return { ...withoutReserved(flat(query)) };
  if (typeof body !== 'object' || Array.isArray(body)) return null;
  const given = { ...withoutReserved(body as Params), ...withoutReserved(flat(query)) };
  return withAttached(given, files);
}

// A file that nothing refers to is itself the parameter of its name, where that says nothing else: as for the
// platform, an empty text is no file's name, and any other stands before a part.
function withAttached(given: Params, files: Files): Params {
  if (files === NO_FILES) return given;
  const referred = attachedTo(given);
  const isUnsaid = (name: string) => (given[name] ?? '') === '' && !referred.has(name);
  const unsaid = Object.keys(files).filter(isUnsaid);
  return { ...given, ...Object.fromEntries(unsaid.map((name) => [name, `${ATTACH}${name}`])) };
}

function flat(query: unknown): Params {
  const params: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query ?? {})) {
    params[name] = Array.isArray(value) ? value[0] : value;
  }
  return params;
}

// Answers in Telegram's own shape, so that a client library cannot tell Sluice's refusals from the platform's:
// `{"ok":false,"error_code":N,"description":"…"}` with the same number as the HTTP status.

const OK_PREFIX = '{"ok":true';
const DONE = '{"ok":true,"result":true}';
const TRUE_PREFIX = '{"ok":true,"result":true';

export function answerText(status: number, body: string): ValueAnswer {
  return { status, body };
}

export function refused(status: number, description: string): ValueAnswer {
  return answerText(status, JSON.stringify({ ok: false, error_code: status, description }));
}

function unreadable(detail: string): ValueAnswer {
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
  const result = placeholderMessage(call, params, messageId, now);
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

export const DIALECT: Dialect = {
  routes: ROUTES,
  own: OWN,
  ...{ locate, located, read, heldMs, secretOf },
  ...{ refused, unreadable, conflict, problem: inWords, later, tooLarge, ended, provisional },
  ...{ cosmetic, isForetold },
};
