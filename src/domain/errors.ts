// The catalogue of what Sluice itself can refuse, and how it says so (RFC 9457, application/problem+json).
// A code is stable for ever: programs branch on it, docs/reference/errors.md is made from this table.
// `title` says what is the case, `remedy` what to do; the detail of one refusal comes from where it happened.

interface ErrorKind {
  readonly status: number;
  readonly title: string;
  readonly remedy: string;
}

export const ERRORS = {
  invalid_json: {
    status: 400,
    title: 'The request body is not valid JSON.',
    remedy: 'Send one JSON document, encoded as UTF-8; `detail` says where reading stopped.',
  },
  json_bounds: {
    status: 400,
    title: 'The JSON nests deeper, or holds more, than the gateway reads.',
    remedy:
      'Send at most 64 levels, 1000 members in an object, 100,000 items in an array and 200,000 values in ' +
      'all; `detail` says which bound was exceeded.',
  },
  invalid_message: {
    status: 422,
    title: 'The request is JSON, but not what this route takes.',
    remedy: 'Each entry of `problems` names the place (`path`) and what would be right there.',
  },
  invalid_query: {
    status: 422,
    title: 'A query parameter or path segment is unknown or has a wrong value.',
    remedy: 'Each entry of `problems` names the parameter and what would be right there.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The content type of the request body is not one this route reads.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  unknown_stream_shape: {
    status: 422,
    title: 'Nothing in the body of a stream is of a shape that is known.',
    remedy:
      '`detail` says what was seen and which shapes are known. A text that only looks like events or JSON is sent ' +
      'as `text/plain`; of another protocol, send the text of each event.',
  },
  too_large: {
    status: 413,
    title: 'The request body is larger than the gateway reads.',
    remedy: 'Send less at once, or raise `body_bytes_max`.',
  },
  batch_too_large: {
    status: 413,
    title: 'The batch holds more items than one request may carry.',
    remedy: 'Split it; the bound is `batch_max`.',
  },
  unauthorized: {
    status: 401,
    title: 'The request carries no key, or one that is not known.',
    remedy:
      'Send `Authorization: Bearer <key>`. The admin key is `SLUICE_ADMIN_KEY`, or the file ' +
      '`admin-key` in the data folder.',
  },
  forbidden_role: {
    status: 403,
    title: 'The key is known, but its role may not do this.',
    remedy: 'Use a key of the role that `detail` names; `sluice keys create` makes one.',
  },
  forbidden_scope: {
    status: 403,
    title: 'This is outside what the key or token is bound to, or is not there.',
    remedy:
      'A key bound to accounts, chats or methods reaches only those; where it searches, it has to name them ' +
      'in the query.',
  },
  csrf: {
    status: 403,
    title:
      'The request carries the cookie of the dashboard, but not the token that the dashboard sends along.',
    remedy: 'Send `X-CSRF-Token` with the `csrf` of `GET /v1/me`, or use a key instead.',
  },
  key_rate: {
    status: 429,
    title: 'The key has made as many calls in the last minute as it may.',
    remedy: 'Repeat after `Retry-After`, or have a key made with another rate.',
  },
  login_rate: {
    status: 429,
    title: 'Too many logins from this address failed.',
    remedy: 'Repeat after `Retry-After`. A right key is admitted at any time.',
  },
  sandbox_off: {
    status: 403,
    title: 'This is an account of the built-in simulator, which is switched off here.',
    remedy:
      'Use a real account, or set `sandbox` to on (SLUICE_SANDBOX=on); it is off by default off loopback.',
  },
  cross_site: {
    status: 403,
    title: 'A browser made this request for a page of another site.',
    remedy:
      'Open the dashboard itself, or call it from a program; other sites may only link to it.',
  },
  unknown_key: {
    status: 404,
    title: 'No valid key has this id.',
    remedy: 'Name one of `GET /v1/keys` that is neither revoked nor expired.',
  },
  keys_full: {
    status: 429,
    title: 'As many keys are valid as may be.',
    remedy: 'Revoke some that are no longer needed.',
  },
  wrong_webhook_secret: {
    status: 403,
    title: 'The webhook call does not carry the secret of this account.',
    remedy:
      'Calls must carry the secret that `GET /v1/accounts/:id/webhook` shows (`secret_token` of `setWebhook`), or be ' +
      'signed with `webhook_secret` of the account, as its platform does it. The account must be known.',
  },
  forbidden_host: {
    status: 403,
    title: 'The gateway does not answer to the name in `Host`, or not to pages of that `Origin`.',
    remedy:
      'Call it by the address it listens on, or add the name to `allowed_hosts`. The check keeps web ' +
      'pages of others from reaching a gateway on your machine.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing at this address.',
    remedy: 'Check the path against `/openapi.json`, or the id against the answer that gave it.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The route exists, but not with this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  unknown_platform: {
    status: 422,
    title: 'No such platform is served here.',
    remedy: 'Name one of the platforms in `detail`.',
  },
  unknown_account: {
    status: 404,
    title: 'No such account is known.',
    remedy:
      'Name an account of `GET /v1/accounts`, or give its full token once: Sluice asks the platform ' +
      'whose it is and keeps it sealed.',
  },
  account_refused: {
    status: 422,
    title: 'The platform does not accept this token.',
    remedy: 'Check the token for a slip, or have the platform issue a new one.',
  },
  token_rate: {
    status: 429,
    title: 'Too many unknown tokens are being asked about, or came from this address.',
    remedy:
      'Repeat after `Retry-After`. Tokens that are known here are not concerned; those that are configured are ' +
      'asked about first.',
  },
  account_configured: {
    status: 409,
    title: 'The account is in the configuration, and would be back with the next start.',
    remedy: 'Take it out of `accounts` in `sluice.yaml`, start again, and then remove it.',
  },
  frozen: {
    status: 409,
    title: 'The platform said to wait, and the wait is not over.',
    remedy:
      'Wait: a call before the time makes the wait longer, for a chat up to half a day. To try all the same, send ' +
      '`{"force": true}`.',
  },
  accounts_full: {
    status: 503,
    title: 'No further account can be registered.',
    remedy:
      'The gateway holds as many accounts as it may, and all of them are in use. Remove some ' +
      '(`sluice accounts remove`), raise `accounts_max`, or use another gateway for more.',
  },
  platform_unreachable: {
    status: 502,
    title: 'The platform could not be asked.',
    remedy: 'Repeat the request later. Deliveries that were accepted wait and need no repeating.',
  },
  queue_full: {
    status: 429,
    title:
      'The account, or all accounts together, have as many deliveries or bytes waiting as they may.',
    remedy:
      'Repeat after `Retry-After`, slow down, or raise the bound that `detail` names: `queue_max`, ' +
      '`queue_bytes_max`, `platform_queue_max` or `queue_bytes_total_max`. Nothing was accepted.',
  },
  updates_full: {
    status: 429,
    title: 'As many updates of this account wait for the app as may.',
    remedy: 'See why the app does not take them; the platform keeps new ones for a day meanwhile.',
  },
  invalid_recipients: {
    status: 422,
    title: 'The list of recipients cannot be read. Nothing was kept of it.',
    remedy: 'Each entry of `problems` names a line and what would be right there; send it again.',
  },
  too_many_recipients: {
    status: 413,
    title: 'The list holds more recipients than one audience may. Nothing was kept of it.',
    remedy: 'Split it; the bound is `recipients_max`.',
  },
  unknown_audience: {
    status: 404,
    title: 'No audience has this name.',
    remedy: 'Name one of `GET /v1/audiences`, or save it first with `PUT /v1/audiences/:name`.',
  },
  unknown_field: {
    status: 422,
    title: 'The message names a field that nobody in the audience has.',
    remedy: 'Check the spelling against `detail`, or give a default: `{{name|friend}}`.',
  },
  audiences_full: {
    status: 429,
    title: 'No further audience can be kept, or too many lists are being read at once.',
    remedy: 'Repeat after `Retry-After`, or delete audiences that are no longer needed.',
  },
  broadcasts_full: {
    status: 429,
    title: 'As many broadcasts run or are paused as may.',
    remedy: 'Wait for one to end, cancel one, or raise `broadcasts_max`.',
  },
  broadcast_over: {
    status: 409,
    title: 'The broadcast is over.',
    remedy: 'Look at `state`: what is done or cancelled cannot be paused, resumed or cancelled.',
  },
  unknown_source: {
    status: 404,
    title: 'No channel with this id is followed.',
    remedy: 'Name one of `GET /v1/ingest/sources`.',
  },
  reader_waits: {
    status: 429,
    title: 'The platform has asked the account that reads to wait.',
    remedy: 'Repeat after `Retry-After`; nothing is asked of the platform before.',
  },
  media_unavailable: {
    status: 502,
    title: 'The file of a post could not be had from its platform.',
    remedy: '`detail` says why: it is gone, too large, or the reader cannot read now.',
  },
  login_unavailable: {
    status: 409,
    title: 'No account logs in to this here: the settings have no credentials of an application.',
    remedy:
      'Set `mtproto_api_id` and `mtproto_api_hash` (SLUICE_MTPROTO_API_ID, SLUICE_MTPROTO_API_HASH), and start the ' +
      'gateway again; docs/use/ingest.md says where they come from.',
  },
  unknown_login: {
    status: 404,
    title: 'No such login is under way; it may have ended, or waited too long for an answer.',
    remedy: 'Begin again with `POST /v1/ingest/logins`.',
  },
  logins_full: {
    status: 429,
    title: 'As many logins are under way as may be.',
    remedy:
      'End some with `DELETE /v1/ingest/logins/:id`, or wait: who does not answer is given up.',
  },
  sources_full: {
    status: 429,
    title: 'As many channels are followed as may be.',
    remedy: 'Remove some that are no longer needed, or follow the others with another gateway.',
  },
  spool_full: {
    status: 429,
    title: 'The disk space for uploads is in use.',
    remedy:
      'Repeat after `Retry-After`: files go when their delivery does. Or raise `spool_bytes_max`. ' +
      'Nothing was accepted.',
  },
  unknown_stream: {
    status: 404,
    title: 'No such stream is known.',
    remedy:
      'Check the id against the answer that gave it. Ended streams are forgotten with retention.',
  },
  stream_ended: {
    status: 409,
    title: 'The stream has ended and takes no more text.',
    remedy: '`stream` says how it ended. Open a new one for what is still to be said.',
  },
  stream_too_long: {
    status: 413,
    title: 'The text of the stream would be longer than it may be.',
    remedy:
      'What was taken before stays. Finish this stream and go on in another, or raise `stream_units_max`.',
  },
  streams_full: {
    status: 429,
    title: 'As many streams are open as may be.',
    remedy: 'Finish or cancel some (`GET /v1/streams` lists them), or raise `streams_max`.',
  },
  too_many_waiting: {
    status: 429,
    title: 'Too many callers wait for a result at once.',
    remedy: 'Repeat later, or do not wait: take the id and look at it, or follow `/v1/events`.',
  },
  bodies_full: {
    status: 429,
    title: 'Too many large request bodies are being read at once.',
    remedy: 'Repeat after `Retry-After`. Nothing of the body was read.',
  },
  idempotency_conflict: {
    status: 409,
    title: 'The idempotency key was used before, with another content.',
    remedy:
      'Use a fresh key for a new message; repeat a message unchanged. `id` is the earlier one.',
  },
  illegal_move: {
    status: 409,
    title: 'The delivery is in a state from which this cannot be done.',
    remedy: 'Look at `state`: what is being sent or has ended cannot be cancelled or retried.',
  },
  no_body: {
    status: 409,
    title: 'The content of the delivery is no longer kept.',
    remedy: 'Send it anew, or give a `body` with PATCH /v1/dead/:id.',
  },
  damaged: {
    status: 409,
    title: 'The disk has changed what the store holds of this delivery; it is not sent.',
    remedy:
      'Send it anew as a message of its own. Check the disk: see "A message died of damaged".',
  },
  disk_full: {
    status: 503,
    title: 'The disk of the journal is full. Nothing was accepted.',
    remedy: 'Free space in the data folder; the gateway goes on by itself.',
  },
  journal_failed: {
    status: 503,
    title: 'The journal cannot be written. Nothing was accepted.',
    remedy: 'See the log for the cause (permissions, I/O errors); repeat the request later.',
  },
  not_owner: {
    status: 503,
    title: 'The account was taken over by another process. Nothing was accepted or changed.',
    remedy: 'Repeat the request in a moment.',
  },
  owner_silent: {
    status: 504,
    title: 'The node that has the account did not answer. The request may have been accepted.',
    remedy:
      'Repeat it with the same `Idempotency-Key`, so that it is accepted once, or look it up by its correlation id.',
  },
  shutting_down: {
    status: 503,
    title: 'The gateway is stopping.',
    remedy:
      'Repeat the request in a moment. A held call was withdrawn; what was accepted goes out later.',
  },
  internal: {
    status: 500,
    title: 'The gateway made a mistake.',
    remedy: 'The log has the cause under the same time. Please report it.',
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

// Where in the request, as a JSON pointer or a parameter's name, and what would be right. `detail`: if nothing would.
export interface Trouble {
  readonly path: string;
  readonly expected: string;
  readonly detail?: string;
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly [extra: string]: unknown;
}

export const PROBLEM_TYPE = 'application/problem+json';

export function problem(
  code: ErrorCode,
  detail: string,
  extra: Readonly<Record<string, unknown>> = {},
): Problem {
  const { status, title, remedy } = ERRORS[code];
  return {
    type: `urn:sluice:error:${code}`,
    title,
    status,
    detail: detail || remedy,
    code,
    ...extra,
  };
}
