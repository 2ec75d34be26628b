// /queue/stats: depths at a glance, in the one shape that existing monitors read.

import Type from 'typebox';
import { viewer } from '../auth/access.ts';
import type { HttpParts } from '../context.ts';
import { count } from '../openapi/common.ts';
import { group, type Route, withOptions } from '../route.ts';
import { classes, retry } from './queue.ts';

const STATS: Route<HttpParts> = {
  method: 'GET',
  url: '/queue/stats',
  isWide: true,
  access: viewer('closed'),
  tag: 'watching',
  summary: 'Depths of the queue',
  answers: {
    200: Type.Object({
      stats: Type.Object({ ...classes, retry, dlq: count }),
      total_queued: count,
      total_failed: count,
    }),
  },
  examples: { now: { status: 200 } },
  handler: async (options) => {
    const { critical, high, normal, low, retry } = options.road.depths();
    const dlq = await countDead(options);
    return {
      stats: { critical, high, normal, low, retry, dlq },
      // `retry` is a part of the four classes, not a fifth.
      total_queued: critical + high + normal + low,
      total_failed: dlq,
    };
  },
};

export const STATS_ROUTES = group<HttpParts>([STATS], withOptions);

async function countDead(options: HttpParts): Promise<number> {
  const counts = await options.ledger.countByState();
  return counts.reduce((sum, { state, count }) => (state === 'dead' ? sum + count : sum), 0);
}
