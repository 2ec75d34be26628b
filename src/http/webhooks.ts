// /webhook/:platform/:account: updates as the platform posts them. Answered as soon as the update is durable; whoever
// forwards it does so later. The account's secret is the key, so no other one is asked for; how it proves who posts (as
// a header, as a signature of the body) is the platform's to say.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { invalid } from '../accept/problems.ts';
import { type AccountId, parseAccountId, platformOf } from '../domain/ids.ts';
import { unreachable } from '../system/assert.ts';
import { parseJson } from '../system/json.ts';
import { ANYONE } from './auth/access.ts';
import type { HttpParts } from './context.ts';
import { JsonBodyError, sendAnswer } from './edge.ts';
import { SAMPLE, text } from './openapi/common.ts';
import { refuse, sendProblem } from './problem.ts';
import { group, type Route, withOptions } from './route.ts';

interface ByAccount {
  Params: { platform: string; account: string };
}

const RECEIVE: Route<HttpParts> = {
  method: 'POST',
  url: '/webhook/:platform/:account',
  owner: 'webhook',
  // It has a secret of its own.
  access: ANYONE,
  tag: 'updates',
  summary: 'One update, as the platform posts it',
  headers: {
    [SAMPLE.secretHeader]: 'The secret of this account; each platform has a header of its own',
  },
  body: Type.Object({}, { description: 'An update of the platform', additionalProperties: true }),
  answers: { 200: Type.Object({ ok: Type.Boolean() }) },
  examples: {
    'a person writes': {
      params: { platform: SAMPLE.platform, account: SAMPLE.account },
      headers: { [SAMPLE.secretHeader]: SAMPLE.secret },
      body: SAMPLE.update,
      status: 200,
    },
  },
  admit,
  reads: addRawJson,
  handler: receive,
};

// Some platforms ask, before they post anything, whether the webhook is wanted. What is asked and answered is the
// platform's to describe.
const VERIFY: Route<HttpParts> = {
  method: 'GET',
  url: '/webhook/:platform/:account',
  access: ANYONE,
  tag: 'updates',
  summary: 'Whether the webhook is wanted, as some platforms ask before they post',
  answers: { 200: text, 403: text },
  answerType: 'text/plain',
  examples: {
    'asked without the secret': {
      params: { platform: SAMPLE.platform, account: SAMPLE.account },
      status: 403,
    },
  },
  handler: verify,
};

export const WEBHOOK_ROUTES = group<HttpParts>([RECEIVE, VERIFY], withOptions);

// What is repeated is a number or the like, and never a page.
const CHALLENGE = /^[\w.-]{1,256}$/;

function verify(
  { updates, platforms }: HttpParts,
  request: FastifyRequest<ByAccount>,
  reply: FastifyReply,
) {
  const account = accountOf(platforms, request);
  if (updates === undefined || account === null) return refuse(reply, 'not_found');
  const query = request.query as Readonly<Record<string, unknown>>;
  const answer = updates.challenge(account, query);
  if (answer === null || !CHALLENGE.test(answer)) return refuse(reply, 'wrong_webhook_secret');
  return reply.type('text/plain').send(answer);
}

// As it came: a platform may have signed it, and what is not proven is not parsed.
function addRawJson(app: FastifyInstance): void {
  const type = 'application/json';
  app.removeContentTypeParser(type);
  app.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => done(null, body));
}

// Before the body is read: a stranger's is not.
function admit(
  { updates, platforms }: HttpParts,
  request: FastifyRequest<ByAccount>,
  reply: FastifyReply,
  done: () => void,
): void {
  const account = accountOf(platforms, request);
  if (updates === undefined || account === null) refuse(reply, 'not_found');
  else if (updates.admits(account, { headers: request.headers, rawBody: null })) {
    // Its secret has shown whose it is: it has no share with strangers.
    request.bodyOf = { account, address: '', isStranger: false };
    done();
  } else refuseUnproven(platforms, account, reply.header('connection', 'close'));
}

function refuseUnproven(
  platforms: HttpParts['platforms'],
  account: AccountId,
  reply: FastifyReply,
): unknown {
  const answer = platforms.get(platformOf(account))?.updates?.unproven;
  return answer === undefined ? refuse(reply, 'wrong_webhook_secret') : sendAnswer(reply, answer);
}

// null: the platform posts no updates, or there is none of that name.
function accountOf(
  platforms: HttpParts['platforms'],
  { params }: FastifyRequest<ByAccount>,
): AccountId | null {
  const { platform, account } = params;
  if (platforms.get(platform)?.updates === undefined) return null;
  const named = parseAccountId(account);
  return named !== null && platformOf(named) === platform ? named : `${platform}:${account}`;
}

async function receive(
  options: HttpParts,
  request: FastifyRequest<ByAccount>,
  reply: FastifyReply,
) {
  const { updates, platforms } = options;
  const account = accountOf(platforms, request);
  if (updates === undefined || account === null) return refuse(reply, 'not_found');
  const { headers, body } = request;
  const posted = { headers, rawBody: typeof body === 'string' ? body : '' };
  if (!updates.admits(account, posted)) return refuseUnproven(platforms, account, reply);
  const update = parseJson(posted.rawBody);
  if (update.kind !== 'value') throw new JsonBodyError(update);
  const received = await updates.receive(account, posted, update.value);
  switch (received.kind) {
    case 'received': {
      const reading = platforms.get(platformOf(account))?.updates;
      const answer = reading?.answerTo?.(update.value) ?? null;
      return answer === null ? { ok: true } : sendAnswer(reply, answer);
    }
    case 'unauthorized':
      return refuseUnproven(platforms, account, reply);
    case 'invalid':
      return sendProblem(
        reply,
        invalid('invalid_message', [
          { path: '/', expected: `an update of ${platformOf(account)}` },
        ]),
      );
    case 'full': {
      const { waiting, waitingMax } = received;
      return refuse(reply, 'updates_full', `${waiting} of ${waitingMax} updates wait.`);
    }
    default:
      return unreachable(received);
  }
}
