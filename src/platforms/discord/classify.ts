// The only reader of what comes back from Discord: a reply in, an outcome out. Its own answers are JSON and have a
// `Via`; what has neither is from a front before it, and may quote our URL: it is not quoted. What the headers say of
// the bucket goes with every outcome. A 5xx may come after the deed, so it is `uncertain`; messages carry a nonce, so
// that is no loss.

import { messageIdIn } from '../../domain/ids.ts';
import { ACCOUNT_REFUSED, type ObservedBucket, type Outcome } from '../../domain/outcome.ts';
import type { Reply } from '../../system/http/transport.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import { secondsOf } from '../shared/retry-after.ts';
import { unanswered } from '../shared/unanswered.ts';
import { NOT_ASKED } from './invalid-requests.ts';
import { ALREADY_DONE, BY_CODE, type DiscordReason, DONE_BEFORE } from './reasons.ts';
import { routeOf } from './routes.ts';

const DETAIL_CHARS_MAX = 500;
// A wait that is not named.
const RETRY_AFTER_MS_DEFAULT = 5000;
const RETRY_AFTER_MS_MIN = 50;

type Answered = Extract<Reply, { kind: 'answered' }>;

interface DiscordError {
  readonly message: string;
  readonly code: number;
  readonly retryAfterS: number | null;
  readonly isGlobal: boolean;
}

export function classify(method: string, reply: Reply, isRepeat = false): Outcome {
  if (reply.kind !== 'answered') return unanswered(reply);
  const observed = observedIn(reply.headers);
  const outcome = ofAnswer(method, reply, isRepeat);
  return observed === null ? outcome : { ...outcome, observed };
}

function ofAnswer(method: string, reply: Answered, isRepeat: boolean): Outcome {
  const { status, body } = reply;
  if (status >= 200 && status < 300) return ofSuccess(reply);
  const error = errorIn(body);
  if (status === 429) return limited(reply, error);
  if (status >= 500) return broken(status, error);
  if (error === null) {
    return { ...failed('not_discord', `HTTP ${status}, not from Discord`, true), isAnswered: true };
  }
  const done = isRepeat ? DONE_BEFORE : ALREADY_DONE;
  if (done[error.code]?.includes(method) === true) {
    return { kind: 'sent', messageId: null, result: '' };
  }
  const isAsked = reply.headers['x-sluice-asked'] !== NOT_ASKED['x-sluice-asked'];
  const code = error.code === 0 ? '' : ` (${error.code})`;
  const detail = `${status} ${error.message}${code}${isAsked ? '' : '; not asked again for now'}`;
  const reason = isAsked ? reasonFor(method, status, error) : 'channel_refused';
  const refused = { kind: 'refused' as const, reason, detail: cut(detail), result: body };
  return { ...refused, cure: null, ...(isAsked ? null : { isUnasked: true }) };
}

function ofSuccess({ status, body }: Answered): Outcome {
  if (status === 204 || body === '') return { kind: 'sent', messageId: null, result: '' };
  const said = jsonOrUndefined(body);
  if (typeof said !== 'object' || said === null) {
    return uncertain('answer_unreadable', `HTTP ${status}, not an answer of Discord`);
  }
  const { id } = said as { id?: unknown };
  return { kind: 'sent', messageId: messageIdIn(id), result: body };
}

function reasonFor(method: string, status: number, { code }: DiscordError): DiscordReason {
  const known = BY_CODE.get(code);
  if (known !== undefined) return known;
  // Its own token was wrong, whoever has spoken.
  if (status === 401 && routeOf(method)?.kind === 'interaction') return 'interaction_expired';
  switch (status) {
    case 401:
      return ACCOUNT_REFUSED;
    case 403:
      return 'forbidden';
    case 404:
      return 'not_found';
    case 413:
      return 'too_large';
    default:
      return 'bad_request';
  }
}

// `user`: this bucket; `shared`: the resource, whoever calls; `global`, and a front's ban: everything.
function limited({ headers, body }: Answered, error: DiscordError | null): Outcome {
  const seconds = error?.retryAfterS ?? secondsOf(headers['retry-after']);
  const waitMs = seconds === null ? RETRY_AFTER_MS_DEFAULT : Math.ceil(seconds * 1000);
  const retryAfterMs = Math.max(RETRY_AFTER_MS_MIN, waitMs);
  const scope = headers['x-ratelimit-scope'];
  const isAll = error === null || error.isGlobal || scope === 'global';
  return {
    kind: 'limited',
    retryAfterMs,
    scope: isAll ? 'account' : scope === 'shared' ? 'chat' : 'family',
    result: error === null ? limitedBody(retryAfterMs) : body,
  };
}

function limitedBody(waitMs: number): string {
  const message = 'You are being rate limited.';
  return JSON.stringify({ message, retry_after: waitMs / 1000, global: true });
}

function broken(status: number, error: DiscordError | null): Outcome {
  const detail = error === null ? `HTTP ${status}, not from Discord` : `${status} ${error.message}`;
  if (status === 503) return { ...failed('overloaded', detail, true), isAnswered: true, status };
  return { ...uncertain('upstream_broken', detail), status };
}

// null: the answer says nothing of it.
function observedIn(headers: Answered['headers']): ObservedBucket | null {
  const limit = secondsOf(headers['x-ratelimit-limit']);
  const remaining = secondsOf(headers['x-ratelimit-remaining']);
  const after = secondsOf(headers['x-ratelimit-reset-after']);
  if (limit === null || remaining === null || after === null) return null;
  return { limit, remaining, resetAfterMs: Math.ceil(after * 1000) };
}

// null: not an error of Discord's.
function errorIn(body: string): DiscordError | null {
  const said = jsonOrUndefined(body);
  if (typeof said !== 'object' || said === null) return null;
  const { message, code, retry_after: wait, global } = said as Record<string, unknown>;
  if (typeof message !== 'string') return null;
  return {
    message,
    code: typeof code === 'number' ? code : 0,
    retryAfterS: secondsOf(wait),
    isGlobal: global === true,
  };
}

function failed(reason: DiscordReason, detail: string, hostDown: boolean) {
  return { kind: 'failed' as const, reason, detail: cut(detail), hostDown };
}

function uncertain(reason: DiscordReason, detail: string) {
  return { kind: 'uncertain' as const, reason, detail: cut(detail) };
}

const cut = (detail: string) => detail.slice(0, DETAIL_CHARS_MAX);
