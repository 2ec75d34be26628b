// How a request of the Bot API is read. Its paths are /bot<token>/<method>, /bot<token>/test/<method> on the test
// servers, and files below /file/bot<token>/. They are decoded once and then matched whole: what is not exactly a
// token, a method or a plain path of a file is not there, so no text of a stranger gets into a path of ours.
// Parameters come from wherever they are: query, JSON, form, multipart. They are one set; of a name that is given
// twice the first counts, and the query comes first, as for the platform itself.

import { ATTACH, attachedTo, type Files, NO_FILES, withoutReserved } from '../../../domain/body.ts';
import { scalarNumber, scalarText } from '../../../domain/scalar.ts';
import type {
  DialectRoute,
  GivenParams,
  LocatedCall,
  LocatedFile,
  LocatedRequest,
  Params,
  ReadCall,
  RequestHead,
} from '../../dialect.ts';
import { refused, unreadable } from './answer.ts';

export const ROUTES: readonly DialectRoute[] = [
  { verbs: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'], url: '/bot*' },
  { verbs: ['GET', 'HEAD'], url: '/file/bot*' },
];
export const OWN = /^\/(?:file\/)?bot/;

const METHOD = /^\w{1,64}$/;
const CALL = /^\/bot(\d{1,20}:[\w-]{1,100}(?:\/test)?)\/(\w{0,64})$/;
const FILE = /^\/file\/bot(\d{1,20}:[\w-]{1,100}(?:\/test)?)\/([^\\]{1,400})$/;
const VERBS = ['GET', 'POST'];
// Nothing but the method stands in the path.
const NO_PARAMS: Params = Object.freeze({});
// Of a long poll.
const POLL_S_MAX = 50;

export function locate({ verb, url }: RequestHead): LocatedRequest | null {
  const path = pathOf(url);
  const call = callAt(path);
  if (call === null) return fileAt(path, verb === 'HEAD');
  if (VERBS.includes(verb)) return call;
  const { credential } = call;
  return { kind: 'refused', credential, answer: refused(405, 'Method Not Allowed') };
}

// As the path would say it, so that the same is a token and a method.
export function located(token: string, method: string): LocatedCall | null {
  return callAt(pathOf(`/bot${encodeURIComponent(token)}/${encodeURIComponent(method)}`));
}

export function read({ method: named }: LocatedCall, given: GivenParams): ReadCall {
  const params = paramsOf(given);
  if (params === null) return { kind: 'refused', answer: unreadable('JSON object expected') };
  const method = named === '' ? scalarText(params.method) : named;
  if (METHOD.test(method)) return { kind: 'call', method, params };
  return { kind: 'refused', answer: refused(404, 'Not Found') };
}

export function heldMs({ timeout }: Params): number {
  const seconds = scalarNumber(timeout);
  return seconds > 0 ? Math.min(seconds, POLL_S_MAX) * 1000 : 0;
}

// The bot's number is no secret, and may stand apart from it.
export function secretOf(token: string): string {
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
