// /v1/dead: letters that will not be tried again unless someone says so. Listed, grouped by cause, retried,
// edited, discarded. A command by filter works in bounded steps: the answer says where the next one begins.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Permit, permitted } from '../../accept/permit.ts';
import { fullProblem, gone, invalid, moveProblem, readId } from '../../accept/problems.ts';
import {
  checkDeadCommand,
  checkDeadEdit,
  checkDeadQuery,
  DeadCommand,
  DeadEdit,
  DeadQuery,
  type DeadRequest,
} from '../../accept/schema.ts';
import { showTime } from '../../accept/time.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { bodyOf, filesOf } from '../../domain/body.ts';
import { bytesOf, type Delivery } from '../../domain/delivery.ts';
import { type Problem, problem } from '../../domain/errors.ts';
import { formatId } from '../../domain/ids.ts';
import { type Filter, SEARCH_LIMIT_MAX } from '../../ledger/ledger.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { MoveCommand } from '../../store/ports/delivery.ts';
import { operator, viewer } from '../auth/access.ts';
import type { IntakeOptions } from '../context.ts';
import { SAMPLE } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import { readSearch } from '../query.ts';
import { group, type Route, withOptions } from '../route.ts';
import { DeadGroups, DeliveryPage, Handled, Moved } from './answers.ts';
import { showPage } from './view.ts';

type Deed = 'retry' | 'discard';

// How many refusals of a step are told one by one.
const FAILED_SHOWN_MAX = 100;

const LIST: Route<IntakeOptions> = {
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
  handler: list,
};

const RETRY: Route<IntakeOptions> = {
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
  handler: (options, request, reply) => command(options, 'retry', request, reply),
};

const DISCARD: Route<IntakeOptions> = {
  method: 'POST',
  url: '/v1/dead/discard',
  access: operator('closed', 'body'),
  tag: 'dead letters',
  summary: 'Give dead letters up, by ids or filter; repeat with `next` until it is null',
  body: DeadCommand,
  answers: { 200: Handled },
  examples: { 'one of them': { body: { ids: [SAMPLE.dead] }, status: 200 } },
  handler: (options, request, reply) => command(options, 'discard', request, reply),
};

const EDIT: Route<IntakeOptions> = {
  method: 'PATCH',
  url: '/v1/dead/:id',
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

export const DEAD_ROUTES = group<IntakeOptions>([LIST, RETRY, DISCARD, EDIT], withOptions);

async function list(options: IntakeOptions, request: FastifyRequest, reply: FastifyReply) {
  const { query } = request;
  if (!checkDeadQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkDeadQuery, query)));
  }
  const { tag, ledger } = options;
  const { group, ...rest } = query;
  const asked = readSearch(tag, { state: 'dead', ...rest });
  if ('code' in asked) return sendProblem(reply, asked);
  const { filter, limit, before } = asked;
  if (group === undefined) {
    return showPage(tag, await ledger.search(filter, { limit, before }), asked);
  }
  const groups = await ledger.deadByCause(filter);
  return {
    groups: groups.map(({ account, reason, count, oldestAt, newestAt, example }) => ({
      account,
      reason,
      count,
      oldestAt: showTime(oldestAt),
      newestAt: showTime(newestAt),
      example: formatId(tag, example),
    })),
  };
}

async function command(
  options: IntakeOptions,
  deed: Deed,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { body } = request;
  if (!checkDeadCommand.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkDeadCommand, body)));
  }
  const step = await lettersOf(options, body);
  if ('code' in step) return sendProblem(reply, step);
  let done = 0;
  const failed: { id: string; code: string; detail: string }[] = [];
  // Oldest first: letters of one chat go out again in the order they came.
  for (const letter of step.letters) {
    const refusal =
      typeof letter.seq === 'number'
        ? await doTo(options, deed, letter.seq, letter.account, request.caller)
        : letter.seq;
    if (refusal === null) done += 1;
    else failed.push({ id: letter.id, code: refusal.code, detail: refusal.detail });
  }
  const shown = failed.slice(0, FAILED_SHOWN_MAX);
  return { done, failed: failed.length, failures: shown, next: step.next };
}

interface Letter {
  readonly id: string;
  readonly seq: number | Problem;
  readonly account: string;
}

async function lettersOf(
  options: IntakeOptions,
  body: DeadRequest,
): Promise<{ letters: Letter[]; next: string | null } | Problem> {
  const { ids, filter, cursor } = body;
  if ((ids === undefined) === (filter === undefined)) {
    return invalid('invalid_message', [{ path: '/', expected: 'either `ids` or `filter`' }]);
  }
  if (ids !== undefined) return lettersById(options, ids);
  const asked = readSearch(options.tag, {
    state: 'dead',
    ...filter,
    ...(cursor === undefined ? {} : { cursor }),
  });
  if ('code' in asked) return asked;
  // The cursor names the last letter of the step before.
  return lettersByFilter(options, asked.filter, asked.before ?? 0);
}

async function lettersById(options: IntakeOptions, ids: readonly string[]) {
  const { batchMax } = options.settings;
  if (ids.length > batchMax) {
    return problem('batch_too_large', `${ids.length} ids; at most ${batchMax} fit.`);
  }
  const { tag, ledger } = options;
  const seqs = ids.map((id) => readId(tag, id));
  const known = await ledger.getMany(seqs.filter((seq) => typeof seq === 'number'));
  const accounts = new Map(known.map(({ seq, account }) => [seq, account]));
  const letters = ids.map((id, i): Letter => {
    const seq = seqs[i]!;
    const account = typeof seq === 'number' ? accounts.get(seq) : undefined;
    return {
      id,
      seq: account === undefined && typeof seq === 'number' ? gone() : seq,
      account: account ?? '',
    };
  });
  letters.sort((a, b) => Number(a.seq) - Number(b.seq) || 0);
  return { letters, next: null };
}

// Oldest first over all steps: what was retried in a step before goes out before what is retried in the next.
async function lettersByFilter(options: IntakeOptions, filter: Filter, after: number) {
  const { tag, ledger, settings } = options;
  const limit = Math.min(settings.batchMax, SEARCH_LIMIT_MAX);
  const found: Delivery[] = await ledger.search(filter, { limit, after });
  const next = found.length === limit ? formatId(tag, found.at(-1)!.seq) : null;
  const letters = found.map(({ id, seq, account }): Letter => ({ id, seq, account }));
  return { letters, next };
}

async function doTo(
  options: IntakeOptions,
  deed: Deed,
  seq: number,
  account: string,
  by: string,
): Promise<Problem | null> {
  const order: Pick<MoveCommand, 'to' | 'reason'> =
    deed === 'retry'
      ? { to: 'queued', reason: 'retried' }
      : { to: 'cancelled', reason: 'discarded' };
  const at = options.clock.now();
  const queueMax = options.settings.queueMaxOf(account);
  const full = deed === 'retry' ? options.road.fullFor(account, 0) : null;
  if (full !== null) return fullProblem(full);
  return moveProblem(
    await options.road.move({ ...order, account, seq, at, by, body: null, queueMax }),
  );
}

async function edit(
  options: IntakeOptions,
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
