// /v1/broadcasts and /v1/audiences: one message, many chats. Made from a list in the request, a list beside it, or an
// audience saved before; followed, paused, resumed, cancelled.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NAME_LENGTH_MAX } from '../../accept/context.ts';
import { invalid } from '../../accept/problems.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { formatOf, LIST_TYPES, type ListFormat } from '../../broadcast/lists/recipients.ts';
import { type Problem, problem } from '../../domain/errors.ts';
import type { RecipientState } from '../../store/ports/broadcasts.ts';
import type { IntakeOptions } from '../context.ts';
import { headersOf } from '../headers.ts';
import { refuse, sendProblem } from '../problem.ts';
import { isStream } from '../telegram/params.ts';
import {
  type BroadcastOptions,
  draftFrom,
  findBroadcast,
  makeBroadcast,
  noBroadcast,
  steerBroadcast,
} from './calls.ts';
import { readBroadcastForm } from './form.ts';
import { checkAudienceQuery, checkBroadcastsQuery, checkRecipientsQuery } from './schema.ts';
import { showAudience, showBroadcast, showRecipient } from './view.ts';

interface ById {
  Params: { id: string };
}
interface ByName {
  Params: { name: string };
}

const STEERING = { pause: 'paused', resume: 'running', cancel: 'cancelled' } as const;
const PAGE_WHEN_LEFT_OUT = 50;
const PAGE_MAX = 1000;

export function broadcastRoutes(app: FastifyInstance, intake: IntakeOptions): void {
  const { broadcasts } = intake;
  if (broadcasts === undefined) return;
  const options: BroadcastOptions = { ...intake, broadcasts };
  // A parser holds for all routes beside it, so those that read other bodies than JSON have a room of their own.
  app.register(async (bodies) => {
    bodies.addContentTypeParser('*', (_request, body, done) => done(null, body));
    bodies.post('/v1/broadcasts', (request, reply) => post(options, request, reply));
    bodies.put<ByName>('/v1/audiences/:name', (request, reply) => put(options, request, reply));
  });
  app.get('/v1/broadcasts', (request, reply) => list(options, request, reply));
  app.get<ById>('/v1/broadcasts/:id', async ({ params }, reply) =>
    answer(reply, await findBroadcast(options, params.id)),
  );
  app.get<ById>('/v1/broadcasts/:id/recipients', (request, reply) =>
    recipients(options, request, reply),
  );
  for (const [verb, to] of Object.entries(STEERING)) {
    app.post<ById>(`/v1/broadcasts/:id/${verb}`, async ({ params }, reply) =>
      answer(reply, await steerBroadcast(options, params.id, to)),
    );
  }
  app.get('/v1/audiences', (request, reply) => audiences(options, request, reply));
  app.delete<ByName>('/v1/audiences/:name', async ({ params }, reply) => {
    if (await broadcasts.forgetAudience(params.name)) return { name: params.name };
    return sendProblem(reply, noAudience(params.name));
  });
}

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
  return query.format ?? formatOf(type, undefined) ?? unknown;
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
