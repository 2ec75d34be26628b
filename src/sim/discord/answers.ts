// The words Discord answers with, from its documents: JSON errors with a code, the headers of its buckets, and `Via`,
// by which clients tell its own answers from those of the front before it.

import type { SimAnswer } from '../model.ts';

export interface SimDiscordError {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly errors?: object;
}

type Headers = Readonly<Record<string, string>>;

const VIA = { via: '1.1 google' } as const;
const JSON_HEADERS = { 'content-type': 'application/json', ...VIA } as const;

const error = (status: number, code: number, message: string): SimDiscordError => ({
  status,
  code,
  message,
});

export const UNAUTHORIZED = error(401, 0, '401: Unauthorized');
export const NOT_FOUND = error(404, 0, '404: Not Found');
export const METHOD_NOT_ALLOWED = error(405, 0, '405: Method Not Allowed');
export const UNKNOWN_CHANNEL = error(404, 10003, 'Unknown Channel');
export const UNKNOWN_MESSAGE = error(404, 10008, 'Unknown Message');
export const UNKNOWN_WEBHOOK = error(404, 10015, 'Unknown Webhook');
export const UNKNOWN_INTERACTION = error(404, 10062, 'Unknown interaction');
export const INVALID_WEBHOOK_TOKEN = error(401, 50027, 'Invalid Webhook Token');
export const ACKNOWLEDGED = error(400, 40060, 'Interaction has already been acknowledged.');
export const MISSING_PERMISSIONS = error(403, 50013, 'Missing Permissions');
export const MISSING_ACCESS = error(403, 50001, 'Missing Access');
export const NOT_YOURS = error(403, 50005, 'Cannot edit a message authored by another user');
export const EMPTY = error(400, 50006, 'Cannot send an empty message');
export const INVALID_JSON = error(400, 50109, 'The request body contains invalid JSON.');

export function invalidForm(field: string, code: string, message: string): SimDiscordError {
  const errors = { [field]: { _errors: [{ code, message }] } };
  return { ...error(400, 50035, 'Invalid Form Body'), errors };
}

// null: there is nothing to say but that it is done.
export function granted(result: unknown, headers: Headers): SimAnswer {
  if (result === null) return { status: 204, headers: { ...VIA, ...headers }, body: '' };
  return { status: 200, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(result) };
}

export function refused(no: SimDiscordError, headers: Headers): SimAnswer {
  const { status, ...body } = no;
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) };
}

export type DiscordLimitScope = 'user' | 'global' | 'shared';

export function limited(scope: DiscordLimitScope, waitMs: number, headers: Headers): SimAnswer {
  const retry_after = Math.ceil(waitMs) / 1000;
  const message =
    scope === 'shared' ? 'The resource is being rate limited.' : 'You are being rate limited.';
  const global = scope === 'global';
  return {
    status: 429,
    headers: {
      ...JSON_HEADERS,
      ...headers,
      'retry-after': String(Math.ceil(retry_after)),
      'x-ratelimit-scope': scope,
      ...(global ? { 'x-ratelimit-global': 'true' } : {}),
    },
    body: JSON.stringify({ message, retry_after, global }),
  };
}

// The front's own answers: no JSON, and no `Via`.
const html = (status: number, words: string, headers: Headers = {}): SimAnswer => ({
  status,
  headers: { 'content-type': 'text/html', server: 'cloudflare', ...headers },
  body: `<html><head><title>${words}</title></head><body><h1>${words}</h1></body></html>`,
});

export const BAD_GATEWAY = html(502, '502 Bad Gateway');
export const TOO_LARGE = refused(error(413, 40005, 'Request entity too large'), {});
export const INTERNAL = refused(error(500, 0, '500: Internal Server Error'), {});
export const UNAVAILABLE = refused(
  error(503, 130_000, 'API resource is currently overloaded.'),
  {},
);

export function banned(seconds: number): SimAnswer {
  return html(429, 'Error 1015: You are being rate limited', { 'retry-after': String(seconds) });
}
