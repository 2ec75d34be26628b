// /webhook/telegram/:account: updates as Telegram posts them. Answered as soon as the update is durable; whoever
// forwards it does so later. The secret is the key, so no other one is asked for.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { invalid } from '../accept/problems.ts';
import { unreachable } from '../system/assert.ts';
import { ANYONE } from './auth/access.ts';
import type { IntakeOptions } from './context.ts';
import { count, SAMPLE } from './openapi/common.ts';
import { refuse, sendProblem } from './problem.ts';
import { group, type Route, withOptions } from './route.ts';

const SECRET_HEADER = 'x-telegram-bot-api-secret-token';

interface ByAccount {
  Params: { account: string };
}

const RECEIVE: Route<IntakeOptions> = {
  method: 'POST',
  url: '/webhook/telegram/:account',
  // It has a secret of its own.
  access: ANYONE,
  tag: 'updates',
  summary: 'One update, as Telegram posts it',
  headers: { 'X-Telegram-Bot-Api-Secret-Token': 'The secret of this account' },
  body: Type.Object({ update_id: count }),
  answers: { 200: Type.Object({ ok: Type.Boolean() }) },
  examples: {
    'a person writes': {
      params: { account: SAMPLE.account },
      headers: { 'X-Telegram-Bot-Api-Secret-Token': SAMPLE.secret },
      body: {
        update_id: 7001,
        message: { message_id: 1, date: 1900000000, chat: { id: 42 }, text: 'hello' },
      },
      status: 200,
    },
  },
  admit,
  handler: receive,
};

export const WEBHOOK_ROUTES = group<IntakeOptions>([RECEIVE], withOptions);

// Before the body is read: a stranger's is not.
function admit(
  { updates }: IntakeOptions,
  request: FastifyRequest<ByAccount>,
  reply: FastifyReply,
  done: () => void,
): void {
  const { account, secret } = givenBy(request);
  if (updates === undefined) refuse(reply, 'not_found');
  else if (updates.admits(account, secret)) {
    // Its secret has shown whose it is: it has no share with strangers.
    request.bodyOf = { account, address: '', isStranger: false };
    done();
  } else refuse(reply.header('connection', 'close'), 'wrong_webhook_secret');
}

function givenBy({ params, headers }: FastifyRequest<ByAccount>) {
  const { account: given } = params;
  const secret = headers[SECRET_HEADER];
  return {
    account: given.includes(':') ? given : `telegram:${given}`,
    secret: typeof secret === 'string' ? secret : '',
  };
}

async function receive(
  options: IntakeOptions,
  request: FastifyRequest<ByAccount>,
  reply: FastifyReply,
) {
  const { updates } = options;
  if (updates === undefined) return refuse(reply, 'not_found');
  const { account, secret } = givenBy(request);
  const received = await updates.receive(account, secret, request.body);
  switch (received.kind) {
    case 'received':
      return { ok: true };
    case 'unauthorized':
      return refuse(reply, 'wrong_webhook_secret');
    case 'invalid':
      return sendProblem(
        reply,
        invalid('invalid_message', [{ path: '/', expected: 'an update with its `update_id`' }]),
      );
    case 'full': {
      const { waiting, waitingMax } = received;
      return refuse(reply, 'updates_full', `${waiting} of ${waitingMax} updates wait.`);
    }
    default:
      return unreachable(received);
  }
}
