// The exact words Telegram answers with. Everything here was read from its server's source or from
// logs in the wild; a classifier is only as good as these strings are true.

import type { SimAnswer } from '../model.ts';

export type { SimAnswer } from '../model.ts';

export interface SimRefusal {
  readonly status: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number };
}

const JSON_HEADERS = { 'content-type': 'application/json' } as const;

export function granted(result: unknown): SimAnswer {
  return {
    status: 200,
    headers: JSON_HEADERS,
    body: `{"ok":true,"result":${JSON.stringify(result)}}`,
  };
}

export function refused(refusal: SimRefusal, retryAfterHeader: boolean): SimAnswer {
  const { status, description, parameters } = refusal;
  const retryAfter = parameters?.retry_after;
  const headers =
    retryAfter === undefined || !retryAfterHeader
      ? JSON_HEADERS
      : { ...JSON_HEADERS, 'retry-after': String(retryAfter) };
  const body = { ok: false, error_code: status, description, ...(parameters && { parameters }) };
  return { status, headers, body: JSON.stringify(body) };
}

export function badRequest(what: string): SimRefusal {
  return { status: 400, description: `Bad Request: ${what}` };
}

export function forbidden(what: string): SimRefusal {
  return { status: 403, description: `Forbidden: ${what}` };
}

export function tooManyRequests(retryAfterS: number): SimRefusal {
  return {
    status: 429,
    description: `Too Many Requests: retry after ${retryAfterS}`,
    parameters: { retry_after: retryAfterS },
  };
}

export function migrated(to: string): SimRefusal {
  return {
    ...badRequest('group chat was upgraded to a supergroup chat'),
    parameters: { migrate_to_chat_id: Number(to) },
  };
}

// A partly delivered album: the ones before #k are in the chat.
export function albumBroke(k: number, why: string): SimRefusal {
  return badRequest(`failed to send message #${k} with the error message "${why}"`);
}

export const NOT_FOUND: SimRefusal = { status: 404, description: 'Not Found' };
export const METHOD_NOT_FOUND: SimRefusal = {
  status: 404,
  description: 'Not Found: method not found',
};
export const UNAUTHORIZED: SimRefusal = { status: 401, description: 'Unauthorized' };
export const INVALID_TOKEN: SimRefusal = {
  status: 401,
  description: 'Unauthorized: invalid token specified',
};
export const OTHER_POLLER: SimRefusal = {
  status: 409,
  description:
    'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
};
export const WEBHOOK_ACTIVE: SimRefusal = {
  status: 409,
  description:
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
};
export const NOT_MODIFIED = badRequest(
  'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
);

export const BAD_GATEWAY: SimAnswer = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body bgcolor="white">\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.12.2</center>\r\n</body>\r\n</html>',
};
export const RESTARTING = refused(
  { status: 500, description: 'Internal Server Error: restart' },
  false,
);
export const TOO_LARGE: SimAnswer = { status: 413, headers: { connection: 'close' }, body: '' };
