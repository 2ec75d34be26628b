// /v1/broadcasts and /v1/audiences: one message, many chats. Made from a list in the request, a list beside it, or an
// audience saved before; followed, paused, resumed, cancelled.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { NAME_LENGTH_MAX } from '../../accept/context.ts';
import { invalid } from '../../accept/problems.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { type Problem, problem } from '../../domain/errors.ts';
import { LIST_TYPES, type ListFormat, listFormatOf } from '../../domain/recipient-list.ts';
import type { RecipientState } from '../../store/ports/broadcasts.ts';
import { operator, sender, viewer } from '../auth/access.ts';
import { headersOf } from '../auth/guard.ts';
import { isStream } from '../bodies.ts';
import { SAMPLE, text } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import { group, type Route } from '../route.ts';
import {
  type BroadcastOptions,
  draftFrom,
  findBroadcast,
  makeBroadcast,
  noBroadcast,
  steerBroadcast,
} from './calls.ts';
import { readBroadcastForm } from './form.ts';
import {
  Audience,
  AudienceQuery,
  Broadcast,
  BroadcastAnswer,
  BroadcastsQuery,
  checkAudienceQuery,
  checkBroadcastsQuery,
  checkRecipientsQuery,
  PageOf,
  RecipientAnswer,
  RecipientsQuery,
  SavedAudience,
} from './schema.ts';
import { showAudience, showBroadcast, showRecipient } from './view.ts';

interface ById {
  Params: { id: string };
}
interface ByName {
  Params: { name: string };
}

const PAGE_WHEN_LEFT_OUT = 50;
const PAGE_MAX = 1000;

const to = { platform: SAMPLE.platform, account: SAMPLE.token };
const params = { id: SAMPLE.broadcast };

const readsAnything = (app: FastifyInstance): void => {
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));
};

const POST: Route<BroadcastOptions> = {
  method: 'POST',
  url: '/v1/broadcasts',
  access: sender('whole'),
  tag: 'broadcasts',
  summary:
    'One message to many chats: listed in it, saved as an audience, or in the part `recipients` of a form ' +
    'whose part `message` is this JSON',
  headers: { 'Idempotency-Key': 'The same key again sends nothing' },
  body: Broadcast,
  forms: ['multipart/form-data'],
  answers: { 202: BroadcastAnswer },
  examples: {
    'to chats, by id': {
      body: { to, chats: [5001, 5002], body: { text: 'v2 is out' }, name: 'release' },
      status: 202,
    },
    'with fields that are filled in': {
      body: {
        to,
        recipients: [{ chat: 5001, fields: { name: 'Ada' } }, { chat: 5002 }],
        body: { text: 'Hello {{name|friend}}' },
      },
      status: 202,
    },
    'to a saved audience': {
      body: { to, audience: SAMPLE.audience, body: { text: 'Hello {{name|friend}}' } },
      status: 202,
    },
  },
  reads: readsAnything,
  handler: post,
};

const LIST: Route<BroadcastOptions> = {
  method: 'GET',
  url: '/v1/broadcasts',
  access: viewer('closed'),
  tag: 'broadcasts',
  summary: 'Broadcasts, newest first',
  query: BroadcastsQuery,
  answers: { 200: PageOf(BroadcastAnswer) },
  examples: { 'the newest': { query: { limit: '5' }, status: 200 } },
  handler: list,
};

const GET: Route<BroadcastOptions> = {
  method: 'GET',
  url: '/v1/broadcasts/:id',
  owner: 'broadcast',
  access: viewer('closed'),
  tag: 'broadcasts',
  summary: 'How far it is, how fast it goes, when it will be done',
  answers: { 200: BroadcastAnswer },
  examples: { 'one of them': { params, status: 200 } },
  handler: async (options, request: FastifyRequest<ById>, reply) =>
    answer(reply, await findBroadcast(options, request.params.id)),
};

const RECIPIENTS: Route<BroadcastOptions> = {
  method: 'GET',
  url: '/v1/broadcasts/:id/recipients',
  access: viewer('closed'),
  tag: 'broadcasts',
  summary: 'What became of each recipient',
  query: RecipientsQuery,
  answers: { 200: PageOf(RecipientAnswer) },
  examples: { 'the first few': { params, query: { limit: '5' }, status: 200 } },
  handler: recipients,
};

const steering = (
  verb: string,
  state: 'paused' | 'running' | 'cancelled',
  summary: string,
): Route<BroadcastOptions> => ({
  method: 'POST',
  url: `/v1/broadcasts/:id/${verb}`,
  owner: 'broadcast',
  access: operator('closed', 'path'),
  tag: 'broadcasts',
  summary,
  answers: { 200: BroadcastAnswer },
  examples: { 'one that runs': { params, status: 200 } },
  handler: async (options, request: FastifyRequest<ById>, reply) =>
    answer(reply, await steerBroadcast(options, request.params.id, state)),
});

const SAVE: Route<BroadcastOptions> = {
  method: 'PUT',
  url: '/v1/audiences/:name',
  access: operator('closed', 'path'),
  tag: 'broadcasts',
  summary: 'Save a list of recipients under a name; the body is the list',
  query: AudienceQuery,
  forms: Object.keys(LIST_TYPES),
  answers: { 201: SavedAudience },
  examples: {
    'a list with a header': {
      params: { name: 'newsletter' },
      text: { type: 'text/csv', content: 'chat,name\n5001,Ada\n5002,Grace\n' },
      status: 201,
    },
  },
  reads: readsAnything,
  handler: put,
};

const AUDIENCES: Route<BroadcastOptions> = {
  method: 'GET',
  url: '/v1/audiences',
  access: viewer('closed'),
  tag: 'broadcasts',
  summary: 'Saved audiences, by name',
  query: BroadcastsQuery,
  answers: { 200: PageOf(Audience) },
  examples: { 'the first few': { query: { limit: '5' }, status: 200 } },
  handler: audiences,
};

const FORGET: Route<BroadcastOptions> = {
  method: 'DELETE',
  url: '/v1/audiences/:name',
  access: operator('closed', 'path'),
  tag: 'broadcasts',
  summary: 'Forget the name; broadcasts keep who is in it',
  answers: { 200: Type.Object({ name: text }) },
  examples: { 'one of them': { params: { name: SAMPLE.audience }, status: 200 } },
  handler: async ({ broadcasts }, { params: { name } }: FastifyRequest<ByName>, reply) =>
    (await broadcasts.forgetAudience(name)) ? { name } : sendProblem(reply, noAudience(name)),
};

export const BROADCAST_ROUTES = group<BroadcastOptions>(
  [
    ...[POST, LIST, GET, RECIPIENTS],
    steering('pause', 'paused', 'Send to nobody further, until it is resumed'),
    steering('resume', 'running', 'Go on'),
    steering('cancel', 'cancelled', 'Send to nobody further, for good'),
    ...[SAVE, AUDIENCES, FORGET],
  ],
  ({ options: { broadcasts, ...options } }) =>
    broadcasts === undefined ? null : { ...options, broadcasts },
);

function answer(reply: FastifyReply, found: object | Problem, status = 200) {
  return 'code' in found && 'status' in found && typeof found.status === 'number'
    ? sendProblem(reply, found as Problem)
    : reply.code(status).send(found);
}

async function post(options: BroadcastOptions, request: FastifyRequest, reply: FastifyReply) {
  const headers = headersOf(request);
  if ('code' in headers) return sendProblem(reply, headers);
  if (!isStream(request.body)) {
    return answer(reply, await makeBroadcast(options, request.body, headers), 202);
  }
  if (!/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) {
    request.body.resume();
    return refuse(reply, 'unsupported_media_type', 'Send JSON, or a form with the list beside it.');
  }
  const form = await readBroadcastForm(options, request.body, request.headers);
  if (form.kind === 'refused') return sendProblem(reply, form.problem);
  return answer(reply, await makeBroadcast(options, form.order, headers, form.draft), 202);
}

async function put(
  options: BroadcastOptions,
  request: FastifyRequest<ByName>,
  reply: FastifyReply,
) {
  const { body, query, params } = request;
  const format = formatAsked(query, request.headers['content-type']);
  if (isStream(body) && typeof format !== 'string') body.resume();
  if (typeof format !== 'string') return sendProblem(reply, format);
  if (!isStream(body) || params.name.length > NAME_LENGTH_MAX) {
    return refuse(reply, 'unsupported_media_type', 'Send the list itself.');
  }
  const draft = await draftFrom(options, params.name, { source: body, format });
  if ('code' in draft) return sendProblem(reply, draft);
  const { repeated } = draft;
  const sealed = await draft.seal();
  return sealed === null
    ? refuse(reply, 'internal')
    : reply.code(201).send({ ...showAudience(sealed), repeated });
}

function formatAsked(query: unknown, type: string | undefined): ListFormat | Problem {
  if (!checkAudienceQuery.Check(query)) {
    return invalid('invalid_query', troublesOf(checkAudienceQuery, query));
  }
  const known = Object.keys(LIST_TYPES).join(', ');
  const unknown = problem('unsupported_media_type', `Send ${known}; or say ?format=csv.`);
  return query.format ?? listFormatOf(type, undefined) ?? unknown;
}

async function list(options: BroadcastOptions, request: FastifyRequest, reply: FastifyReply) {
  const { query } = request;
  if (!checkBroadcastsQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkBroadcastsQuery, query)));
  }
  const max = pageOf(query.limit);
  const before = query.cursor ?? null;
  if (before !== null && (await options.broadcasts.get(before)) === null) {
    const expected = '`next` of the page before';
    return sendProblem(reply, invalid('invalid_query', [{ path: '/cursor', expected }]));
  }
  const views = await options.broadcasts.list({ before, max });
  const next = views.length === max ? (views.at(-1)?.id ?? null) : null;
  return reply.send({ items: views.map(showBroadcast), next });
}

async function recipients(
  options: BroadcastOptions,
  request: FastifyRequest<ById>,
  reply: FastifyReply,
) {
  const { query, params } = request;
  if (!checkRecipientsQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkRecipientsQuery, query)));
  }
  const after = Number(query.cursor ?? 0);
  if (!Number.isSafeInteger(after) || after < 0) {
    const expected = '`next` of the page before';
    return sendProblem(reply, invalid('invalid_query', [{ path: '/cursor', expected }]));
  }
  const max = pageOf(query.limit);
  const state: RecipientState | null = query.state ?? null;
  const found = await options.broadcasts.recipients({ id: params.id, state, after, max });
  if (found === null) return sendProblem(reply, noBroadcast());
  const next = found.length === max ? String(found.at(-1)!.n) : null;
  return reply.send({ items: found.map((one) => showRecipient(options.tag, one)), next });
}

async function audiences(options: BroadcastOptions, request: FastifyRequest, reply: FastifyReply) {
  const { query } = request;
  if (!checkBroadcastsQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkBroadcastsQuery, query)));
  }
  const max = pageOf(query.limit);
  const found = await options.broadcasts.audiences({ after: query.cursor ?? '', max });
  const next = found.length === max ? (found.at(-1)?.name ?? null) : null;
  return reply.send({ items: found.map(showAudience), next });
}

function pageOf(limit: string | undefined): number {
  return Math.min(PAGE_MAX, Math.max(1, Number(limit ?? PAGE_WHEN_LEFT_OUT)));
}

function noAudience(name: string): Problem {
  return problem('unknown_audience', `No audience is called ${name}.`);
}
