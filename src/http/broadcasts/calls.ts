// What may be asked of broadcasts, over HTTP and in process alike: checked at the wall, answered with a view or a
// problem. An audience that was made for a broadcast which is then refused is dropped again.

import type { Readable } from 'node:stream';
import { YEAR_S } from '../../accept/context.ts';
import { type FromHeaders, platformFor } from '../../accept/draft.ts';
import { identityProblem, invalid } from '../../accept/problems.ts';
import { readTime } from '../../accept/time.ts';
import { troublesOf } from '../../accept/trouble.ts';
import type {
  AudienceDraft,
  Broadcasting,
  BroadcastRequest,
  Made,
  RequestReading,
} from '../../broadcast/broadcast.ts';
import { type Problem, problem, type Trouble } from '../../domain/errors.ts';
import { ownKey } from '../../domain/idempotency.ts';
import type { ListFormat } from '../../domain/recipient-list.ts';
import type { Platform } from '../../platforms/platform.ts';
import { unreachable } from '../../system/assert.ts';
import type { HttpParts } from '../context.ts';
import { badLines, fillFrom } from './audience-fill.ts';
import { type BroadcastOrder, checkBroadcast } from './schema.ts';
import { type ShownBroadcast, showBroadcast } from './view.ts';

export type BroadcastOptions = HttpParts & { readonly broadcasts: Broadcasting };
// A list that comes beside the order, not in it.
export type List = { readonly source: Readable; readonly format: ListFormat };

// Of a message with its fields open: it is filled for everyone.
const TEMPLATE_CHARS_MAX = 65_536;

export async function makeBroadcast(
  options: BroadcastOptions,
  order: unknown,
  headers: FromHeaders,
  filled: AudienceDraft | null = null,
): Promise<ShownBroadcast | Problem> {
  let isTaken = false;
  try {
    const made = await make(options, order, headers, filled);
    isTaken = !('code' in made) && made.repeated === undefined;
    return made;
  } finally {
    if (!isTaken) await filled?.drop();
  }
}

async function make(
  options: BroadcastOptions,
  order: unknown,
  headers: FromHeaders,
  filled: AudienceDraft | null,
): Promise<ShownBroadcast | Problem> {
  if (!checkBroadcast.Check(order)) {
    return invalid('invalid_message', troublesOf(checkBroadcast, order));
  }
  const trouble = troubleOf(order, filled !== null);
  if (trouble !== null) return invalid('invalid_message', [trouble]);
  const { to } = order;
  const platform = platformFor(options, to);
  if ('code' in platform) return platform;
  const body = bodyOf(options.broadcasts.reading, platform, order);
  if ('path' in body) return invalid('invalid_message', [body]);
  const identity = await options.accounts.resolve(platform.name, String(to.account));
  if (identity.kind !== 'known') return identityProblem(identity);
  const now = options.clock.now();
  const notBefore = order.notBefore === undefined ? 0 : readTime(order.notBefore);
  if (notBefore === null || notBefore > now + YEAR_S * 1000) {
    const expected = 'a time (ISO 8601, or ms since the epoch) within a year';
    return invalid('invalid_message', [{ path: '/notBefore', expected }]);
  }
  const audience = await audienceOf(options, order, filled);
  if ('code' in audience) return audience;
  const key = order.idempotencyKey ?? headers.idempotencyKey;
  const made = await createOrDrop(options, audience, {
    account: identity.id,
    platform: platform.name,
    audience,
    name: order.name ?? null,
    correlation: order.correlation ?? headers.correlation,
    method: order.method ?? platform.calls.textMethod,
    body: body.params,
    priority: order.priority ?? 'low',
    // By the wall clock, which may have been set since ours was made.
    notBefore: notBefore > now + (options.clock.stepMs?.() ?? 0) ? notBefore : 0,
    key: key === null ? null : ownKey(headers.holder, key),
  });
  return answerOf(made, order);
}

async function createOrDrop(
  { broadcasts }: BroadcastOptions,
  audience: Audience,
  request: BroadcastRequest,
): Promise<Made> {
  let isTaken = false;
  try {
    const made = await broadcasts.create(request);
    isTaken = made.kind === 'created';
    return made;
  } finally {
    if (!isTaken && audience.kind === 'own') await audience.draft.drop();
  }
}

function troubleOf(order: BroadcastOrder, hasList: boolean) {
  const given = [order.chats, order.recipients, order.audience].filter(Boolean).length;
  if (given + (hasList ? 1 : 0) !== 1) {
    return { path: '/', expected: 'one of `chats`, `recipients`, `audience`, or a list beside it' };
  }
  return null;
}

type Body = { readonly params: Readonly<Record<string, unknown>> };

function bodyOf(
  reading: RequestReading,
  { calls }: Platform,
  { text, body }: BroadcastOrder,
): Body | Trouble {
  if (text === undefined && body === undefined) {
    return { path: '/body', expected: 'the parameters, or a `text`' };
  }
  const own = text === undefined ? {} : reading.text(text, (words) => calls.textParams(words));
  const params = { ...own, ...body };
  if (JSON.stringify(params).length <= TEMPLATE_CHARS_MAX) return { params };
  return { path: '/body', expected: `at most ${TEMPLATE_CHARS_MAX} characters of JSON` };
}

type Audience = BroadcastRequest['audience'];

async function audienceOf(
  options: BroadcastOptions,
  order: BroadcastOrder,
  filled: AudienceDraft | null,
): Promise<Audience | Problem> {
  if (order.audience !== undefined) return { kind: 'named', name: order.audience };
  if (filled !== null) return { kind: 'own', draft: filled };
  const given = order.recipients ?? order.chats!.map((chat) => ({ chat }));
  const members = given.map((one, i) =>
    options.broadcasts.reading.recipient(
      one.chat,
      'fields' in one ? (one.fields ?? {}) : {},
      i + 1,
    ),
  );
  const bad = members.filter((member) => 'line' in member);
  if (bad.length > 0) return badLines(bad.slice(0, 20), bad.length);
  const draft = await options.broadcasts.openAudience(null);
  if (draft === null) return problem('audiences_full', '');
  const added = await draft.add(members.filter((member) => 'chat' in member));
  if (added === 'added') return { kind: 'own', draft };
  await draft.drop();
  return problem('too_many_recipients', '');
}

function answerOf(made: Made, order: BroadcastOrder): ShownBroadcast | Problem {
  switch (made.kind) {
    case 'created':
      return showBroadcast(made.view);
    case 'repeated':
      return { ...showBroadcast(made.view), repeated: true };
    case 'conflict':
      return problem('idempotency_conflict', '', { id: made.id });
    case 'full':
      return problem('broadcasts_full', `${made.liveMax} run or are paused.`);
    case 'no_audience':
      return problem('unknown_audience', `No audience is called ${order.audience}.`);
    case 'unknown_fields': {
      const known = made.known.length === 0 ? 'none' : made.known.join(', ');
      return problem('unknown_field', `${made.fields.join(', ')}; the audience has: ${known}.`);
    }
    case 'invalid':
      return invalid('invalid_message', [{ path: '/body', expected: made.detail }]);
    default:
      return unreachable(made);
  }
}

// A list made into an audience of its own, or why it could not be.
export async function draftFrom(
  options: BroadcastOptions,
  name: string | null,
  { source, format }: List,
): Promise<AudienceDraft | Problem> {
  const draft = await options.broadcasts.openAudience(name);
  if (draft === null) {
    source.resume();
    return problem('audiences_full', '');
  }
  try {
    const refusal = await fillFrom(options.broadcasts.reading, draft, source, format);
    if (refusal === null) return draft;
    await draft.drop();
    return refusal;
  } catch (error) {
    await draft.drop();
    throw error;
  }
}

export async function steerBroadcast(
  options: BroadcastOptions,
  id: string,
  to: 'running' | 'paused' | 'cancelled',
): Promise<ShownBroadcast | Problem> {
  const steered = await options.broadcasts.steer(id, to);
  switch (steered.kind) {
    case 'steered':
      return showBroadcast(steered.view);
    case 'unknown':
      return noBroadcast();
    case 'illegal':
      return problem('broadcast_over', `The broadcast is ${steered.state}.`, {
        state: steered.state,
      });
    default:
      return unreachable(steered);
  }
}

export async function findBroadcast(
  options: BroadcastOptions,
  id: string,
): Promise<ShownBroadcast | Problem> {
  const view = await options.broadcasts.get(id);
  return view === null ? noBroadcast() : showBroadcast(view);
}

export function noBroadcast(): Problem {
  return problem('not_found', 'No such broadcast: it never was, or retention has removed it.');
}
