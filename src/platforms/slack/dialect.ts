// Slack's Web API as its clients know it: /api/<method>, the token in a header, parameters as a form or JSON. A no has
// status 200 and says so in its body: clients repeat every other status on their own, for half an hour.

import { NO_FILES } from '../../domain/body.ts';
import { provisionalId } from '../../domain/ids.ts';
import type { Dialect, LocatedCall, ValueAnswer } from '../dialect.ts';
import { dialectAnswers } from '../shared/dialect-answers.ts';
import { givenFields } from '../shared/given.ts';
import { asTabled } from '../shared/method-table.ts';
import { TABLE } from './calls.ts';
import { secretOf } from './credentials.ts';

const PATH = /^\/api\/([A-Za-z.]{1,200})(?:\?|$)/;
const BEARER = /^Bearer (\S{1,256})$/i;
const ERRORS: Readonly<Record<number, string>> = {
  ...{ 401: 'invalid_auth', 403: 'not_allowed', 404: 'unknown_method', 408: 'expired' },
  ...{ 409: 'conflict', 410: 'cancelled', 413: 'request_too_large', 502: 'failed' },
};
// Nothing was taken: it is right to repeat these.
const REPEATED = [429, 500, 503];
const NO_UPLOADS = 'files go to the address that files.getUploadURLExternal answers with';
const named = asTabled(TABLE);
const shown = (result: string | null) => ({ status: 200, body: result ?? '{"ok":true}' });

// A detail that is one of Slack's own words is the error itself.
function refused(status: number, detail: string): ValueAnswer {
  const known = ERRORS[status] ?? (status < 500 ? 'invalid_arguments' : 'internal_error');
  const error = /^[a-z_]{1,64}$/.test(detail) ? detail : known;
  const response_metadata = { messages: [`[ERROR] ${detail}`] };
  const body = JSON.stringify({ ok: false, error, response_metadata });
  return { status: REPEATED.includes(status) ? status : 200, body };
}

function located(credential: string, asked: string): LocatedCall | null {
  const method = named(asked);
  return TABLE.name.test(method) ? { kind: 'call', credential, method, params: {} } : null;
}

export const DIALECT: Dialect = {
  // Every method has a dot in its name.
  routes: [{ verbs: ['POST', 'GET'], url: '/api/:family.:name' }],
  own: /^\/api\/[A-Za-z]+\.[A-Za-z.]+(?:\?|$)/,
  headersPassed: ['x-oauth-scopes', 'x-accepted-oauth-scopes', 'x-slack-req-id'],
  locate({ url, headers }) {
    const credential = BEARER.exec(String(headers.authorization ?? ''))?.[1] ?? '';
    return located(credential, PATH.exec(url)?.[1] ?? '');
  },
  located,
  read({ method }, given) {
    // Clients say it in the header as well.
    const params = givenFields(given, ['token']);
    if (params === null) return { kind: 'refused', answer: refused(400, 'invalid_json') };
    if (given.files !== NO_FILES) return { kind: 'refused', answer: refused(400, NO_UPLOADS) };
    return { kind: 'call', method, params };
  },
  heldMs: () => 0,
  secretOf,
  ...dialectAnswers({
    refused,
    shown,
    later: (seconds) => ({ ...refused(429, 'ratelimited'), headers: { 'retry-after': seconds } }),
    provisional({ family, chat: channel, about }, { text = '' }, seq) {
      if (family !== 'send' && family !== 'edit') return shown(null);
      const ts = family === 'send' ? String(provisionalId(seq)) : (about ?? '');
      const message = { type: 'message', text, ts };
      return shown(JSON.stringify({ ok: true, channel, ts, message }));
    },
  }),
};
