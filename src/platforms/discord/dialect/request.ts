// What a request to `/api/v<n>/…` means. The bot's token stands in a header; paths that carry a token of their own (of
// a webhook, of an interaction) need none, and clients send none; which interactions are taken so is told in
// ../interactions.ts. Paths are matched whole, so that no text of a stranger gets into a path of ours.

import { type Files, NO_FILES, withoutReserved } from '../../../domain/body.ts';
import { jsonOrUndefined } from '../../../system/json.ts';
import type {
  DialectRoute,
  GivenParams,
  LocatedCall,
  LocatedRequest,
  Params,
  ReadCall,
  RequestHead,
} from '../../dialect.ts';
import {
  INTERACTIONS,
  SANDBOX_INTERACTIONS,
  UNKNOWN_INTERACTIONS,
  webhookCredential,
} from '../credentials.ts';
import type { Interactions } from '../interactions.ts';
import { normalPath, type PathIds, routeAt, routeOf } from '../routes.ts';
import { refused, unreadable } from './answer.ts';

const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const ROUTES: readonly DialectRoute[] = [
  { verbs: ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'], url: '/api/*' },
];
export const OWN = /^\/api(?:\/|$)/;

// Its escapes read: of the emoji in it any may be a question mark.
const PATH = /^\/api(?:\/v\d{1,3})?(\/.{1,1000})$/is;
// As it is passed on: nothing that would end a line or begin another path.
const PASSED =
  /^\/api(?:\/v\d{1,2})?\/[\w.~:@!$&'()*+,;=%/-]{1,1000}(?:\?[\w.~:@!$&'()*+,;=%/?-]{0,4000})?$/;
// What begins with an @ is a credential by the path alone.
const AUTHORIZATION = /^(?:Bot|Bearer) ([^\s@]\S{0,255})$/i;
const WEBHOOK_PATH = /^\/webhooks\/(\d{1,20})\/([\w-]{1,128})(?:\/|$)/;
const INTERACTION_PATH =
  /^\/(?:webhooks|interactions)\/\d{1,20}\/(aW50ZXJhY3Rpb246[\w-]{1,400})(?:\/|$)/;
// In its token's last part.
const OF_SANDBOX = /^interaction:\d+:sandbox/;

export type TakenInteractions = Pick<Interactions, 'takes'>;

export function locate(
  { verb, url, headers }: RequestHead,
  interactions: TakenInteractions,
): LocatedRequest | null {
  const mark = url.indexOf('?');
  const raw = mark < 0 ? url : url.slice(0, mark);
  const path = pathBelow(raw);
  if (path === '' || /\p{Cc}/u.test(path) || path.split(/[/\\]/).some(isDots)) return null;
  const credential = credentialOf(path, headers.authorization, interactions);
  if (!VERBS.includes(verb)) {
    return { kind: 'refused', credential, answer: refused(405, '405: Method Not Allowed') };
  }
  const found = routeAt(verb, path);
  if (found !== null) {
    const { route, ids } = found;
    return { kind: 'call', credential, method: route.name, params: withoutToken(ids) };
  }
  if (!PASSED.test(url)) return null;
  const reason = headers['x-audit-log-reason'];
  const params: Params = typeof reason === 'string' ? { reason } : {};
  return { kind: 'call', credential, method: `${verb} ${url}`, params };
}

// Below `/api/v<n>`; '' when it is not there, or its escapes cannot be read.
function pathBelow(raw: string): string {
  return PATH.exec(normalPath(decoded(raw)))?.[1] ?? '';
}

const isDots = (part: string) => part === '.' || part === '..';

// The webhook's own is its account's credential, and stands in no body.
function withoutToken(ids: PathIds): Params {
  const { webhook_token: _token, ...kept } = ids;
  return kept;
}

function credentialOf(
  path: string,
  header: RequestHead['headers'][string],
  interactions: TakenInteractions,
): string {
  const given = AUTHORIZATION.exec(typeof header === 'string' ? header : '')?.[1] ?? '';
  const interaction = INTERACTION_PATH.exec(path)?.[1];
  // With its token the bot speaks for itself.
  if (interaction !== undefined) return given || ofInteraction(interaction, interactions);
  const webhook = WEBHOOK_PATH.exec(path);
  return webhook === null ? given : webhookCredential(webhook[1]!, webhook[2]!);
}

function ofInteraction(token: string, interactions: TakenInteractions): string {
  const text = Buffer.from(token, 'base64url').toString('latin1');
  if (OF_SANDBOX.test(text)) return SANDBOX_INTERACTIONS;
  return interactions.takes(token) ? INTERACTIONS : UNKNOWN_INTERACTIONS;
}

export function located(credential: string, method: string): LocatedCall | null {
  if (!/^\S{1,256}$/.test(credential)) return null;
  if (routeOf(method) === null && !isPassed(method)) return null;
  return { kind: 'call', credential, method, params: {} };
}

function isPassed(method: string): boolean {
  const [verb = '', path = ''] = method.split(' ', 2);
  if (!VERBS.includes(verb) || !PASSED.test(path)) return false;
  // What sends has a name of its own.
  return routeAt(verb, pathBelow(path.split('?', 1)[0]!)) === null;
}

export function read(call: LocatedCall, given: GivenParams): ReadCall {
  const { method, params: inPath } = call;
  const route = routeOf(method);
  if (route === null) return readPassed(method, inPath, given);
  const fields = fieldsOf(given.body, given.files);
  if (fields === null) return { kind: 'refused', answer: unreadable('JSON object expected') };
  const query = route.query.filter((name) => name in Object(given.query));
  const asked = Object.fromEntries(query.map((name) => [name, first(Object(given.query)[name])]));
  return { kind: 'call', method, params: { ...withoutReserved(fields), ...asked, ...inPath } };
}

// Whatever it is: it goes on as it came.
function readPassed(method: string, inPath: Params, { body, files }: GivenParams): ReadCall {
  if (body === undefined) return { kind: 'call', method, params: inPath };
  const content = files === NO_FILES ? { json: body } : { form: body };
  return { kind: 'call', method, params: { ...inPath, ...content } };
}

// A form says in `payload_json` what JSON says, beside its files. null: not an object.
function fieldsOf(body: unknown, files: Files): Params | null {
  if (body === undefined || body === null) return {};
  if (typeof body !== 'object' || Array.isArray(body)) return null;
  const { payload_json: payload, ...fields } = body as Record<string, unknown>;
  if (typeof payload !== 'string' || (files === NO_FILES && payload === '')) return body as Params;
  const said = jsonOrUndefined(payload);
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return null;
  return { ...fields, ...said };
}

export function heldMs(): number {
  return 0;
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

// '' when its escapes cannot be read.
function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
