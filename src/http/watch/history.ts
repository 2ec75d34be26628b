// GET /v1/history: the last day as sums of minutes, of all accounts or of one: what was sent, what failed, what died,
// and how long messages waited. It outlives restarts; what happens right now is in /v1/overview.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { NAME_LENGTH_MAX } from '../../accept/context.ts';
import { invalid } from '../../accept/problems.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { WAIT_CLASSES, waitQuantileMs } from '../../domain/wait-histogram.ts';
import { ALL_ACCOUNTS, type MinuteSum } from '../../store/ports/minutes.ts';
import { checkOf } from '../../system/check.ts';
import { viewer } from '../auth/access.ts';
import type { HttpParts } from '../context.ts';
import { count, SAMPLE } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import { group, type Route, withOptions } from '../route.ts';

const MINUTE_MS = 60_000;
const HOURS_MAX = 24;
// Above so many hours a number stands for several minutes.
const HOURS_BY_MINUTE_MAX = 2;
const STEP_MINUTES = 5;

const HistoryQuery = Type.Object(
  {
    account: Type.Optional(
      Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, description: 'All when left out' }),
    ),
    hours: Type.Optional(
      Type.String({ pattern: '^([1-9]|1[0-9]|2[0-4])$', description: '1 to 24; 24' }),
    ),
  },
  { additionalProperties: false },
);
const checkHistoryQuery = checkOf(HistoryQuery);
const sums = Type.Array(count);
const waits = Type.Array(Type.Unsafe({ type: ['number', 'null'] }), {
  description: 'Milliseconds from acceptance to the answer; null: nothing was sent',
});

export interface History {
  readonly until: number;
  readonly stepS: number;
  readonly sent: readonly number[];
  readonly failed: readonly number[];
  readonly dead: readonly number[];
  readonly p50Ms: readonly (number | null)[];
  readonly p95Ms: readonly (number | null)[];
}

const HISTORY: Route<HttpParts> = {
  method: 'GET',
  url: '/v1/history',
  access: viewer('closed'),
  tag: 'watching',
  summary: 'What happened in the last hours, also before a restart',
  query: HistoryQuery,
  answers: {
    200: Type.Object({
      until: Type.Integer({
        description: 'The second (since the epoch) in which the last ends; it is still running',
      }),
      stepS: Type.Integer({ description: 'So many seconds for each number' }),
      sent: sums,
      failed: { ...sums, description: 'Calls that failed or whose answer was lost' },
      dead: sums,
      p50Ms: waits,
      p95Ms: waits,
    }),
  },
  examples: {
    'of all': { status: 200 },
    'of one account': { query: { account: SAMPLE.account, hours: '2' }, status: 200 },
  },
  handler: show,
};

export const HISTORY_ROUTES = group<HttpParts>([HISTORY], withOptions);

async function show({ minutes, clock }: HttpParts, { query }: FastifyRequest, reply: FastifyReply) {
  if (!checkHistoryQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkHistoryQuery, query)));
  }
  if (minutes === undefined) return refuse(reply, 'not_found');
  const hours = Number(query.hours ?? HOURS_MAX);
  const step = hours > HOURS_BY_MINUTE_MAX ? STEP_MINUTES : 1;
  // With the step that runs, as far as it has got.
  const until = (Math.floor(clock.now() / MINUTE_MS / step) + 1) * step;
  const from = until - hours * 60;
  const found = await minutes.since({ account: query.account ?? ALL_ACCOUNTS, minute: from });
  return seriesOf(found, from, until, step);
}

// A number for each step from `from` to before `until`, both in minutes.
export function seriesOf(
  found: readonly MinuteSum[],
  from: number,
  until: number,
  step: number,
): History {
  const steps = Array.from({ length: (until - from) / step }, () => ({
    ...{ sent: 0, failed: 0, dead: 0 },
    waits: Array.from({ length: WAIT_CLASSES }, () => 0),
  }));
  for (const sum of found) {
    const into = steps[Math.floor((sum.minute - from) / step)];
    if (into === undefined) continue;
    into.sent += sum.sent;
    into.failed += sum.failed;
    into.dead += sum.dead;
    for (const [index, n] of sum.waits.entries()) into.waits[index]! += n;
  }
  return {
    until: until * 60,
    stepS: step * 60,
    sent: steps.map(({ sent }) => sent),
    failed: steps.map(({ failed }) => failed),
    dead: steps.map(({ dead }) => dead),
    p50Ms: steps.map((each) => waitQuantileMs(each.waits, 0.5)),
    p95Ms: steps.map((each) => waitQuantileMs(each.waits, 0.95)),
  };
}
