// /v1/accounts and /v1/limits: what is known of each account and chat, and the operator's pause. An account may have
// talked to any number of chats, so limits are told in pages.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from '../accept/problems.ts';
import { checkLimitsQuery, type LimitsRequest } from '../accept/schema.ts';
import { showTimeOrNull } from '../accept/time.ts';
import { troublesOf } from '../accept/trouble.ts';
import type { AccountView, LimitsView } from '../road/road.ts';
import type { IntakeOptions } from './context.ts';
import { refuse, sendProblem } from './problem.ts';

const LIMITS_SHOWN_MAX = 1000;
// Looking at all chats takes a while: at most so many are looked at, and whoever asks within this time sees the same.
const LIMITS_LOOKED_MAX = 20_000;
const SEEN_MS_MAX = 1000;

interface ById {
  Params: { id: string };
}

export function limitRoutes(app: FastifyInstance, options: IntakeOptions): void {
  const { road } = options;
  const seen = new Seen(options);
  app.get('/v1/accounts', async () => ({ accounts: road.accounts().map(showAccount) }));
  app.post<ById>('/v1/accounts/:id/pause', async (request, reply) =>
    (await road.pause(request.params.id))
      ? { id: request.params.id, paused: true }
      : refuse(reply, 'unknown_account'),
  );
  app.post<ById>('/v1/accounts/:id/resume', async (request, reply) =>
    (await road.resume(request.params.id))
      ? { id: request.params.id, paused: false }
      : refuse(reply, 'unknown_account'),
  );
  app.delete<ById>('/v1/accounts/:id', (request, reply) => remove(options, request, reply));
  app.get('/v1/limits', async (request, reply) => showLimits(options, seen, request, reply));
}

async function remove(
  { removeAccount }: IntakeOptions,
  { params: { id }, caller }: FastifyRequest<ById>,
  reply: FastifyReply,
) {
  const removed = (await removeAccount?.(id, caller)) ?? { kind: 'unknown' };
  if (removed.kind === 'unknown') return refuse(reply, 'unknown_account');
  if (removed.kind === 'configured') return refuse(reply, 'account_configured');
  const { kind: _kind, ...ended } = removed;
  return { id, removed: true, ...ended };
}

class Seen {
  readonly #options: Pick<IntakeOptions, 'clock' | 'road'>;
  // By account; '' is all of them.
  readonly #limits = new Map<string, readonly LimitsView[]>();
  #at = Number.NEGATIVE_INFINITY;

  constructor(options: Pick<IntakeOptions, 'clock' | 'road'>) {
    this.#options = options;
  }

  limits(account: string): readonly LimitsView[] {
    const { clock, road } = this.#options;
    const now = clock.now();
    if (now - this.#at >= SEEN_MS_MAX) {
      this.#limits.clear();
      this.#at = now;
    }
    const seen = this.#limits.get(account);
    if (seen !== undefined) return seen;
    const views = road.limits(account === '' ? null : account, LIMITS_LOOKED_MAX);
    if (views.length > 0) this.#limits.set(account, views);
    return views;
  }
}

function showLimits(
  options: IntakeOptions,
  seen: Seen,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { query } = request;
  if (!checkLimitsQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkLimitsQuery, query)));
  }
  const now = options.clock.now();
  const found = seen.limits(query.account ?? '').filter((view) => fits(view, query, now));
  const offset = Number(query.offset ?? 0);
  const limit = Math.min(LIMITS_SHOWN_MAX, Number(query.limit ?? LIMITS_SHOWN_MAX));
  const shown = found.slice(offset, offset + limit).map(showLimit);
  const more = Math.max(0, found.length - offset - shown.length);
  return { limits: shown, total: found.length, more };
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
  const { id, platform, paused, refused, breaker, waiting, inFlight } = account;
  const { state, cause } = breaker;
  const until = showTimeOrNull(breaker.until);
  return { id, platform, paused, refused, breaker: { state, until, cause }, waiting, inFlight };
}

function showLimit(limit: LimitsView) {
  const { account, chat } = limit;
  return {
    account,
    chat,
    rules: limit.rules.map((rule) => ({ ...rule, freeAt: showTimeOrNull(rule.freeAt) })),
    freezes: limit.freezes.map(({ scope, since, until, cause }) => ({
      scope,
      since: showTimeOrNull(since),
      until: showTimeOrNull(until),
      cause,
    })),
  };
}
