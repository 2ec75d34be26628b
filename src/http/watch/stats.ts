// /queue/stats: depths at a glance, in the one shape that existing monitors read.

import type { FastifyInstance } from 'fastify';
import type { IntakeOptions } from '../context.ts';

export function statsRoutes(app: FastifyInstance, options: IntakeOptions): void {
  app.get('/queue/stats', async () => {
    const { critical, high, normal, low, retry } = options.road.depths();
    const dlq = await countDead(options);
    return {
      stats: { critical, high, normal, low, retry, dlq },
      // `retry` is a part of the four classes, not a fifth.
      total_queued: critical + high + normal + low,
      total_failed: dlq,
    };
  });
}

async function countDead(options: IntakeOptions): Promise<number> {
  const counts = await options.ledger.countByState();
  return counts.reduce((sum, { state, count }) => (state === 'dead' ? sum + count : sum), 0);
}
