// How a request of the Graph API is read: /v<nn>.0/<phone number id>/messages is a message, whatever else stands below
// a version is passed on under its verb and path. The token is in a header (or in `?access_token=`) and does not tell
// its number. Where the path does not either (a file, a template), the number is the one that the token says itself
// (`Bearer <id>:<token>`), that the query names, or that the same token last wrote with.

import { hash } from 'node:crypto';
import { ATTACH, attachedTo, type Files, NO_FILES } from '../../domain/body.ts';
import { fieldsOf } from '../../domain/scalar.ts';
import type {
  DialectReading,
  DialectRoute,
  GivenParams,
  LocatedCall,
  LocatedRequest,
  Params,
  ReadCall,
  RequestHead,
} from '../dialect.ts';
import { givenFields } from '../shared/given.ts';
import { refused, unreadable } from './answer.ts';
import { tokenOf } from './credentials.ts';
import { isOfMessages, isPassed, MESSAGES } from './describe.ts';

export const ROUTES: readonly DialectRoute[] = [
  { verbs: ['GET', 'POST', 'DELETE', 'PUT', 'PATCH'], url: '/v:version.0/*' },
];
export const OWN = /^\/v\d{1,3}\.0(?:\/|$)/;

const PATH = /^\/v\d{1,3}\.0\/([\w.~-]{1,128})((?:\/[\w.~-]{1,128}){0,7})\/?$/;
const BEARER = /^Bearer +(?:(\d{1,30}):)?([\w-]{1,512})$/i;
const NUMBER = /^\d{1,30}$/;
// Edges of a number, as opposed to those of accounts and files.
const OF_NUMBERS = /^\/(messages|media|register|deregister|whatsapp_business_profile|request_code)/;
const VERBS = ['GET', 'POST', 'DELETE'];
const NO_PARAMS: Params = Object.freeze({});
const NUMBERS_MAX = 10_000;
const NO_NUMBER =
  'Name the phone number: as Bearer <phone number id>:<token>, or as ?phone_number_id=';

export function createReading(): DialectReading {
  const numbers = new NumbersOfTokens();
  return {
    locate: (head) => locate(numbers, head),
    located,
    read,
    heldMs: () => 0,
    secretOf: tokenOf,
  };
}

function locate(numbers: NumbersOfTokens, { verb, url, headers }: RequestHead) {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const match = PATH.exec(path);
  if (match === null) return null;
  const [, object = '', edgeAsWritten = ''] = match;
  const edge = edgeAsWritten.toLowerCase();
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark));
  // The Graph API takes it there as well.
  const inQuery = `Bearer ${query.get('access_token') ?? ''}`;
  const [, said, token = ''] = BEARER.exec(String(headers.authorization ?? inQuery)) ?? [];
  const isNumbers = NUMBER.test(object) && OF_NUMBERS.test(edge);
  if (isNumbers && token !== '') numbers.learn(token, object);
  const named = query.get('phone_number_id') ?? '';
  const asked = NUMBER.test(named) ? named : null;
  const number = isNumbers ? object : (said ?? asked ?? numbers.of(token) ?? '');
  const credential = `${number}:${token}`;
  const no = (status: number, detail: string): LocatedRequest => ({
    kind: 'refused',
    credential,
    answer: refused(status, detail),
  });
  if (number === '' && token !== '') return no(400, NO_NUMBER);
  if (!VERBS.includes(verb)) return no(405, 'Unsupported method');
  const isMessage = isNumbers && edge === `/${MESSAGES}` && verb === 'POST';
  const method = isMessage ? MESSAGES : `${verb} ${path.replace(/\/$/, '')}`;
  if (!isMessage && !isPassed(method)) return null;
  const call: LocatedCall = { kind: 'call', credential, method, params: NO_PARAMS };
  return call;
}

function located(credential: string, method: string): LocatedCall | null {
  if (!isOfMessages(method) && !isPassed(method)) return null;
  return { kind: 'call', credential, method, params: NO_PARAMS };
}

function read({ method }: LocatedCall, given: GivenParams): ReadCall {
  // Ours, and not the platform's to know.
  const { phone_number_id: _number, ...query } = fieldsOf(given.query);
  const params = givenFields({ ...given, query }, ['access_token']);
  if (params !== null) return { kind: 'call', method, params: withAttached(params, given.files) };
  return { kind: 'refused', answer: unreadable('a JSON object is expected') };
}

// A file that nothing refers to is itself the parameter of its name.
function withAttached(given: Params, files: Files): Params {
  if (files === NO_FILES) return given;
  const referred = attachedTo(given);
  const unsaid = Object.keys(files).filter((name) => !(name in given) && !referred.has(name));
  return { ...given, ...Object.fromEntries(unsaid.map((name) => [name, `${ATTACH}${name}`])) };
}

// Which number a token last wrote with, by its digest; the oldest is forgotten first. It only completes a credential,
// which is then judged like any other.
class NumbersOfTokens {
  readonly #numbers = new Map<string, string>();

  learn(token: string, number: string): void {
    const digest = hash('sha256', token);
    if (this.#numbers.get(digest) === number) return;
    this.#numbers.delete(digest);
    this.#numbers.set(digest, number);
    if (this.#numbers.size <= NUMBERS_MAX) return;
    for (const oldest of this.#numbers.keys()) {
      this.#numbers.delete(oldest);
      return;
    }
  }

  of(token: string): string | null {
    return this.#numbers.get(hash('sha256', token)) ?? null;
  }
}
