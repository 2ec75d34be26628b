// /v1/accounts and /v1/limits: what is known of each account and chat, and the operator's pause.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IntakeOptions } from './intake.ts';
import { invalid, refuse, sendProblem } from './refuse.ts';
import type { AccountView, LimitsView } from './road.ts';
import { checkLimitsQuery } from './schema.ts';
import { showTimeOrNull } from './time.ts';
import { troublesOf } from './trouble.ts';

// An account may have talked to any number of chats; one answer shows this many.
const LIMITS_SHOWN_MAX = 1000;

interface ById {
  Params: { id: string };
}

export function limitRoutes(app: FastifyInstance, options: IntakeOptions): void {
  const { road } = options;
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
  app.get('/v1/limits', async (request, reply) => showLimits(options, request, reply));
}

function showLimits(options: IntakeOptions, request: FastifyRequest, reply: FastifyReply) {
  const { query } = request;
  if (!checkLimitsQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkLimitsQuery, query)));
  }
  const limits = options.road.limits(query.account ?? null);
  const shown = limits.slice(0, LIMITS_SHOWN_MAX).map(showLimit);
  return { limits: shown, more: limits.length - shown.length };
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
