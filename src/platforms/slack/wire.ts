// The method is in the path, the token in a header, the parameters are a form, which every method takes. `{"ok":…}`
// comes with status 200, whatever was decided; the words of its errors are stable, and are the reasons as they are.

import { readBody, withoutExact, withoutReserved } from '../../domain/body.ts';
import { messageIdIn } from '../../domain/ids.ts';
import { ACCOUNT_REFUSED, type Outcome } from '../../domain/outcome.ts';
import { fieldsOf } from '../../domain/scalar.ts';
import type { HttpRequest, Reply } from '../../system/http/transport.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import type { OutgoingCall } from '../platform.ts';
import { identifiedBy, type Question } from '../sandbox.ts';
import { fieldsAsText } from '../shared/form.ts';
import { waitMsIn } from '../shared/retry-after.ts';
import { unanswered } from '../shared/unanswered.ts';
import { METHODS } from './calls.ts';
import { CREDENTIALS } from './credentials.ts';

const RETRY_AFTER_S_DEFAULT = 30;
const LIMITED = ['ratelimited', 'rate_limited', 'message_limit_exceeded'];
const OF_ACCOUNT = [
  ...['invalid_auth', 'not_authed', 'token_revoked', 'token_expired', 'account_inactive'],
  ...['org_login_required', 'team_access_not_granted'],
];
// Some of it may have been done before the error was raised, as the documents say.
const UNSURE = ['fatal_error', 'internal_error'];
const DOWN = ['service_unavailable', 'team_added_to_org', 'request_timeout'];
// What a repeated call meets whose first answer was lost.
const DONE: Readonly<Record<string, string>> = {
  message_not_found: 'chat.delete',
  already_reacted: 'reactions.add',
  no_reaction: 'reactions.remove',
};
// The message is not there to be changed.
export const GONE = ['message_not_found', 'cant_update_message', 'edit_window_closed'];
// The channel refuses the app, whatever it sends.
export const UNREACHABLE = ['channel_not_found', 'not_in_channel', 'is_archived'];

export function requestOf({ credential, method, body, deadlineMs }: OutgoingCall): HttpRequest {
  const params = withoutReserved(readBody(withoutExact(body)).params);
  // The thread of a change is for the order here: Slack finds the message by its ts.
  const isNew = (METHODS.get(method)?.family ?? 'send') === 'send';
  const fields = fieldsAsText(isNew ? params : { ...params, thread_ts: null });
  const form = new URLSearchParams(fields).toString();
  const type = 'application/x-www-form-urlencoded';
  const headers = { authorization: `Bearer ${credential}`, 'content-type': type };
  return { method: 'POST', path: `/api/${method}`, headers, body: form, deadlineMs };
}

// Whose token it is.
export function questionOf(credential: string): Question {
  const asked = { credential, method: 'auth.test', body: '{}', deadlineMs: 0 };
  return {
    refusal: `Authorization: Bearer takes ${CREDENTIALS.expected}; a token elsewhere is not read`,
    request: requestOf(asked),
    read: (reply) => identifiedBy(classify(asked.method, reply), CREDENTIALS.claimedId(credential)),
  };
}

export function classify(method: string, reply: Reply): Outcome {
  if (reply.kind !== 'answered') return unanswered(reply);
  const { status, headers, body: result } = reply;
  const { ok, error, ts } = fieldsOf(jsonOrUndefined(result));
  const said = typeof error === 'string' && /^[a-z_]{1,64}$/.test(error) ? error : null;
  if (status === 429 || (said !== null && LIMITED.includes(said))) {
    const retryAfterMs = waitMsIn(headers, RETRY_AFTER_S_DEFAULT);
    // Of messages it is the channel's; of all else the method's, in the whole workspace.
    const scope = method === 'chat.postMessage' ? 'chat' : 'account';
    return { kind: 'limited', retryAfterMs, scope, result: '{"ok":false,"error":"ratelimited"}' };
  }
  if (ok === true) return { kind: 'sent', messageId: messageIdIn(ts), result };
  const detail = said ?? `HTTP ${status}, not from Slack`;
  if (status >= 500 ? status !== 503 : said === null && status < 300) {
    return { kind: 'uncertain', reason: 'answer_unreadable', detail, status };
  }
  if (said === null || status === 503 || DOWN.includes(said)) {
    const reason = said ?? 'not_slack';
    return { kind: 'failed', reason, detail, hostDown: true, isAnswered: true };
  }
  if (UNSURE.includes(said)) return { kind: 'uncertain', reason: said, detail };
  if (DONE[said] === method) return { kind: 'sent', messageId: null, result: '{"ok":true}' };
  const reason = OF_ACCOUNT.includes(said) ? ACCOUNT_REFUSED : said;
  return { kind: 'refused', reason, detail, result, cure: null };
}
