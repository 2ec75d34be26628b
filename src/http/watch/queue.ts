// /v1/queue: who waits, where it stands, when it is expected to go, and why it has not gone. Without a chat it tells
// the first of each lane, those that wait longest first; with one all that wait there.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { invalid } from '../../accept/problems.ts';
import { checkQueueQuery, QueueQuery } from '../../accept/schema.ts';
import { showTime, showTimeOrNull } from '../../accept/time.ts';
import { troublesOf } from '../../accept/trouble.ts';
import type { WaitingHead } from '../../road/road.ts';
import { viewer } from '../auth/access.ts';
import type { HttpParts } from '../context.ts';
import { readOthers } from '../fleet/others.ts';
import { Waiting } from '../messages/answers.ts';
import { previewOf, showBriefly } from '../messages/view.ts';
import { count, SAMPLE } from '../openapi/common.ts';
import { sendProblem } from '../problem.ts';
import { group, type Route, withOptions } from '../route.ts';

const SHOWN_WHEN_LEFT_OUT = 100;
const SHOWN_MAX = 500;

export const classes = { critical: count, high: count, normal: count, low: count };
export const retry = Type.Integer({
  description: 'Of them, those that were tried before',
});
export const Depths = Type.Object({ ...classes, retry, inFlight: count });

const LIST: Route<HttpParts> = {
  method: 'GET',
  url: '/v1/queue',
  isWide: true,
  owner: 'query',
  access: viewer('closed'),
  tag: 'watching',
  summary:
    'Who waits: the first of each chat and session, those that wait longest first, with the reason',
  query: QueueQuery,
  answers: { 200: Type.Object({ depths: Depths, items: Type.Array(Waiting) }) },
  examples: {
    'who waits longest': { query: { limit: '5' }, status: 200 },
    'of one account': { query: { account: SAMPLE.account }, status: 200 },
  },
  handler: list,
};

export const QUEUE_ROUTES = group<HttpParts>([LIST], withOptions);

async function list(options: HttpParts, request: FastifyRequest, reply: FastifyReply) {
  const { query } = request;
  if (!checkQueueQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkQueueQuery, query)));
  }
  const { limit, ...filter } = query;
  const asked = limit === undefined ? SHOWN_WHEN_LEFT_OUT : Number(limit);
  const max = Math.min(SHOWN_MAX, Math.max(1, asked));
  const { critical, high, normal, low, retry, inFlight } = options.road.depths();
  const own = showWaiting(options, options.road.waiting(filter, max));
  const all = [...(await own), ...(await elsewhere(options, request))];
  const items = all.sort((a, b) => (a.since < b.since ? -1 : 1)).slice(0, max);
  return { depths: { critical, high, normal, low, retry, inFlight }, items };
}

export type ShownWaiting = Awaited<ReturnType<typeof showWaiting>>[number];

// What waits at other nodes, as each of them says. Of one account, its owner alone is asked; see fleet/to-owner.ts.
async function elsewhere(options: HttpParts, request: FastifyRequest): Promise<ShownWaiting[]> {
  if ((request.query as { account?: string }).account !== undefined) return [];
  const answers = await readOthers<{ items: ShownWaiting[] }>(options, request);
  return answers.flatMap(({ items }) => items);
}

// One that left while it was looked up is left out.
export async function showWaiting(
  { ledger, road, tag }: Pick<HttpParts, 'ledger' | 'road' | 'tag'>,
  heads: readonly WaitingHead[],
) {
  const deliveries = await ledger.getMany(heads.map(({ seq }) => seq));
  const known = new Map(deliveries.map((delivery) => [delivery.seq, delivery]));
  return heads.flatMap(({ seq, since, behind }) => {
    const delivery = known.get(seq);
    const explained = road.explain(seq);
    if (delivery === undefined || explained === null) return [];
    const { position, eta, summary, cause, waitsFor, causes } = explained;
    return [
      {
        ...showBriefly(tag, delivery),
        preview: previewOf(delivery.body),
        since: showTime(since),
        position,
        eta: showTimeOrNull(eta),
        why: summary,
        cause,
        waitsFor,
        kinds: causes.map(({ kind }) => kind),
        behind,
      },
    ];
  });
}
