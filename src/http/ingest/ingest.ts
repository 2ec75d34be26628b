// /v1/ingest: the other direction. Sources and posts have files of their own; here are the accounts that are read with,
// and the group.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { invalid } from '../../accept/problems.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { ERRORS } from '../../domain/errors.ts';
import { ADMIN_ACTS, ADMIN_READS, viewer } from '../auth/access.ts';
import { SAMPLE, text } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import { group, type Route } from '../route.ts';
import { LOGIN_ROUTES } from './logins.ts';
import type { IngestOptions } from './options.ts';
import { POST_ROUTES } from './posts.ts';
import { AccountsAnswer, checkNewAccount, NewAccount } from './schema.ts';
import { SOURCE_ROUTES } from './sources.ts';
import { showReader } from './view.ts';

interface OfKind {
  Params: { kind: string; id: string };
}

const Kept = Type.Object({ kind: text, id: text });
const READER = { kind: 'mtproto', id: SAMPLE.reader };

const LIST: Route<IngestOptions> = {
  method: 'GET',
  url: '/v1/ingest/accounts',
  access: viewer('closed'),
  tag: 'ingest',
  summary:
    'What channels are read with, whether it can now, and what the platform asked to wait for',
  answers: { 200: AccountsAnswer },
  examples: { 'all of them': { status: 200 } },
  handler: async ({ ingest }) => ({
    kinds: ingest.kinds,
    sending: ingest.sending.map(({ kind, platform, title }) => ({ kind, platform, title })),
    logins: { kinds: ingest.logins.kinds, missing: missingOf(ingest.logins.kinds) },
    accounts: (await ingest.accounts()).map(showReader),
  }),
};

const missingOf = (kinds: readonly string[]) =>
  kinds.length === 0 ? ERRORS.login_unavailable.remedy : null;

const SAVE: Route<IngestOptions> = {
  method: 'POST',
  url: '/v1/ingest/accounts',
  // A session is a secret: nothing of the body is noted.
  access: ADMIN_ACTS,
  tag: 'ingest',
  summary: 'Keep the session of an account that has logged in; `sluice ingest login` calls it',
  body: NewAccount,
  answers: { 201: Kept },
  examples: {
    'one that has logged in': {
      body: { ...READER, name: 'Reader', session: 'AwQAAAAXAgIADjE0OS4' },
      status: 201,
    },
  },
  handler: save,
};

const FORGET: Route<IngestOptions> = {
  method: 'DELETE',
  url: '/v1/ingest/accounts/:kind/:id',
  access: ADMIN_ACTS,
  tag: 'ingest',
  summary: 'Forget an account and its session',
  answers: { 200: Kept },
  examples: { 'one of them': { params: READER, status: 200 } },
  handler: async ({ ingest }, { params: { kind, id } }: FastifyRequest<OfKind>, reply) =>
    (await ingest.removeAccount(kind, id)) ? { kind, id } : refuse(reply, 'unknown_account'),
};

const SIGNING: Route<IngestOptions> = {
  method: 'GET',
  url: '/v1/ingest/signing',
  // It shows a secret.
  access: ADMIN_READS,
  tag: 'ingest',
  summary: 'The secret that posts to webhooks are signed with (Standard Webhooks)',
  answers: { 200: Type.Object({ signingSecret: text }) },
  examples: { 'for the receiver': { status: 200 } },
  handler: async ({ ingest: { signingSecret } }) => ({ signingSecret }),
};

export const INGEST_ROUTES = group<IngestOptions>(
  [...SOURCE_ROUTES, ...POST_ROUTES, LIST, SAVE, FORGET, ...LOGIN_ROUTES, SIGNING],
  ({ options }) =>
    options.ingest === undefined
      ? null
      : {
          ...{ ...options, ingest: options.ingest },
          ...{ exports: { underWay: 0 }, downloads: { underWay: 0 } },
        },
);

async function save({ ingest }: IngestOptions, { body }: FastifyRequest, reply: FastifyReply) {
  if (!checkNewAccount.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkNewAccount, body)));
  }
  const { kind, id, name = '', session } = body;
  if (await ingest.saveAccount({ kind, id, name, session }))
    return reply.code(201).send({ kind, id });
  const expected = 'a kind that accounts log in to; its settings may be missing';
  return sendProblem(reply, invalid('invalid_message', [{ path: '/kind', expected }]));
}
