// /health says whether the process serves; /health/details whether its parts do; /metrics is for Prometheus.
// Both tell how the scheduler of ingest stands, under the names that monitors of channel parsers know.
// A full disk is no reason to restart, so only the details turn 503 when a part is down.

import Type from 'typebox';
import { WATCHER } from '../auth/access.ts';
import type { HealthPart, HttpParts } from '../context.ts';
import { text, textOrNull } from '../openapi/common.ts';
import { refuse } from '../problem.ts';
import { group, type Route, withOptions } from '../route.ts';

const part = Type.Enum(['ok', 'stale', 'down']);
const numberOrNull = Type.Unsafe({ type: ['integer', 'null'] });
const Scheduler = Type.Object(
  {
    last_tick_ts: {
      ...numberOrNull,
      description: 'When it was last looked which channels are due (Unix time, s); null: not yet',
    },
    interval_sec: numberOrNull,
    lock_owner: { ...textOrNull, description: 'The node that reads' },
    status: part,
  },
  { description: 'Of ingest; down and without an interval where that is switched off' },
);
const Health = Type.Object({
  status: part,
  scheduler: Scheduler,
  parts: Type.Record(
    Type.String(),
    Type.Object({ status: part }, { additionalProperties: true, description: 'And its details' }),
  ),
});

const SERVES: Route<HttpParts> = {
  method: 'GET',
  url: '/health',
  access: WATCHER,
  tag: 'gateway',
  summary: 'Whether the process serves',
  answers: {
    200: Type.Object({
      status: text,
      scheduler: Scheduler,
      node: Type.Optional(Type.String({ description: 'Of a fleet: its name' })),
      members: Type.Optional(Type.Array(text, { description: 'And the nodes that it sees' })),
    }),
  },
  examples: { now: { status: 200 } },
  handler: async (options) => ({
    ...{ status: 'ok', scheduler: schedulerOf(options) },
    ...nodeOf(options),
  }),
};

const DETAILS: Route<HttpParts> = {
  method: 'GET',
  url: '/health/details',
  access: WATCHER,
  tag: 'gateway',
  summary: 'Whether its parts work: ok, stale or down',
  answers: { 200: Health, 503: Health },
  examples: { now: { status: 200 } },
  handler: async (options, _request, reply) => {
    const parts = await options.health();
    const scheduler = schedulerOf(options);
    // One that is switched off is no trouble.
    const judged = options.ingest === undefined ? [] : [scheduler];
    const status = worstOf([...Object.values(parts), ...judged]);
    return reply.code(status === 'down' ? 503 : 200).send({ status, scheduler, parts });
  },
};

const METRICS: Route<HttpParts> = {
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

export const HEALTH_ROUTES = group<HttpParts>([SERVES, DETAILS, METRICS], withOptions);

function nodeOf({ fleet }: HttpParts): { node?: string; members?: string[] } {
  const nodes = fleet?.port.nodes() ?? [];
  const self = nodes.find(({ isSelf }) => isSelf);
  return self === undefined ? {} : { node: self.name, members: nodes.map(({ name }) => name) };
}

function schedulerOf({ ingest }: HttpParts) {
  if (ingest === undefined) {
    return { last_tick_ts: null, interval_sec: null, lock_owner: null, status: 'down' } as const;
  }
  const { lastTickAt, intervalMs, lockOwner, status } = ingest.service.health();
  return {
    last_tick_ts: lastTickAt === 0 ? null : Math.floor(lastTickAt / 1000),
    interval_sec: Math.round(intervalMs / 1000),
    lock_owner: lockOwner,
    status,
  };
}

function worstOf(parts: readonly HealthPart[]): HealthPart['status'] {
  if (parts.some(({ status }) => status === 'down')) return 'down';
  return parts.some(({ status }) => status === 'stale') ? 'stale' : 'ok';
}
