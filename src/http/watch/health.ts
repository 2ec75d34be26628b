// /health says whether the process serves; /health/details whether its parts do; /metrics is for Prometheus.
// A full disk is no reason to restart, so only the details turn 503 when a part is down.

import type { FastifyInstance } from 'fastify';
import type { HealthPart, IntakeOptions } from '../context.ts';
import { refuse } from '../problem.ts';

export function healthRoutes(app: FastifyInstance, options: IntakeOptions): void {
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/health/details', async (_request, reply) => {
    const parts = await options.health();
    const status = worstOf(Object.values(parts));
    return reply.code(status === 'down' ? 503 : 200).send({ status, parts });
  });
  app.get('/metrics', async (_request, reply) => {
    if (!options.settings.metrics) return refuse(reply, 'not_found', 'Metrics are switched off.');
    return reply.type(options.metrics.contentType).send(await options.metrics.text());
  });
}

function worstOf(parts: readonly HealthPart[]): HealthPart['status'] {
  if (parts.some(({ status }) => status === 'down')) return 'down';
  return parts.some(({ status }) => status === 'stale') ? 'stale' : 'ok';
}
