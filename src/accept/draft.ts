// A message of the REST API, checked and made into a delivery: who sends (account), what (platform.describe),
// where (platform.address) and how (send options). Answers without a promise when the account is known, because
// this is the hot path.

import type { Identity } from '../accounts/accounts.ts';
import { bodyOf, NO_FILES } from '../domain/body.ts';
import { COSMETIC_FAMILIES, type DescribedCall } from '../domain/call.ts';
import { laneOf, type NewDelivery } from '../domain/delivery.ts';
import { type Problem, problem, type Trouble } from '../domain/errors.ts';
import { ownKey } from '../domain/idempotency.ts';
import type { AccountId } from '../domain/ids.ts';
import {
  OUTPUT_CLASSES,
  type OutputClasses,
  type Priority,
  priorityOf,
} from '../domain/priority.ts';
import type { Bounds } from '../keys/keys.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Clock } from '../system/clock.ts';
import { answerableUntil } from './answerable.ts';
import { type AcceptContext, COSMETIC_TTL_MS, YEAR_S } from './context.ts';
import { OUTSIDE, type Permit, permitted } from './permit.ts';
import { identityProblem, invalid, tooOften } from './problems.ts';
import type { MessageRequest, TargetRequest } from './schema.ts';
import { readTime } from './time.ts';

type Params = Readonly<Record<string, unknown>>;

export type Drafted =
  | { kind: 'drafted'; delivery: NewDelivery }
  | { kind: 'refused'; problem: Problem };

// What the request's headers say, where the body does not.
export interface FromHeaders {
  readonly correlation: string | null;
  readonly idempotencyKey: string | null;
  // What the key is bound to that it was sent with; left out or null: nothing.
  readonly bounds?: Bounds | null;
  // Whose idempotency keys they are.
  readonly holder: string;
}

export function draft(
  options: AcceptContext,
  request: MessageRequest,
  headers: FromHeaders,
): Drafted | Promise<Drafted> {
  const platform = platformFor(options, request.to);
  if ('code' in platform) return { kind: 'refused', problem: platform };
  const waitMs = headers.bounds?.takeMs(options.clock.now()) ?? 0;
  if (typeof waitMs === 'number') return draftWithin(options, platform, waitMs, request, headers);
  // In a fleet another node may count it.
  return waitMs.then((ms) => draftWithin(options, platform, ms, request, headers));
}

function draftWithin(
  options: AcceptContext,
  platform: Platform,
  waitMs: number,
  request: MessageRequest,
  headers: FromHeaders,
): Drafted | Promise<Drafted> {
  if (waitMs > 0) return { kind: 'refused', problem: tooOften(waitMs) };
  const outside = outsideBounds(options, platform.name, request.to, headers);
  if (outside !== null) return { kind: 'refused', problem: outside };
  const identity = options.accounts.resolve(platform.name, String(request.to.account));
  if (identity instanceof Promise) {
    return identity.then((known) => draftFor(options, platform, known, request, headers));
  }
  return draftFor(options, platform, identity, request, headers);
}

// Checked before the account is looked up: a key must not learn which accounts exist outside its bounds.
function outsideBounds(
  options: AcceptContext,
  platform: string,
  to: TargetRequest,
  { bounds = null }: FromHeaders,
): Problem | null {
  if (bounds === null) return null;
  const name = String(to.account);
  return bounds.mayUse(options.accounts.claimed(platform, name))
    ? null
    : problem('forbidden_scope', '');
}

export function platformFor(
  options: AcceptContext,
  to: Pick<TargetRequest, 'account' | 'platform'>,
): Platform | Problem {
  const account = String(to.account);
  const colon = account.indexOf(':');
  const name = to.platform ?? (colon > 0 ? account.slice(0, colon) : '');
  const platform = options.platforms.get(name);
  if (platform !== undefined) return platform;
  const known = [...options.platforms.keys()].join(', ');
  if (to.platform === undefined) {
    return invalid('invalid_message', [{ path: '/to/platform', expected: `one of ${known}` }]);
  }
  return problem('unknown_platform', `Known here: ${known}.`);
}

// A text in the platform's own form, and the parameters that the request names. null: it has neither.
export function paramsOf(
  platform: Platform,
  { text, body }: Pick<MessageRequest, 'text' | 'body'>,
): Params | null {
  if (text === undefined) return body ?? null;
  return { ...platform.calls.textParams(text), ...body };
}

// A text cut into as many messages as the platform needs, as streams are.
export function textParts({ calls, live }: Platform, text: string): readonly Params[] {
  const parts = live?.render(text, 'plain', true) ?? [];
  if (parts.length < 2) return [calls.textParams(text)];
  return parts.map((part) => ({ ...calls.textParams(''), ...part }));
}

function draftFor(
  options: AcceptContext,
  platform: Platform,
  identity: Identity,
  request: MessageRequest,
  headers: FromHeaders,
): Drafted {
  if (identity.kind !== 'known') return { kind: 'refused', problem: identityProblem(identity) };
  const now = options.clock.now();
  const { to, method = platform.calls.textMethod } = request;
  const given = paramsOf(platform, request);
  if (given === null) return wrong({ path: '/body', expected: 'the parameters, or a `text`' });
  const addressed = platform.calls.address(given, {
    chat: String(to.chat),
    thread: to.thread === undefined ? null : String(to.thread),
  });
  const { bounds = null } = headers;
  const permit =
    bounds === null ? null : judged(platform, bounds, identity.id, { method, params: addressed });
  if (permit?.kind === 'refused') {
    return { kind: 'refused', problem: problem('forbidden_scope', permit.detail) };
  }
  const params = permit === null ? addressed : permit.params;
  const call = platform.calls.describe(method, params);
  if (call.kind === 'invalid') return wrong({ path: '/body', expected: call.detail });
  if (call.kind === 'pass') {
    return wrong({ path: '/method', expected: `a method that sends; ${call.method} does not` });
  }
  const sendOptions = sendOptionsOf(request, headers, now, options.clock);
  if ('path' in sendOptions) return wrong(sendOptions);
  const { id: account } = identity;
  const answer = answering(options, account, inItsThread(options, account, call), params);
  const body = bodyOf(params, NO_FILES);
  const user = userFor(options, account, platform, call, params);
  const classes = options.settings.classesOf?.(account) ?? OUTPUT_CLASSES;
  const from = { account, platform: platform.name, call: answer, user, body, classes };
  const delivery = compose(now, from, sendOptions);
  if ('path' in delivery) return wrong(delivery);
  return { kind: 'drafted', delivery: bounds === null ? delivery : lowered(delivery, bounds) };
}

function judged(
  platform: Platform,
  bounds: Bounds,
  account: AccountId,
  call: { method: string; params: Params },
): Permit {
  return bounds.mayUse(account) ? permitted(platform.calls, bounds, call) : OUTSIDE;
}

export function lowered(delivery: NewDelivery, bounds: Bounds): NewDelivery {
  const priority = bounds.lowered(delivery.priority);
  // Observers must not reach what the key may not.
  return bounds.isNarrow ? { ...delivery, priority, isBounded: true } : { ...delivery, priority };
}

function wrong(trouble: Trouble): Drafted {
  return { kind: 'refused', problem: invalid('invalid_message', [trouble]) };
}

function sendOptionsOf(
  request: MessageRequest,
  headers: FromHeaders,
  now: number,
  clock: Clock,
): SendOptions | Trouble {
  const { holder, bounds = null } = headers;
  const key = request.idempotencyKey ?? headers.idempotencyKey;
  const asked = request.notBefore === undefined ? 0 : readTime(request.notBefore);
  // Its caller means the wall clock, which may have been set since ours was made.
  const notBefore = asked === null || asked === 0 ? asked : asked - (clock.stepMs?.() ?? 0);
  if (notBefore === null || notBefore > now + YEAR_S * 1000) {
    return {
      path: '/notBefore',
      expected: 'a time (ISO 8601, or ms since the epoch) within a year',
    };
  }
  return {
    priority: request.priority ?? null,
    isNotice: request.notice ?? false,
    session: request.session ?? null,
    user: request.user === undefined ? null : String(request.user),
    correlation: request.correlation ?? headers.correlation,
    coalesce: request.coalesce ?? null,
    final: request.final ?? false,
    ttlMs: request.ttl === undefined ? null : request.ttl * 1000,
    notBefore: notBefore > now ? notBefore : 0,
    idempotencyKey: key === null ? null : ownKey(holder, key),
    // A key with bounds replaces nothing that others wait to send.
    owner: bounds?.isNarrow ? holder : '',
    held: false,
  };
}

// A described call and the caller's options, made into the delivery that goes to the journal.
// Pure; both the REST routes and the drop-in dialects end here, so an option means the same everywhere.

export interface SendOptions {
  // null: by what kind of output it is.
  readonly priority: Priority | null;
  // A notice of the system, not output for a person.
  readonly isNotice: boolean;
  readonly session: string | null;
  readonly user: string | null;
  readonly correlation: string | null;
  // null: as the platform says.
  readonly coalesce: string | boolean | null;
  readonly final: boolean;
  // null: never expires.
  readonly ttlMs: number | null;
  // 0: at once.
  readonly notBefore: number;
  // As it is kept; see domain/idempotency.ts.
  readonly idempotencyKey: string | null;
  // Coalescing keys and sessions of one owner replace nothing of another's; '': of all who have no bounds.
  readonly owner: string;
  // The caller waits for the end.
  readonly held: boolean;
}

export const NO_SEND_OPTIONS: SendOptions = {
  priority: null,
  isNotice: false,
  session: null,
  user: null,
  correlation: null,
  coalesce: null,
  final: false,
  ttlMs: null,
  notBefore: 0,
  idempotencyKey: null,
  owner: '',
  held: false,
};

export function compose(
  now: number,
  from: {
    account: AccountId;
    platform: string;
    call: DescribedCall & { readonly priority?: Priority };
    // On whose behalf, where the caller does not say.
    user?: string | null;
    body: string;
    files?: readonly string[];
    // Left out: as they are where nobody sets them.
    classes?: OutputClasses;
  },
  sendOptions: SendOptions,
): NewDelivery | Trouble {
  const { call, classes = OUTPUT_CLASSES } = from;
  const slot = slotOf(call, sendOptions);
  if (slot === undefined) {
    return {
      path: '/coalesce',
      expected: 'a key: the call names neither a message to change nor a session',
    };
  }
  const { session, final, priority: asked } = sendOptions;
  // A text of a session that may still be replaced is a preview: live output.
  const live = session !== null && slot !== null && !final;
  const base = baseOf(classes, call.priority !== undefined, sendOptions);
  const step = final ? 'final' : live ? 'preview' : null;
  const expiresAt = expiryOf(now, call, sendOptions);
  if (expiresAt !== 0 && expiresAt <= sendOptions.notBefore) {
    return { path: '/ttl', expected: 'a time to live that ends after `notBefore`' };
  }
  const delivery: NewDelivery = {
    account: from.account,
    platform: from.platform,
    chat: call.chat,
    thread: call.thread,
    session,
    user: sendOptions.user ?? from.user ?? null,
    correlation: sendOptions.correlation,
    method: call.method,
    family: call.family,
    budget: call.budget,
    priority: step === null ? (asked ?? base) : priorityOf(classes, { asked, base, step }),
    cost: call.cost,
    live,
    final,
    slot,
    notBefore: sendOptions.notBefore,
    expiresAt,
    acceptedAt: now,
    idempotencyKey: sendOptions.idempotencyKey,
    held: sendOptions.held && sendOptions.idempotencyKey === null,
    body: from.body,
  };
  return from.files === undefined ? delivery : { ...delivery, files: from.files };
}

function baseOf(classes: OutputClasses, isAnswer: boolean, { isNotice }: SendOptions): Priority {
  if (isNotice) return classes.notice;
  return isAnswer ? classes.answer : classes.message;
}

export function classesFor(
  { settings }: Pick<AcceptContext, 'settings'>,
  account: AccountId,
): { classes?: OutputClasses } {
  return settings.classesOf === undefined ? {} : { classes: settings.classesOf(account) };
}

// Slots are per account in the journal: a caller's key counts within its chat and lane.
// undefined: coalescing was asked for, and there is nothing to coalesce by.
function slotOf(call: DescribedCall, sendOptions: SendOptions): string | null | undefined {
  const { coalesce, session, owner } = sendOptions;
  if (coalesce === null) return call.slot;
  if (coalesce === false) return null;
  if (coalesce === true && call.slot !== null) return call.slot;
  const lane = laneOf({ session, thread: call.thread, family: call.family });
  const chat = unambiguous(call.chat);
  const own = owner === '' ? '' : `:${owner}`;
  if (coalesce === true) return session === null ? undefined : `session${own}:${chat}:${lane}`;
  return `key${own}:${chat}:${lane}:${coalesce}`;
}

// A colon ends the chat's name, so that no session's name can continue it.
function unambiguous(chat: string): string {
  return chat.includes(':') || chat.includes('%')
    ? chat.replaceAll('%', '%25').replaceAll(':', '%3A')
    : chat;
}

function expiryOf(now: number, call: DescribedCall, sendOptions: SendOptions): number {
  const askedAt = sendOptions.ttlMs === null ? 0 : now + sendOptions.ttlMs;
  if (call.answers !== undefined) {
    const overAt = answerableUntil(now, call.answers);
    return askedAt === 0 ? overAt : Math.min(askedAt, overAt);
  }
  if (askedAt !== 0) return askedAt;
  if (!COSMETIC_FAMILIES.includes(call.family)) return 0;
  return Math.max(now, sendOptions.notBefore) + COSMETIC_TTL_MS;
}

// A call that changes a message belongs where the message stands.
export function inItsThread(
  { road }: Pick<AcceptContext, 'road'>,
  account: AccountId,
  call: DescribedCall,
): DescribedCall {
  if (call.thread !== null || (call.about ?? null) === null) return call;
  const thread = road.threadOf(account, call.chat, call.about!);
  return thread === null ? call : { ...call, thread };
}

// On whose behalf a call is, where the caller does not say: the person of a private chat, else the author it replies
// to.
export function userFor(
  { road, updates }: Pick<AcceptContext, 'road' | 'updates'>,
  account: AccountId,
  platform: Pick<Platform, 'calls'>,
  { chat }: DescribedCall,
  params: Params,
): string | null {
  if (!road.pacesUsers(account)) return null;
  const person = platform.calls.personIn?.(chat) ?? null;
  return person ?? updates?.authorOf(account, { chat, params }) ?? null;
}

// Whether a call answers somebody, by the updates seen: that decides which budget it spends and its priority. A
// priority that the caller gave wins; see `compose`.

export function answering(
  { updates }: Pick<AcceptContext, 'updates'>,
  account: AccountId,
  call: DescribedCall,
  params: Readonly<Record<string, unknown>>,
): DescribedCall & { readonly priority?: Priority } {
  if (updates === undefined || !updates.seen.has(account)) return call;
  const asked = { chat: call.chat, family: call.family, budget: call.budget, params };
  const budget = updates.budgetFor(account, asked);
  const priority = updates.priorityFor(account, asked);
  if (priority !== null) return { ...call, budget, priority };
  return budget === call.budget ? call : { ...call, budget };
}
