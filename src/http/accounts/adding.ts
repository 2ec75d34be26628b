// POST /v1/accounts: an account made known by its token, before its first message. The platform is asked whose it is.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { identityProblem, invalid } from '../../accept/problems.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { checkOf } from '../../system/check.ts';
import { ADMIN_ACTS } from '../auth/access.ts';
import type { HttpParts } from '../context.ts';
import { SAMPLE, text } from '../openapi/common.ts';
import { sendProblem } from '../problem.ts';
import type { Route } from '../route.ts';

const TOKEN_LENGTH_MAX = 1024;
const NewAccount = Type.Object(
  {
    platform: Type.String({ minLength: 1, maxLength: 64 }),
    token: Type.String({
      minLength: 1,
      maxLength: TOKEN_LENGTH_MAX,
      description: 'Sealed at rest, and shown to nobody again',
    }),
  },
  { additionalProperties: false },
);
const checkNewAccount = checkOf(NewAccount);

export const ADD: Route<{ readonly options: HttpParts }> = {
  method: 'POST',
  url: '/v1/accounts',
  access: ADMIN_ACTS,
  tag: 'accounts',
  summary:
    'Make an account known by its token; a new token of a known account replaces the old one',
  body: NewAccount,
  answers: {
    200: Type.Object({
      id: text,
      platform: text,
      isNew: Type.Boolean({ description: 'False: it was known before' }),
    }),
  },
  examples: {
    'one of the built-in simulator': {
      body: { platform: SAMPLE.platform, token: SAMPLE.token },
      status: 200,
    },
  },
  handler: ({ options }, request, reply) => add(options, request, reply),
};

async function add(
  { accounts }: HttpParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { body } = request;
  if (!checkNewAccount.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkNewAccount, body)));
  }
  const { platform, token } = body;
  const before = new Set(accounts.list().map(({ id }) => id));
  const identity = await accounts.identify(platform, token.trim());
  if (identity.kind !== 'known') return sendProblem(reply, identityProblem(identity));
  request.subject = identity.id;
  return { id: identity.id, platform, isNew: !before.has(identity.id) };
}
