// /v1/streams: texts that grow, and end in a final. Opened, changed and finished by JSON; post.ts takes the
// request whose body is the text itself.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { invalid } from '../../accept/problems.ts';
import { troublesOf } from '../../accept/trouble.ts';
import type { Problem } from '../../domain/errors.ts';
import { FEED_TYPES } from '../../domain/live.ts';
import type { StreamView } from '../../streams/streams.ts';
import { lasting, sender, viewer } from '../auth/access.ts';
import { headersOf } from '../auth/guard.ts';
import { isStream } from '../bodies.ts';
import { readOthers } from '../fleet/others.ts';
import { SAMPLE } from '../openapi/common.ts';
import { sendProblem } from '../problem.ts';
import { group, type Opening, type Route } from '../route.ts';
import { cancelStream, changeStream, findStream, finishStream, openStream } from './calls.ts';
import { StreamDesk } from './desk.ts';
import type { StreamOptions } from './draft.ts';
import { type BodyPorts, takeBody, unreadable, withNames } from './post.ts';
import {
  checkStreamsQuery,
  Stream,
  StreamAnswer,
  StreamChange,
  StreamFanOut,
  StreamFinal,
  StreamQuery,
  type StreamsFilter,
  StreamsQuery,
} from './schema.ts';
import { inOrder, type ShownStream, showStream } from './view.ts';
import { StreamWaits } from './waits.ts';

interface ById {
  Params: { id: string };
}

const to = { platform: SAMPLE.platform, account: SAMPLE.token, chat: 42 };
const target = { account: SAMPLE.token, platform: SAMPLE.platform, chat: '42' };
const params = { id: SAMPLE.stream };
const openHeaders = {
  'Idempotency-Key': 'The same key again is the same stream',
  'X-Correlation-Id': 'Your own id of it, searchable; the stream’s id when left out',
};
const answerHeaders = {
  'X-Correlation-Id': 'Yours, else the id of the stream: that of each of its messages',
};
const ndjson = '{"text": "it "}\n{"text": "grows"}\n';

const readsAnything = (app: FastifyInstance): void => {
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));
};
const readsText = (app: FastifyInstance): void => {
  app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, text, done) =>
    done(null, { append: text }),
  );
};

const OPEN: Route<BodyPorts> = {
  method: 'POST',
  url: '/v1/streams',
  owner: 'draft',
  access: lasting(sender('draft')),
  tag: 'streams',
  summary: 'Open a text that grows; or, of another type than JSON, a body that is the text itself',
  // It names the target of a body that is the text; JSON says it itself.
  query: Type.Partial(StreamQuery),
  headers: openHeaders,
  body: { anyOf: [Stream, StreamFanOut] },
  forms: FEED_TYPES,
  answers: { 200: StreamAnswer, 201: StreamAnswer },
  answerHeaders,
  examples: {
    'opened, to be changed step by step': {
      body: { to, text: 'One moment', format: 'markdown' },
      status: 201,
    },
    'a body that is the text': {
      query: target,
      text: { type: 'application/x-ndjson', content: ndjson },
      status: 200,
    },
  },
  reads: readsAnything,
  handler: (ports, request, reply) =>
    isStream(request.body)
      ? takeBody(ports, request, request.body, reply)
      : open(ports.options, request, reply),
};

// `curl -T` says PUT.
const PUT: Route<BodyPorts> = {
  method: 'PUT',
  url: '/v1/streams',
  owner: 'draft',
  access: lasting(sender('draft')),
  tag: 'streams',
  summary: 'A body that is the text itself: shown as it comes, final when it ends',
  query: StreamQuery,
  headers: openHeaders,
  forms: FEED_TYPES,
  answers: { 200: StreamAnswer },
  answerHeaders,
  examples: {
    'as `curl -T -` sends it': {
      query: target,
      text: { type: 'text/plain', content: 'it is done' },
      status: 200,
    },
  },
  reads: readsAnything,
  handler: (ports, request, reply) =>
    isStream(request.body)
      ? takeBody(ports, request, request.body, reply)
      : sendProblem(reply, unreadable()),
};

const LIST: Route<BodyPorts> = {
  method: 'GET',
  url: '/v1/streams',
  isWide: true,
  access: viewer('query'),
  tag: 'streams',
  summary: 'Streams that have not ended',
  query: StreamsQuery,
  answers: { 200: Type.Object({ streams: Type.Array(StreamAnswer) }) },
  examples: { 'of one account': { query: { account: SAMPLE.account }, status: 200 } },
  handler: ({ options }, request, reply) => list(options, request, reply),
};

const GET: Route<BodyPorts> = {
  method: 'GET',
  url: '/v1/streams/:id',
  owner: 'stream',
  access: viewer('stream'),
  tag: 'streams',
  summary: 'How a stream stands',
  answers: { 200: StreamAnswer },
  examples: { 'one of them': { params, status: 200 } },
  handler: async ({ options }, request: FastifyRequest<ById>, reply) =>
    answer(options, await findStream(options, request.params.id), reply),
};

const CHANGE: Route<BodyPorts> = {
  method: 'PATCH',
  url: '/v1/streams/:id',
  owner: 'stream',
  access: sender('stream_change'),
  tag: 'streams',
  summary: 'Append to the text, or replace it',
  body: StreamChange,
  forms: ['text/plain'],
  answers: { 200: StreamAnswer },
  examples: {
    'a little more': { params, body: { append: ', please' }, status: 200 },
    'another text': { params, body: { replace: 'Just a moment' }, status: 200 },
    'as plain text': { params, text: { type: 'text/plain', content: ' more' }, status: 200 },
  },
  reads: readsText,
  handler: async ({ options }, { params: { id }, body }: FastifyRequest<ById>, reply) =>
    answer(options, await changeStream(options, id, body), reply),
};

const FINISH: Route<BodyPorts> = {
  method: 'POST',
  url: '/v1/streams/:id/final',
  owner: 'stream',
  access: sender('stream_change'),
  tag: 'streams',
  summary: 'Finish the text; on disk when answered',
  body: StreamFinal,
  answers: { 200: StreamAnswer },
  examples: {
    'with what it has': { params, body: {}, status: 200 },
    'with its last words, and wait': {
      params,
      body: { append: '. Done.', wait: 10 },
      status: 200,
    },
  },
  handler: ({ options, waits }, request: FastifyRequest<ById>, reply) =>
    finish(options, waits, request, reply),
};

const CANCEL: Route<BodyPorts> = {
  method: 'DELETE',
  url: '/v1/streams/:id',
  owner: 'stream',
  access: sender('stream_change'),
  tag: 'streams',
  summary: 'Cancel: what is shown stays, no more is',
  answers: { 200: StreamAnswer },
  examples: { 'one that is open': { params, status: 200 } },
  handler: async ({ options }, request: FastifyRequest<ById>, reply) =>
    answer(options, await cancelStream(options, request.params.id), reply),
};

export const STREAM_ROUTES = group<BodyPorts>(
  [OPEN, PUT, LIST, GET, CHANGE, FINISH, CANCEL],
  openPorts,
);

function openPorts({ app, options: parts }: Opening): BodyPorts | null {
  if (parts.output === undefined) return null;
  const options = { ...parts, ...parts.output };
  const desk = new StreamDesk(options.live, options.clock, app.server);
  const waits = new StreamWaits(options.live, options.clock);
  app.addHook('preClose', async () => {
    desk.stop();
    waits.stop();
  });
  return { options, desk, waits };
}

function answer(options: StreamOptions, found: StreamView | Problem, reply: FastifyReply) {
  if ('code' in found) return sendProblem(reply, found);
  return reply.send(showStream(options.tag, found));
}

async function open(options: StreamOptions, request: FastifyRequest, reply: FastifyReply) {
  const headers = headersOf(request);
  if ('code' in headers) return sendProblem(reply, headers);
  const opened = await openStream(options, request.body, headers);
  if ('code' in opened) return sendProblem(reply, opened);
  const { view, isNew } = opened;
  withNames(reply.code(isNew ? 201 : 200), view);
  return answer(options, view, reply);
}

async function finish(
  options: StreamOptions,
  waits: StreamWaits,
  request: FastifyRequest<ById>,
  reply: FastifyReply,
) {
  const { id } = request.params;
  const finished = await finishStream(options, id, request.body === undefined ? {} : request.body);
  if ('code' in finished) return sendProblem(reply, finished);
  const { view, waitMs } = finished;
  if (waitMs === 0) return answer(options, view, reply);
  return answer(options, (await waits.ended(id, waitMs, reply.raw)) ?? view, reply);
}

async function list(options: StreamOptions, request: FastifyRequest, reply: FastifyReply) {
  const { query } = request;
  if (!checkStreamsQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkStreamsQuery, query)));
  }
  const found = options.live.list().filter((view) => fits(view, query));
  const own = found.map((view) => showStream(options.tag, view));
  const others = await readOthers<{ streams: ShownStream[] }>(options, request);
  return { streams: inOrder([own, ...others.map(({ streams }) => streams)]) };
}

function fits(view: StreamView, filter: StreamsFilter): boolean {
  const { account, chat, session, correlation } = filter;
  return (
    (account === undefined || view.account === account) &&
    (chat === undefined || view.chat === chat) &&
    (session === undefined || view.session === session) &&
    (correlation === undefined || view.correlation === correlation)
  );
}
