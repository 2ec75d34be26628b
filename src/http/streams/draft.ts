// A stream, opened as the message it begins with would be sent: the same accounts, addresses, options and refusals.

import { draft, type FromHeaders } from '../../accept/draft.ts';
import { plainOf } from '../../accept/permit.ts';
import { invalid } from '../../accept/problems.ts';
import type { Problem, Trouble } from '../../domain/errors.ts';
import { ownKey } from '../../domain/idempotency.ts';
import type { NewStream } from '../../streams/streams.ts';
import { assert } from '../../system/assert.ts';
import type { HttpParts, StreamOutput } from '../context.ts';
import type { StreamQueryRequest, StreamRequest } from './schema.ts';

// What the routes have, and live output with it.
export type StreamOptions = HttpParts & StreamOutput;

type Params = Readonly<Record<string, unknown>>;

export type DraftedStream =
  | { kind: 'drafted'; stream: NewStream }
  | { kind: 'refused'; problem: Problem };

// Stands for the text that is yet to come where a message must have one.
const TEXT_TO_COME = '…';
// What the stream itself says of its messages; a second word in `body` would only contradict it.
const OWN_PARAMS: Readonly<Record<string, string>> = {
  text: '`text`, or the changes that follow',
  parse_mode: '`format`',
  entities: '`format`',
};

export async function draftStream(
  options: StreamOptions,
  request: StreamRequest,
  headers: FromHeaders,
): Promise<DraftedStream> {
  const { to, text, format, transport, body = {}, idle, idempotencyKey, ...sendOptions } = request;
  const troubles = ownParams(body);
  if (troubles.length > 0) {
    return { kind: 'refused', problem: invalid('invalid_message', troubles) };
  }
  const message = { ...sendOptions, to, body: { ...body, text: TEXT_TO_COME } };
  const drafted = await draft(options, message, { ...headers, idempotencyKey: null });
  if (drafted.kind === 'refused') return drafted;
  const { account, platform, chat, thread, session } = drafted.delivery;
  if (options.platforms.get(platform)?.live === undefined) {
    const expected = `a platform that shows growing texts; ${platform} does not`;
    return {
      kind: 'refused',
      problem: invalid('invalid_message', [{ path: '/to/platform', expected }]),
    };
  }
  const { user, correlation, priority } = drafted.delivery;
  const key = idempotencyKey ?? headers.idempotencyKey;
  const hasOwnPriority = request.priority !== undefined || (headers.bounds ?? null) !== null;
  const urgency = { priority, ...(hasOwnPriority ? { hasOwnPriority } : null) };
  const who = { account, platform, chat, thread, session, user, correlation, ...urgency };
  return {
    kind: 'drafted',
    stream: {
      ...who,
      format: format ?? 'plain',
      transport: transport ?? null,
      params: sentParams(options, platform, body, headers),
      idleMs: idle === undefined ? options.idleMs : idle * 1000,
      holder: headers.holder,
      ...(key === null ? {} : { key: ownKey(headers.holder, key) }),
    },
  };
}

// As they were judged, where bounds apply.
function sentParams(
  { platforms }: StreamOptions,
  name: string,
  params: Params,
  { bounds = null }: FromHeaders,
): Params {
  if (bounds === null || !bounds.judgesCalls) return params;
  const plain = plainOf(platforms.get(name)!.calls, params);
  assert(plain.kind === 'plain', 'a draft with these parameters was permitted');
  return plain.params;
}

function ownParams(body: Params): Trouble[] {
  return Object.entries(OWN_PARAMS)
    .filter(([name]) => name in body)
    .map(([name, instead]) => ({ path: `/body/${name}`, expected: `nothing: use ${instead}` }));
}

export function requestOfQuery(query: StreamQueryRequest): StreamRequest {
  const { account, chat, platform, thread, idle, wait, ...rest } = query;
  const to = {
    account,
    chat,
    ...(platform === undefined ? {} : { platform }),
    ...(thread === undefined ? {} : { thread }),
  };
  return { to, ...rest, ...(idle === undefined ? {} : { idle: Number(idle) }) };
}

export function waitOfQuery({ wait }: StreamQueryRequest): number | boolean {
  if (wait === undefined || wait === 'false') return false;
  return wait === 'true' ? true : Number(wait);
}
