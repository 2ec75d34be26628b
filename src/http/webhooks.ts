// /webhook/:platform/:account: updates as the platform posts them. Answered as soon as the update is durable; whoever
// forwards it does so later. The secret is the key, so no other one is asked for; which header carries it is the
// platform's to say.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { invalid } from '../accept/problems.ts';
import { platformOf } from '../domain/ids.ts';
import { unreachable } from '../system/assert.ts';
import { ANYONE } from './auth/access.ts';
import type { IntakeOptions } from './context.ts';
import { SAMPLE } from './openapi/common.ts';
import { refuse, sendProblem } from './problem.ts';
import { group, type Route, withOptions } from './route.ts';

interface ByAccount {
  Params: { platform: string; account: string };
}

const RECEIVE: Route<IntakeOptions> = {
  method: 'POST',
  url: '/webhook/:platform/:account',
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
  handler: receive,
};

export const WEBHOOK_ROUTES = group<IntakeOptions>([RECEIVE], withOptions);

// Before the body is read: a stranger's is not.
function admit(
  { updates, platforms }: IntakeOptions,
  request: FastifyRequest<ByAccount>,
  reply: FastifyReply,
  done: () => void,
): void {
  const { account, secret } = givenBy(platforms, request);
  if (updates === undefined || secret === null) refuse(reply, 'not_found');
  else if (updates.admits(account, secret)) {
    // Its secret has shown whose it is: it has no share with strangers.
    request.bodyOf = { account, address: '', isStranger: false };
    done();
  } else refuse(reply.header('connection', 'close'), 'wrong_webhook_secret');
}

// `secret` null: the platform posts no updates, or there is none of that name.
function givenBy(
  platforms: IntakeOptions['platforms'],
  { params, headers }: FastifyRequest<ByAccount>,
): { account: string; secret: string | null } {
  const { platform, account: given } = params;
  const reading = platforms.get(platform)?.updates;
  const secret = reading === undefined ? null : (headers[reading.secretHeader] ?? '');
  return {
    account: platformOf(given) === platform ? given : `${platform}:${given}`,
    secret: Array.isArray(secret) ? '' : secret,
  };
}

async function receive(
  options: IntakeOptions,
  request: FastifyRequest<ByAccount>,
  reply: FastifyReply,
) {
  const { updates, platforms } = options;
  const { account, secret } = givenBy(platforms, request);
  if (updates === undefined || secret === null) return refuse(reply, 'not_found');
  const received = await updates.receive(account, secret, request.body);
  switch (received.kind) {
    case 'received':
      return { ok: true };
    case 'unauthorized':
      return refuse(reply, 'wrong_webhook_secret');
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
