// /health says whether the process serves; /health/details whether its parts do; /metrics is for Prometheus.
// A full disk is no reason to restart, so only the details turn 503 when a part is down.

import Type from 'typebox';
import { WATCHER } from '../auth/access.ts';
import type { HealthPart, IntakeOptions } from '../context.ts';
import { text } from '../openapi/common.ts';
import { refuse } from '../problem.ts';
import { group, type Route, withOptions } from '../route.ts';

const part = Type.Enum(['ok', 'stale', 'down']);
const Health = Type.Object({
  status: part,
  parts: Type.Record(
    Type.String(),
    Type.Object({ status: part }, { additionalProperties: true, description: 'And its details' }),
  ),
});

const SERVES: Route<IntakeOptions> = {
  method: 'GET',
  url: '/health',
  access: WATCHER,
  tag: 'gateway',
  summary: 'Whether the process serves',
  answers: { 200: Type.Object({ status: text }) },
  examples: { now: { status: 200 } },
  handler: async () => ({ status: 'ok' }),
};

const DETAILS: Route<IntakeOptions> = {
  method: 'GET',
  url: '/health/details',
  access: WATCHER,
  tag: 'gateway',
  summary: 'Whether its parts work: ok, stale or down',
  answers: { 200: Health, 503: Health },
  examples: { now: { status: 200 } },
  handler: async (options, _request, reply) => {
    const parts = await options.health();
    const status = worstOf(Object.values(parts));
    return reply.code(status === 'down' ? 503 : 200).send({ status, parts });
  },
};

const METRICS: Route<IntakeOptions> = {
  method: 'GET',
  url: '/metrics',
  access: WATCHER,
  tag: 'gateway',
  summary: 'Prometheus metrics',
  answers: { 200: text },
  answerType: 'text/plain',
  examples: { now: { status: 200 } },
  handler: async ({ settings, metrics }, _request, reply) => {
    if (!settings.metrics) return refuse(reply, 'not_found', 'Metrics are switched off.');
    return reply.type(metrics.contentType).send(await metrics.text());
  },
};

export const HEALTH_ROUTES = group<IntakeOptions>([SERVES, DETAILS, METRICS], withOptions);

function worstOf(parts: readonly HealthPart[]): HealthPart['status'] {
  if (parts.some(({ status }) => status === 'down')) return 'down';
  return parts.some(({ status }) => status === 'stale') ? 'stale' : 'ok';
}
