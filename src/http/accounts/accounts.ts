// /v1/accounts and /v1/limits: what is known of each account and chat, and the operator's pause. An account may have
// talked to any number of chats, so limits are told in pages.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { invalid } from '../../accept/problems.ts';
import { checkLimitsQuery, LimitsQuery, type LimitsRequest } from '../../accept/schema.ts';
import { showTimeOrNull } from '../../accept/time.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { type AccountId, parseAccountId } from '../../domain/ids.ts';
import type { AccountView, LimitsView } from '../../road/road.ts';
import { ADMIN_ACTS, ADMIN_READS, operator, viewer } from '../auth/access.ts';
import type { HttpParts } from '../context.ts';
import { readOthersInTurn } from '../fleet/others.ts';
import { count, SAMPLE, text, timeOrNull } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import { group, type Route } from '../route.ts';
import { ADD } from './adding.ts';
import { FREEZE, THAW } from './freezing.ts';
import { SET, SHOW_SETTINGS } from './limit-settings.ts';
import { PROBE } from './probing.ts';
import { resumedInWords } from './resumed.ts';

const LIMITS_SHOWN_MAX = 1000;
// Looking at all chats takes a while: at most so many are looked at, and whoever asks within this time sees the same.
const LIMITS_LOOKED_MAX = 20_000;
const SEEN_MS_MAX = 1000;

interface ById {
  Params: { id: string };
}

interface AccountPorts {
  readonly options: HttpParts;
  readonly seen: Seen;
}

export const Breaker = Type.Object({
  state: Type.Enum(['closed', 'open', 'half_open']),
  until: timeOrNull,
  cause: text,
  detail: Type.String({ description: 'What was really met, in words' }),
});
export const Account = Type.Object({
  id: text,
  platform: text,
  paused: Type.Boolean(),
  refused: Type.Unsafe({ type: ['string', 'null'], description: 'Why the platform refuses it' }),
  breaker: Breaker,
  silentSince: {
    ...timeOrNull,
    description: 'Since when the platform answers none of its calls in flight; null: it does',
  },
  waiting: count,
  inFlight: count,
});
const Limit = Type.Object({
  account: text,
  chat: Type.String({ description: 'Empty: the account itself' }),
  rules: Type.Array(
    Type.Object({
      name: text,
      scope: text,
      says: Type.String({ description: 'The rule in words' }),
      used: count,
      count: Type.Number({ description: 'At most so many in any `perMs`' }),
      perMs: count,
      learned: Type.Number({ description: 'The share of it that is believed; 1: all' }),
      freeAt: timeOrNull,
    }),
  ),
  freezes: Type.Array(
    Type.Object({
      scope: text,
      method: Type.Optional(
        Type.String({ description: 'Of the scope `method`: its calls, which are passed through' }),
      ),
      since: timeOrNull,
      until: timeOrNull,
      cause: text,
    }),
  ),
});
const Paused = Type.Object({ id: text, paused: Type.Boolean() });
const Resumed = Type.Object({
  id: text,
  paused: Type.Boolean(),
  summary: Type.String({ description: 'What it did, and what still holds the account back' }),
});
const KnownPlatform = Type.Object({
  name: text,
  credential: Type.String({ description: 'How a token of it looks, in words' }),
});
const Removed = Type.Object({
  id: text,
  removed: Type.Boolean(),
  cancelled: Type.Integer({ description: 'Deliveries that waited; they are cancelled' }),
  inFlight: Type.Integer({ description: 'Calls that are still under way; they end as they do' }),
  tokens: Type.Integer({ description: 'Virtual tokens that were revoked' }),
  streams: count,
  broadcasts: count,
});
const Webhook = Type.Object({
  path: Type.String({ description: 'Where the platform is to post' }),
  secret: Type.String({ description: 'The `secret_token` to give to setWebhook' }),
  verifyToken: Type.Union([Type.String(), Type.Null()], {
    description: 'The platform is told it beside the address, where it asks for one',
  }),
  signingSecret: Type.String({ description: 'The app verifies with it what is posted to it' }),
  to: Type.String({ description: 'What becomes of an update' }),
  waiting: count,
});
const params = { id: SAMPLE.account };

const LIST: Route<AccountPorts> = {
  method: 'GET',
  url: '/v1/accounts',
  isWide: true,
  access: viewer('closed'),
  tag: 'accounts',
  summary: 'Accounts, their breakers and queues',
  answers: {
    200: Type.Object({
      accounts: Type.Array(Account),
      platforms: Type.Array(KnownPlatform, { description: 'Of which accounts can be added' }),
    }),
  },
  examples: { 'all of them': { status: 200 } },
  handler: async ({ options: { road, platforms } }) => ({
    accounts: road.accounts().map(showAccount),
    platforms: Array.from(platforms.values(), ({ name, credentials }) => ({
      name,
      credential: credentials.expected,
    })),
  }),
};

const PAUSE: Route<AccountPorts> = {
  method: 'POST',
  url: '/v1/accounts/:id/pause',
  owner: 'account',
  access: operator('account', 'path'),
  tag: 'accounts',
  summary: 'Send nothing more for this account',
  answers: { 200: Paused },
  examples: { 'one of them': { params, status: 200 } },
  handler: async ({ options: { road } }, { params }: FastifyRequest<ById>, reply) => {
    const id = parseAccountId(params.id);
    if (id === null || !(await road.pause(id))) return refuse(reply, 'unknown_account');
    return { id, paused: true };
  },
};

const RESUME: Route<AccountPorts> = {
  method: 'POST',
  url: '/v1/accounts/:id/resume',
  owner: 'account',
  access: operator('account', 'path'),
  tag: 'accounts',
  summary: 'Go on sending for this account',
  answers: { 200: Resumed },
  examples: { 'one of them': { params, status: 200 } },
  handler: async ({ options: { road } }, { params }: FastifyRequest<ById>, reply) => {
    const before = road.accounts().find(({ id }) => id === params.id);
    if (before === undefined || !(await road.resume(before.id))) {
      return refuse(reply, 'unknown_account');
    }
    return { id: before.id, paused: false, summary: resumedInWords(before) };
  },
};

const REMOVE: Route<AccountPorts> = {
  method: 'DELETE',
  url: '/v1/accounts/:id',
  owner: 'account',
  access: ADMIN_ACTS,
  tag: 'accounts',
  summary: 'Forget this account and its token',
  answers: { 200: Removed },
  examples: { 'one that nobody needs': { params: { id: SAMPLE.idleAccount }, status: 200 } },
  handler: ({ options }, request: FastifyRequest<ById>, reply) => remove(options, request, reply),
};

const WEBHOOK: Route<AccountPorts> = {
  method: 'GET',
  url: '/v1/accounts/:id/webhook',
  owner: 'account',
  // It shows a secret.
  access: ADMIN_READS,
  tag: 'accounts',
  summary: 'Where updates are to be posted, and the secret',
  answers: { 200: Webhook },
  examples: { 'one of them': { params, status: 200 } },
  handler: async ({ options }, { params }: FastifyRequest<ById>, reply) => {
    const id = parseAccountId(params.id);
    const webhook = id === null ? null : options.updates?.webhookOf(id);
    return webhook ?? refuse(reply, 'unknown_account');
  },
};

const LIMITS: Route<AccountPorts> = {
  method: 'GET',
  url: '/v1/limits',
  owner: 'query',
  isWide: true,
  access: viewer('query'),
  tag: 'accounts',
  summary: 'Budgets, learned rates and freezes',
  query: LimitsQuery,
  answers: {
    200: Type.Object({
      limits: Type.Array(Limit),
      total: count,
      more: Type.Integer({ description: 'Those after this page' }),
    }),
  },
  examples: {
    'what is frozen': { query: { frozen: 'true' }, status: 200 },
    'of one account': { query: { account: SAMPLE.account, limit: '5' }, status: 200 },
  },
  handler: async ({ options, seen }, request, reply) => showLimits(options, seen, request, reply),
};

export const ACCOUNT_ROUTES = group<AccountPorts>(
  [LIST, ADD, PAUSE, RESUME, PROBE, REMOVE, WEBHOOK, LIMITS, FREEZE, THAW, SHOW_SETTINGS, SET],
  ({ options }) => ({ options, seen: new Seen(options) }),
);

async function remove(
  { removeAccount }: HttpParts,
  { params, caller }: FastifyRequest<ById>,
  reply: FastifyReply,
) {
  const id = parseAccountId(params.id);
  const removed = (id === null ? null : await removeAccount?.(id, caller)) ?? { kind: 'unknown' };
  if (removed.kind === 'unknown') return refuse(reply, 'unknown_account');
  if (removed.kind === 'configured') return refuse(reply, 'account_configured');
  if (removed.kind === 'elsewhere') return refuse(reply, 'not_owner');
  const { kind: _kind, ...ended } = removed;
  return { id, removed: true, ...ended };
}

class Seen {
  readonly #options: Pick<HttpParts, 'clock' | 'road'>;
  // By account; null is all of them.
  readonly #limits = new Map<AccountId | null, readonly LimitsView[]>();
  #at = Number.NEGATIVE_INFINITY;

  constructor(options: Pick<HttpParts, 'clock' | 'road'>) {
    this.#options = options;
  }

  forget(): void {
    this.#at = Number.NEGATIVE_INFINITY;
  }

  limits(account: AccountId | null): readonly LimitsView[] {
    const { clock, road } = this.#options;
    const now = clock.now();
    if (now - this.#at >= SEEN_MS_MAX) {
      this.#limits.clear();
      this.#at = now;
    }
    const seen = this.#limits.get(account);
    if (seen !== undefined) return seen;
    const views = road.limits(account, LIMITS_LOOKED_MAX);
    if (views.length > 0) this.#limits.set(account, views);
    return views;
  }
}

async function showLimits(
  options: HttpParts,
  seen: Seen,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { query } = request;
  if (!checkLimitsQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkLimitsQuery, query)));
  }
  const now = options.clock.now();
  const account = query.account === undefined ? null : parseAccountId(query.account);
  const isNone = query.account !== undefined && account === null;
  const found = isNone ? [] : seen.limits(account).filter((view) => fits(view, query, now));
  const offset = Number(query.offset ?? 0);
  const limit = Math.min(LIMITS_SHOWN_MAX, Number(query.limit ?? LIMITS_SHOWN_MAX));
  const limits: ShownLimit[] = found.slice(offset, offset + limit).map(showLimit);
  let total = found.length;
  if (account === null && !isNone) {
    // This node's come first, then those of each other one, so that pages neither overlap nor miss any.
    const path = () => {
      const page = { offset: String(Math.max(0, offset - total)), limit: String(limit) };
      return `/v1/limits?${new URLSearchParams({ ...query, ...page })}`;
    };
    await readOthersInTurn<LimitsPage>(options, request, path, (page) => {
      limits.push(...page.limits.slice(0, limit - limits.length));
      total += page.total;
    });
  }
  return { limits, total, more: Math.max(0, total - offset - limits.length) };
}

type ShownLimit = ReturnType<typeof showLimit>;
interface LimitsPage {
  readonly limits: readonly ShownLimit[];
  readonly total: number;
}

function fits(view: LimitsView, asked: LimitsRequest, now: number): boolean {
  const { chat, find, frozen } = asked;
  return (
    (chat === undefined || view.chat === chat) &&
    (find === undefined || view.chat.includes(find)) &&
    (frozen === undefined || view.freezes.some(({ until }) => until > now))
  );
}

function showAccount(account: AccountView) {
  const { id, platform, paused, refused, breaker, silentSince, waiting, inFlight } = account;
  const { state, cause, detail } = breaker;
  const until = showTimeOrNull(breaker.until);
  return {
    id,
    platform,
    paused,
    refused,
    breaker: { state, until, cause, detail },
    silentSince: showTimeOrNull(silentSince),
    waiting,
    inFlight,
  };
}

function showLimit(limit: LimitsView) {
  const { account, chat } = limit;
  return {
    account,
    chat,
    rules: limit.rules.map((rule) => ({ ...rule, freeAt: showTimeOrNull(rule.freeAt) })),
    freezes: limit.freezes.map(({ scope, method, since, until, cause }) => ({
      scope,
      ...(method === undefined ? {} : { method }),
      since: showTimeOrNull(since),
      until: showTimeOrNull(until),
      cause,
    })),
  };
}
