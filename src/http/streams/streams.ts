// /v1/streams: texts that grow, and end in a final. Opened, changed and finished by JSON; stream-post.ts takes the
// request whose body is the text itself.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from '../../accept/problems.ts';
import { troublesOf } from '../../accept/trouble.ts';
import type { Problem } from '../../domain/errors.ts';
import type { StreamView } from '../../streams/streams.ts';
import type { IntakeOptions } from '../context.ts';
import { headersOf } from '../headers.ts';
import { sendProblem } from '../problem.ts';
import { isStream } from '../telegram/params.ts';
import { cancelStream, changeStream, findStream, finishStream, openStream } from './calls.ts';
import { StreamDesk } from './desk.ts';
import type { StreamOptions } from './draft.ts';
import { type BodyPorts, takeBody, unreadable } from './post.ts';
import { checkStreamsQuery, type StreamsFilter } from './schema.ts';
import { showStream } from './view.ts';
import { StreamWaits } from './waits.ts';

interface ById {
  Params: { id: string };
}

export function streamRoutes(app: FastifyInstance, intake: IntakeOptions): void {
  if (intake.output === undefined) return;
  const options = { ...intake, ...intake.output };
  const desk = new StreamDesk(options.live, options.clock, app.server);
  const waits = new StreamWaits(options.live, options.clock);
  app.addHook('preClose', async () => {
    desk.stop();
    waits.stop();
  });
  // A parser holds for all routes beside it, so those that read other bodies than JSON have rooms of their own.
  app.register(async (bodies) => bodyRoutes(bodies, { options, desk, waits }));
  app.register(async (texts) => textRoutes(texts, options));
  app.post<ById>('/v1/streams/:id/final', (request, reply) =>
    finish(options, waits, request, reply),
  );
  app.delete<ById>('/v1/streams/:id', async ({ params }, reply) =>
    answer(options, await cancelStream(options, params.id), reply),
  );
  app.get<ById>('/v1/streams/:id', async ({ params }, reply) =>
    answer(options, await findStream(options, params.id), reply),
  );
  app.get('/v1/streams', (request, reply) => list(options, request, reply));
}

function bodyRoutes(app: FastifyInstance, ports: BodyPorts): void {
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));
  app.post('/v1/streams', (request, reply) =>
    isStream(request.body)
      ? takeBody(ports, request, request.body, reply)
      : open(ports.options, request, reply),
  );
  // `curl -T` says PUT.
  app.put('/v1/streams', (request, reply) =>
    isStream(request.body)
      ? takeBody(ports, request, request.body, reply)
      : sendProblem(reply, unreadable()),
  );
}

function textRoutes(app: FastifyInstance, options: StreamOptions): void {
  app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, text, done) =>
    done(null, { append: text }),
  );
  app.patch<ById>('/v1/streams/:id', async ({ params, body }, reply) =>
    answer(options, await changeStream(options, params.id, body), reply),
  );
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
  reply.code(isNew ? 201 : 200).header('location', `/v1/streams/${view.id}`);
  return answer(options, view, reply);
}

async function finish(
  options: StreamOptions,
  waits: StreamWaits,
  request: FastifyRequest<ById>,
  reply: FastifyReply,
) {
  const { id } = request.params;
  const finished = await finishStream(options, id, request.body ?? {});
  if ('code' in finished) return sendProblem(reply, finished);
  const { view, waitMs } = finished;
  if (waitMs === 0) return answer(options, view, reply);
  return answer(options, (await waits.ended(id, waitMs, reply.raw)) ?? view, reply);
}

function list(options: StreamOptions, request: FastifyRequest, reply: FastifyReply) {
  const { query } = request;
  if (!checkStreamsQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkStreamsQuery, query)));
  }
  const found = options.live.list().filter((view) => fits(view, query));
  return reply.send({ streams: found.map((view) => showStream(options.tag, view)) });
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
