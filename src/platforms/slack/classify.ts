// The only reader of what comes back from Slack: `{"ok":…}` with status 200, whatever was decided; 429 for a wait. The
// words of its errors are stable, and are the reasons as they are.

import { ACCOUNT_REFUSED, type Outcome } from '../../domain/outcome.ts';
import { scalarText } from '../../domain/scalar.ts';
import type { Reply } from '../../system/http/transport.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import { unanswered } from '../unanswered.ts';

type Params = Readonly<Record<string, unknown>>;

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
const GONE = ['message_not_found', 'cant_update_message', 'edit_window_closed', 'reference_lost'];

// The channel refuses the app, whatever it sends.
export const UNREACHABLE = ['channel_not_found', 'not_in_channel', 'is_archived'];
// The message is not there to be changed.
export const isGone = (reason: string) => GONE.includes(reason);

export function classify(method: string, reply: Reply): Outcome {
  if (reply.kind !== 'answered') return unanswered(reply);
  const { status, headers, body: result } = reply;
  const { ok, error, ts } = Object(jsonOrUndefined(result)) as Params;
  const said = typeof error === 'string' && /^[a-z_]{1,64}$/.test(error) ? error : null;
  if (status === 429 || (said !== null && LIMITED.includes(said))) {
    const seconds = Number(headers['retry-after'] ?? RETRY_AFTER_S_DEFAULT);
    const retryAfterMs = (seconds >= 0 ? seconds : RETRY_AFTER_S_DEFAULT) * 1000;
    // Of messages it is the channel's; of all else the method's, in the whole workspace.
    const scope = method === 'chat.postMessage' ? 'chat' : 'account';
    return { kind: 'limited', retryAfterMs, scope, result: '{"ok":false,"error":"ratelimited"}' };
  }
  if (ok === true) return { kind: 'sent', messageId: scalarText(ts) || null, result };
  const detail = said ?? `HTTP ${status}, not from Slack`;
  if (status >= 500 ? status !== 503 : said === null && status < 300) {
    return { kind: 'uncertain', reason: 'answer_unreadable', detail, status };
  }
  if (said === null || status === 503 || DOWN.includes(said)) {
    return {
      kind: 'failed',
      reason: said ?? 'not_slack',
      detail,
      hostDown: true,
      isAnswered: true,
    };
  }
  if (UNSURE.includes(said)) return { kind: 'uncertain', reason: said, detail };
  if (DONE[said] === method) return { kind: 'sent', messageId: null, result: '{"ok":true}' };
  const reason = OF_ACCOUNT.includes(said) ? ACCOUNT_REFUSED : said;
  return { kind: 'refused', reason, detail, result, cure: null };
}
