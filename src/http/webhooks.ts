// /webhook/telegram/:account: updates as Telegram posts them. Answered as soon as the update is durable; whoever
// forwards it does so later. The secret is the key, so no other one is asked for.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from '../accept/problems.ts';
import { unreachable } from '../system/assert.ts';
import type { IntakeOptions } from './context.ts';
import { refuse, sendProblem } from './problem.ts';

const SECRET_HEADER = 'x-telegram-bot-api-secret-token';

interface ByAccount {
  Params: { account: string };
}

export function webhookRoutes(app: FastifyInstance, options: IntakeOptions): void {
  app.post<ByAccount>(
    '/webhook/telegram/:account',
    { onRequest: (request, reply, done) => admit(options, request, reply, done) },
    (request, reply) => receive(options, request, reply),
  );
}

// Before the body is read: a stranger's is not.
function admit(
  { updates }: IntakeOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void {
  const { account, secret } = givenBy(request as FastifyRequest<ByAccount>);
  if (updates === undefined) refuse(reply, 'not_found');
  else if (updates.admits(account, secret)) done();
  else refuse(reply.header('connection', 'close'), 'wrong_webhook_secret');
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

// For the operator: where Telegram is to post, and with which secret.
export function webhookViewRoutes(app: FastifyInstance, options: IntakeOptions): void {
  app.get<{ Params: { id: string } }>('/v1/accounts/:id/webhook', async (request, reply) => {
    const view = options.updates?.webhookOf(request.params.id) ?? null;
    return view ?? refuse(reply, 'unknown_account');
  });
}
