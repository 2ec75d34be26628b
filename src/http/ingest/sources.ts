// /v1/ingest/sources: channels that are followed. Added, looked at by hand, paused, resumed, removed with their posts.
// /v1/ingest/dead: those that fail for good and wait for a person.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { invalid } from '../../accept/problems.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { type Problem, problem } from '../../domain/errors.ts';
import type { SourceSettings, SourceView } from '../../ingest/ingest.ts';
import { operator, viewer } from '../auth/access.ts';
import { count, SAMPLE, text } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import type { Route } from '../route.ts';
import { type IngestOptions, SOURCES_MAX } from './options.ts';
import { readerAccountOf } from './reader-account.ts';
import {
  checkDeadRetry,
  checkSourceChanges,
  checkSourceOrder,
  checkSourcesQuery,
  DeadRetry,
  SourceAnswer,
  SourceChanges,
  SourceOrder,
  SourcesAnswer,
  SourcesQuery,
} from './schema.ts';
import { targetOf } from './target.ts';
import { showSource } from './view.ts';

interface ById {
  Params: { id: string };
}

const PAGE_WHEN_LEFT_OUT = 100;
const PAGE_MAX = 1000;

const params = { id: SAMPLE.source };
const SANDBOX = { source: SAMPLE.channel, kind: 'sandbox' };

const ADD: Route<IngestOptions> = {
  method: 'POST',
  url: '/v1/ingest/sources',
  // Its body may hold a token: nothing of it is noted.
  access: operator('closed', 'path'),
  tag: 'ingest',
  summary: 'Follow a channel; one that is followed already is answered as it is',
  body: SourceOrder,
  answers: { 200: SourceAnswer, 201: SourceAnswer },
  examples: {
    'by its public page': { body: { source: '@daily_planet', kind: 'page' }, status: 201 },
    'of the simulator, told to a webhook': {
      body: { ...SANDBOX, source: '@evening_news', forwardTo: { url: 'https://example.com/hook' } },
      status: 201,
    },
    'of the simulator, told in a chat': {
      body: {
        ...{ ...SANDBOX, source: '@morning_news', priority: 4 },
        forwardTo: { platform: SAMPLE.platform, account: SAMPLE.token, chat: 42 },
      },
      status: 201,
    },
  },
  handler: add,
};

const LIST: Route<IngestOptions> = {
  method: 'GET',
  url: '/v1/ingest/sources',
  access: viewer('closed'),
  tag: 'ingest',
  summary: 'Channels that are followed: mode, cursor, freshness, next look and why',
  query: SourcesQuery,
  answers: { 200: SourcesAnswer },
  examples: { 'the first few': { query: { limit: '5' }, status: 200 } },
  handler: list,
};

const GET: Route<IngestOptions> = {
  method: 'GET',
  url: '/v1/ingest/sources/:id',
  access: viewer('closed'),
  tag: 'ingest',
  summary: 'One of them, with the progress of a look that is under way',
  answers: { 200: SourceAnswer },
  examples: { 'one of them': { params, status: 200 } },
  handler: (options, request: FastifyRequest<ById>, reply) =>
    answer(options, reply, find(options, request.params.id)),
};

const CHANGE: Route<IngestOptions> = {
  method: 'PATCH',
  url: '/v1/ingest/sources/:id',
  access: operator('closed', 'path'),
  tag: 'ingest',
  summary: 'Change its priority, its account, or where new posts go',
  body: SourceChanges,
  answers: { 200: SourceAnswer },
  examples: { 'more often': { params, body: { priority: 4, forwardTo: null }, status: 200 } },
  handler: change,
};

const REMOVE: Route<IngestOptions> = {
  method: 'DELETE',
  url: '/v1/ingest/sources/:id',
  access: operator('closed', 'path'),
  tag: 'ingest',
  summary: 'Follow it no more, and delete its posts',
  answers: { 200: Type.Object({ id: text, removed: Type.Boolean() }) },
  examples: { 'one of them': { params, status: 200 } },
  handler: async ({ ingest }, { params: { id } }: FastifyRequest<ById>, reply) =>
    ingest.service.remove(Number(id)) ? { id, removed: true } : refuse(reply, 'unknown_source'),
};

const RUN: Route<IngestOptions> = {
  method: 'POST',
  url: '/v1/ingest/sources/:id/run',
  access: operator('closed', 'path'),
  tag: 'ingest',
  summary: 'Look at it now, within what the platform allows; `run` tells how far it is',
  answers: { 202: SourceAnswer },
  examples: { 'one of them': { params, status: 202 } },
  handler: (options, request: FastifyRequest<ById>, reply) => {
    const { id } = request.params;
    const isThere = options.ingest.service.run(Number(id));
    return answer(options, reply.code(202), isThere ? find(options, id) : null);
  },
};

const steering = (verb: 'pause' | 'resume', summary: string): Route<IngestOptions> => ({
  method: 'POST',
  url: `/v1/ingest/sources/:id/${verb}`,
  access: operator('closed', 'path'),
  tag: 'ingest',
  summary,
  answers: { 200: SourceAnswer },
  examples: { 'one of them': { params, status: 200 } },
  handler: async (options, request: FastifyRequest<ById>, reply) =>
    answer(options, reply, await options.ingest.service[verb](Number(request.params.id))),
});

const DEAD: Route<IngestOptions> = {
  method: 'GET',
  url: '/v1/ingest/dead',
  access: viewer('closed'),
  tag: 'ingest',
  summary: 'Channels that fail for good; `failure` says why',
  query: SourcesQuery,
  answers: { 200: SourcesAnswer },
  examples: { 'all of them': { status: 200 } },
  handler: (options, request, reply) => list(options, request, reply, 'dead'),
};

const RETRY: Route<IngestOptions> = {
  method: 'POST',
  url: '/v1/ingest/dead/retry',
  access: operator('closed', 'body'),
  tag: 'ingest',
  summary: 'Look at them again, at once',
  body: DeadRetry,
  answers: { 200: Type.Object({ retried: count, unknown: Type.Array(text) }) },
  examples: {
    'all of them': { body: {}, status: 200 },
    'one of them': { body: { ids: [SAMPLE.source] }, status: 200 },
  },
  handler: retry,
};

export const SOURCE_ROUTES: readonly Route<IngestOptions>[] = [
  ...[ADD, LIST, GET, CHANGE, REMOVE, RUN],
  steering('pause', 'Look at it no more, until it is resumed'),
  steering('resume', 'Look at it again; also at one that is dead'),
  ...[DEAD, RETRY],
];

function find({ ingest }: IngestOptions, id: string): SourceView | null {
  return ingest.service.get(Number(id));
}

function answer({ clock }: IngestOptions, reply: FastifyReply, source: SourceView | null) {
  return source === null
    ? refuse(reply, 'unknown_source')
    : reply.send(showSource(source, clock.now()));
}

async function add(options: IngestOptions, request: FastifyRequest, reply: FastifyReply) {
  const { body } = request;
  const { service, kinds } = options.ingest;
  if (!checkSourceOrder.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkSourceOrder, body)));
  }
  request.subject = `${body.kind} ${body.source}`;
  if (!kinds.includes(body.kind)) {
    const expected = `one of ${kinds.join(', ')}; others need settings of their own`;
    return sendProblem(reply, invalid('invalid_message', [{ path: '/kind', expected }]));
  }
  if (isForeignHook(request, body)) return refuse(reply, 'forbidden_role', HOOK_IS_ADMINS);
  const settings = await settingsOf(options, body.kind, { account: null, ...body });
  if ('code' in settings) return sendProblem(reply, settings);
  if (service.list().length >= SOURCES_MAX) {
    return sendProblem(reply, problem('sources_full', `${SOURCES_MAX} channels are followed.`));
  }
  const { isNew, source } = await service.add(body.kind, String(body.source).trim(), settings);
  return answer(options, reply.code(isNew ? 201 : 200), source);
}

async function change(options: IngestOptions, request: FastifyRequest<ById>, reply: FastifyReply) {
  const { params, body } = request;
  if (!checkSourceChanges.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkSourceChanges, body)));
  }
  if (isForeignHook(request, body)) return refuse(reply, 'forbidden_role', HOOK_IS_ADMINS);
  const { id } = params;
  const source = find(options, id);
  if (source === null) return refuse(reply, 'unknown_source');
  const settings = await settingsOf(options, source.kind, body);
  if ('code' in settings) return sendProblem(reply, settings);
  return answer(options, reply, await options.ingest.service.configure(Number(id), settings));
}

const HOOK_IS_ADMINS = 'Posts are sent to an address of anybody’s choice by an admin alone.';

// The gateway reaches places that whoever asks does not: what it posts to is not an operator's to choose.
function isForeignHook({ holder }: FastifyRequest, { forwardTo }: SourceChanges): boolean {
  return forwardTo != null && 'url' in forwardTo && holder?.role !== 'admin';
}

const SECOND_MS = 1000;

// Posts are forwarded from now on: nobody wants a channel's past at once.
async function settingsOf(
  options: IngestOptions,
  kind: string,
  { account: asked, priority, forwardTo }: SourceChanges,
): Promise<Partial<SourceSettings> | Problem> {
  const account = asked === undefined ? null : await readerAccountOf(options, kind, asked);
  if (account !== null && typeof account === 'object') return account;
  const target = forwardTo ? await targetOf(options, forwardTo) : null;
  if (target !== null && 'code' in target) return target;
  // Dates of posts are whole seconds: one of this very second is new.
  const now = options.clock.now();
  const forwardSince = target === null ? null : now - (now % SECOND_MS);
  return {
    ...(asked === undefined ? {} : { account }),
    ...(priority === undefined ? {} : { weight: priority }),
    ...(forwardTo === undefined ? {} : { forwardTo: target, forwardSince }),
  };
}

async function list(
  { ingest, clock }: IngestOptions,
  { query }: FastifyRequest,
  reply: FastifyReply,
  only: SourceView['state'] | null = null,
) {
  if (!checkSourcesQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkSourcesQuery, query)));
  }
  const { kind, limit = String(PAGE_WHEN_LEFT_OUT), cursor = '0' } = query;
  const find = query.find?.toLowerCase() ?? '';
  const state = only ?? query.state;
  const max = Math.min(Math.max(1, Number(limit)), PAGE_MAX);
  const found = ingest.service
    .list()
    .filter((source) => source.id > Number(cursor))
    .filter((source) => state === undefined || source.state === state)
    .filter((source) => kind === undefined || source.kind === kind)
    .filter(({ name }) => name.toLowerCase().includes(find))
    .sort((a, b) => a.id - b.id);
  const now = clock.now();
  const sources = found.slice(0, max).map((source) => showSource(source, now));
  return { sources, next: found.length > max ? sources.at(-1)!.id : null };
}

async function retry({ ingest }: IngestOptions, { body }: FastifyRequest, reply: FastifyReply) {
  const asked = body === undefined ? {} : body;
  if (!checkDeadRetry.Check(asked)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkDeadRetry, asked)));
  }
  const dead = new Set(ingest.service.dead().map(({ id }) => String(id)));
  const ids = asked.ids ?? [...dead];
  const known = ids.filter((id) => dead.has(id));
  for (const id of known) await ingest.service.resume(Number(id));
  return { retried: known.length, unknown: ids.filter((id) => !dead.has(id)) };
}
