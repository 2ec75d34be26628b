// /v1/messages: hand over, look up, search, cancel, explain.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WaitingCallers } from '../../accept/callers.ts';
import { invalid } from '../../accept/problems.ts';
import { checkSearch, Receipt, Result, SearchQuery } from '../../accept/schema.ts';
import {
  awaitResult,
  claimantOf,
  type PreparedMessage,
  prepare,
  submit,
} from '../../accept/submit.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { operator, sender, viewer } from '../auth/access.ts';
import { headersOf } from '../auth/guard.ts';
import type { HttpParts } from '../context.ts';
import { SAMPLE } from '../openapi/common.ts';
import { answered, refuse, sendProblem } from '../problem.ts';
import { readSearch } from '../query.ts';
import { group, type Route } from '../route.ts';
import {
  BatchItem,
  DeliveryPage,
  DeliveryStory,
  Explanation,
  Moved,
  SingleMessage,
} from './answers.ts';
import { cancelMessage, explainMessage, findMessage } from './calls.ts';
import { showPage } from './view.ts';

interface ById {
  Params: { id: string };
}

interface MessagePorts {
  readonly options: HttpParts;
  readonly waiting: WaitingCallers;
}

const to = { platform: SAMPLE.platform, account: SAMPLE.token, chat: 42 };
const waits = { params: { id: SAMPLE.waiting } };

const POST: Route<MessagePorts> = {
  method: 'POST',
  url: '/v1/messages',
  owner: 'draft',
  access: sender('draft'),
  tag: 'messages',
  summary: 'Hand over a message, or an array of them; accepted means on disk',
  headers: {
    'Idempotency-Key': 'The same key again sends nothing',
    'X-Correlation-Id': 'Your own id of it, searchable; the delivery’s id when left out',
  },
  body: { anyOf: [...SingleMessage.anyOf, { type: 'array', items: SingleMessage }] },
  answers: { 200: Result, 202: Receipt, 207: { type: 'array', items: BatchItem } },
  answerHeaders: {
    'X-Sluice-Delivery': 'The id of the delivery; of a batch there are several, in its answer',
    'X-Correlation-Id': 'Yours, else the id of the delivery',
  },
  serialised: { 202: Receipt },
  examples: {
    'a message': { body: { to, body: { text: 'hello' } }, status: 202 },
    'and wait until it has arrived': {
      body: { to, body: { text: 'hello' }, priority: 'high', wait: 10 },
      status: 200,
    },
    'for someone and for those who look on': {
      body: {
        to: { origin: to, observers: [SAMPLE.observer] },
        body: { text: 'hello' },
      },
      status: 202,
    },
    'several at once': {
      body: [
        { to, body: { text: 'one' }, session: 'build' },
        { to, body: { text: 'two' }, session: 'build', ttl: 60 },
      ],
      status: 207,
    },
  },
  handler: ({ options, waiting }, request, reply) =>
    Array.isArray(request.body)
      ? postMany(options, waiting, request, reply)
      : postOne(options, waiting, request, reply),
};

const SEARCH: Route<MessagePorts> = {
  method: 'GET',
  url: '/v1/messages',
  access: viewer('query'),
  tag: 'messages',
  summary: 'Search, newest first',
  query: SearchQuery,
  answers: { 200: DeliveryPage },
  examples: {
    'of one chat': { query: { account: SAMPLE.account, chat: '42', limit: '5' }, status: 200 },
    'by a text in them': { query: { text: 'hello', preview: 'true' }, status: 200 },
  },
  handler: ({ options }, request, reply) => search(options, request, reply),
};

const GET: Route<MessagePorts> = {
  method: 'GET',
  url: '/v1/messages/:id',
  owner: 'message',
  access: viewer('message'),
  tag: 'messages',
  summary: 'State, attempts, history, position, eta, result',
  answers: { 200: DeliveryStory },
  examples: { 'one of them': { ...waits, status: 200 } },
  handler: async ({ options }, request: FastifyRequest<ById>, reply) =>
    answered(reply, await findMessage(options, request.params.id)),
};

const CANCEL: Route<MessagePorts> = {
  method: 'DELETE',
  url: '/v1/messages/:id',
  owner: 'message',
  access: operator('message_change', 'path'),
  tag: 'messages',
  summary: 'Cancel, if it is not being sent',
  answers: { 200: Moved },
  examples: { 'one that waits': { ...waits, status: 200 } },
  handler: async ({ options }, request: FastifyRequest<ById>, reply) =>
    answered(reply, await cancelMessage(options, request.params.id, request.caller)),
};

const EXPLAIN: Route<MessagePorts> = {
  method: 'GET',
  url: '/v1/messages/:id/explain',
  owner: 'message',
  access: viewer('message'),
  tag: 'messages',
  summary: 'Why it has not gone out, or what it has waited for',
  answers: { 200: Explanation },
  examples: {
    'one that waits': { ...waits, status: 200 },
    'one that is dead': { params: { id: SAMPLE.dead }, status: 200 },
  },
  handler: async ({ options }, request: FastifyRequest<ById>, reply) =>
    answered(reply, await explainMessage(options, request.params.id)),
};

export const MESSAGE_ROUTES = group<MessagePorts>(
  [POST, SEARCH, GET, CANCEL, EXPLAIN],
  ({ options, waiting }) => ({ options, waiting }),
);

async function postOne(
  options: HttpParts,
  waiting: WaitingCallers,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const headers = headersOf(request);
  if ('code' in headers) return sendProblem(reply, headers);
  const draft = prepare(options, request.body, headers);
  // A turn less on the hot path: the account is nearly always known.
  const prepared = draft instanceof Promise ? await draft : draft;
  const submitted = await submit(options, prepared);
  if (submitted.kind === 'refused') {
    // The key is another message's.
    const { id } = submitted.problem;
    if (typeof id === 'string') reply.header('x-sluice-delivery', id);
    return sendProblem(reply, submitted.problem);
  }
  reply.header('x-sluice-delivery', submitted.receipt.id);
  reply.header('x-correlation-id', submitted.receipt.correlation);
  if (prepared.waitMs === 0) return reply.code(202).send(submitted.receipt);
  const wait = { ms: prepared.waitMs, caller: reply.raw, claimant: claimantOf(prepared) };
  const { status, answer } = await awaitResult(options, waiting, submitted, wait);
  return reply.code(status).send(answer);
}

// 207: each item carries the status it would have had alone.
async function postMany(
  options: HttpParts,
  waiting: WaitingCallers,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const items = request.body as unknown[];
  const { batchMax } = options.settings;
  if (items.length > batchMax) {
    return refuse(reply, 'batch_too_large', `${items.length} items; at most ${batchMax} fit.`);
  }
  const headers = headersOf(request);
  if ('code' in headers) return sendProblem(reply, headers);
  const prepared: PreparedMessage[] = [];
  for (const [i, item] of items.entries()) {
    // One key for the whole batch stands for one key per item, by its place.
    const key = headers.idempotencyKey === null ? null : `${headers.idempotencyKey}#${i}`;
    prepared.push(await prepare(options, item, { ...headers, idempotencyKey: key }));
  }
  const answers = await Promise.all(
    prepared.map(async (each) => {
      const submitted = await submit(options, each);
      if (submitted.kind === 'refused') return submitted.problem;
      const wait = { ms: each.waitMs, caller: reply.raw, claimant: claimantOf(each) };
      const { status, answer } = await awaitResult(options, waiting, submitted, wait);
      return { status, ...answer };
    }),
  );
  return reply.code(207).send(answers);
}

async function search(options: HttpParts, request: FastifyRequest, reply: FastifyReply) {
  const { query } = request;
  if (!checkSearch.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkSearch, query)));
  }
  const { tag, ledger } = options;
  const asked = readSearch(tag, query);
  if ('code' in asked) return sendProblem(reply, asked);
  const { filter, limit, before } = asked;
  return showPage(tag, await ledger.search(filter, { limit, before }), asked);
}
