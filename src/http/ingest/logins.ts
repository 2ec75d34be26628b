// /v1/ingest/logins: an account to read with logs in, one answer after the other. What is answered goes to the
// platform, the session that comes of it into the vault; neither stands in an address, an answer or a note.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { invalid } from '../../accept/problems.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { ADMIN_ACTS } from '../auth/access.ts';
import { askElsewhere } from '../fleet/elsewhere.ts';
import { answerMoved } from '../fleet/to-owner.ts';
import { SAMPLE, text } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import type { Route } from '../route.ts';
import type { IngestOptions } from './options.ts';
import { checkLoginReply, checkNewLogin, LoginAnswer, LoginReply, NewLogin } from './schema.ts';
import { showLogin } from './view.ts';

interface ById {
  Params: { id: string };
}

const params = { id: SAMPLE.login };

const BEGIN: Route<IngestOptions> = {
  method: 'POST',
  url: '/v1/ingest/logins',
  access: ADMIN_ACTS,
  tag: 'ingest',
  summary: 'Log an account in to read with: the platform sends a code to its phone',
  body: NewLogin,
  answers: { 201: LoginAnswer },
  examples: {
    'by its phone number': { body: { kind: 'mtproto', phone: SAMPLE.phone }, status: 201 },
  },
  handler: begin,
};

const ANSWER: Route<IngestOptions> = {
  method: 'POST',
  url: '/v1/ingest/logins/:id',
  access: ADMIN_ACTS,
  tag: 'ingest',
  summary: 'Answer what it is asked for: the code, then the password where the account has one',
  body: LoginReply,
  answers: { 200: LoginAnswer },
  examples: { 'the code': { params, body: { code: SAMPLE.code }, status: 200 } },
  handler: answer,
};

const END: Route<IngestOptions> = {
  method: 'DELETE',
  url: '/v1/ingest/logins/:id',
  access: ADMIN_ACTS,
  tag: 'ingest',
  summary: 'Give a login up that is under way',
  answers: { 200: Type.Object({ id: text, ended: Type.Boolean() }) },
  examples: { 'one of them': { params, status: 200 } },
  handler: async (options, request: FastifyRequest<ById>, reply) => {
    const { id } = request.params;
    return options.ingest.logins.end(id) ? { id, ended: true } : elsewhere(options, request, reply);
  },
};

export const LOGIN_ROUTES: readonly Route<IngestOptions>[] = [BEGIN, ANSWER, END];

async function begin({ ingest }: IngestOptions, { body }: FastifyRequest, reply: FastifyReply) {
  if (!checkNewLogin.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkNewLogin, body)));
  }
  const { kind, phone } = body;
  if (!ingest.logins.kinds.includes(kind)) return refuse(reply, 'login_unavailable');
  const login = await ingest.logins.begin(kind, phone);
  return login === null ? refuse(reply, 'logins_full') : reply.code(201).send(showLogin(login));
}

async function answer(options: IngestOptions, request: FastifyRequest<ById>, reply: FastifyReply) {
  const { ingest } = options;
  const { body } = request;
  const { id } = request.params;
  if (!checkLoginReply.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkLoginReply, body)));
  }
  const { code, password } = body;
  const login = await (code === undefined
    ? ingest.logins.answer(id, 'password', password ?? '')
    : ingest.logins.answer(id, 'code', code));
  return login === null ? elsewhere(options, request, reply) : showLogin(login);
}

// It was begun at another node of the fleet, or nowhere.
async function elsewhere(
  { fleet }: IngestOptions,
  request: FastifyRequest<ById>,
  reply: FastifyReply,
) {
  if (fleet?.side === 'inner') return answerMoved(reply, '');
  const found = fleet === undefined ? null : await askElsewhere(fleet.port, request, reply);
  if (found === null) return refuse(reply, 'unknown_login');
  const type = found.headers['content-type'] ?? 'application/json';
  return reply.code(found.status).header('content-type', type).send(found.body);
}
