// /v1/dead: letters that will not be tried again unless someone says so. Listed, grouped by cause, retried,
// edited, discarded.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Permit, permitted } from '../../accept/permit.ts';
import { fullProblem, gone, invalid, moveProblem, readId } from '../../accept/problems.ts';
import { checkDeadEdit, DeadCommand, DeadEdit, DeadQuery } from '../../accept/schema.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { bodyOf, filesOf } from '../../domain/body.ts';
import { bytesOf, type Delivery } from '../../domain/delivery.ts';
import type { Platform } from '../../platforms/platform.ts';
import { operator, viewer } from '../auth/access.ts';
import type { HttpParts } from '../context.ts';
import { SAMPLE } from '../openapi/common.ts';
import { answered, refuse, sendProblem } from '../problem.ts';
import { group, type Route, withOptions } from '../route.ts';
import { DeadGroups, DeliveryPage, Handled, Moved } from './answers.ts';
import { handleDead, listDead } from './letters.ts';

const LIST: Route<HttpParts> = {
  method: 'GET',
  url: '/v1/dead',
  access: viewer('query'),
  tag: 'dead letters',
  summary: 'Dead letters, listed or grouped by cause',
  query: DeadQuery,
  answers: { 200: { anyOf: [DeliveryPage, DeadGroups] } },
  examples: {
    'the newest': { query: { limit: '5' }, status: 200 },
    'counted by cause': { query: { group: 'cause' }, status: 200 },
  },
  handler: async (options, { query }, reply) => answered(reply, await listDead(options, query)),
};

const RETRY: Route<HttpParts> = {
  method: 'POST',
  url: '/v1/dead/retry',
  access: operator('closed', 'body'),
  tag: 'dead letters',
  summary: 'Queue dead letters again, by ids or filter; repeat with `next` until it is null',
  body: DeadCommand,
  answers: { 200: Handled },
  examples: {
    'one of them': { body: { ids: [SAMPLE.dead] }, status: 200 },
    'all of a cause': { body: { filter: { reason: 'bot_blocked' } }, status: 200 },
  },
  handler: async (options, { body, caller }, reply) =>
    answered(reply, await handleDead(options, 'retry', body, caller)),
};

const DISCARD: Route<HttpParts> = {
  method: 'POST',
  url: '/v1/dead/discard',
  access: operator('closed', 'body'),
  tag: 'dead letters',
  summary: 'Give dead letters up, by ids or filter; repeat with `next` until it is null',
  body: DeadCommand,
  answers: { 200: Handled },
  examples: { 'one of them': { body: { ids: [SAMPLE.dead] }, status: 200 } },
  handler: async (options, { body, caller }, reply) =>
    answered(reply, await handleDead(options, 'discard', body, caller)),
};

const EDIT: Route<HttpParts> = {
  method: 'PATCH',
  url: '/v1/dead/:id',
  owner: 'message',
  access: operator('message_change', 'path'),
  tag: 'dead letters',
  summary: 'Change the content and queue it again',
  body: DeadEdit,
  answers: { 200: Moved },
  examples: {
    'another text': {
      params: { id: SAMPLE.dead },
      body: { body: { text: 'shorter' } },
      status: 200,
    },
  },
  handler: edit,
};

export const DEAD_ROUTES = group<HttpParts>([LIST, RETRY, DISCARD, EDIT], withOptions);

async function edit(
  options: HttpParts,
  request: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
) {
  const { tag, ledger, road, clock } = options;
  const seq = readId(tag, request.params.id);
  if (typeof seq !== 'number') return sendProblem(reply, seq);
  const { body } = request;
  if (!checkDeadEdit.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkDeadEdit, body)));
  }
  const delivery = await ledger.get(seq);
  if (delivery === null) return sendProblem(reply, gone());
  const platform = options.platforms.get(delivery.platform);
  if (platform === undefined) return refuse(reply, 'unknown_platform');
  // The target stays: an edited letter is the same delivery, with another content.
  const permit = judgedEdit(request, platform, delivery, body.body);
  if (permit.kind === 'refused') return refuse(reply, 'forbidden_scope', permit.detail);
  const { params } = permit;
  const call = platform.calls.describe(delivery.method, params);
  if (call.kind !== 'call') {
    const expected = call.kind === 'invalid' ? call.detail : 'the parameters of a call that sends';
    return sendProblem(reply, invalid('invalid_message', [{ path: '/body', expected }]));
  }
  if (call.method !== delivery.method) {
    const expected = `the parameters of ${delivery.method}; these are of ${call.method}`;
    return sendProblem(reply, invalid('invalid_message', [{ path: '/body', expected }]));
  }
  // Its files stay with it.
  const text = bodyOf(params, filesOf(delivery.body));
  const full = road.fullFor(delivery.account, bytesOf(text));
  if (full !== null) return sendProblem(reply, fullProblem(full));
  const moved = await road.move({
    account: delivery.account,
    seq,
    to: 'queued',
    at: clock.now(),
    reason: 'edited',
    by: request.caller,
    body: text,
    queueMax: options.settings.queueMaxOf(delivery.account),
  });
  const refusal = moveProblem(moved);
  if (refusal !== null) return sendProblem(reply, refusal);
  return { id: request.params.id, state: 'queued' };
}

// Judged as a new message would be.
function judgedEdit(
  { holder }: FastifyRequest,
  platform: Platform,
  delivery: Delivery,
  body: Readonly<Record<string, unknown>>,
): Permit {
  const { method } = delivery;
  const params = platform.calls.address(body, delivery);
  const bounds = holder?.bounds ?? null;
  if (bounds === null) return { kind: 'permitted', params };
  return permitted(platform.calls, bounds, { method, params, files: filesOf(delivery.body) });
}
