// What /openapi.json says of how the gateway stands: overview, queue, events, health, metrics.

import Type from 'typebox';
import { EventsQuery, QueueQuery, TerminalQuery } from '../../accept/schema.ts';
import { COUNTED } from '../watch/rates.ts';
import { Breaker } from './accounts.ts';
import { Waiting } from './messages.ts';
import { count, type Operations, SAMPLE, text, time, timeOrNull } from './operation.ts';

const EVENTS = 'text/event-stream';

const classes = { critical: count, high: count, normal: count, low: count };
const retry = Type.Integer({ description: 'Of them, those that wait for a retry or a set time' });
const Depths = Type.Object({ ...classes, retry, inFlight: count });
const perName = (schema: typeof count | ReturnType<typeof Type.Array>) =>
  Object.fromEntries(COUNTED.map((name) => [name, schema]));
const part = Type.Enum(['ok', 'stale', 'down']);

export const Overview = Type.Object({
  startedAt: time,
  at: time,
  series: Type.Object(
    {
      ...perName(Type.Array(count)),
      waiting: Type.Array(count),
      until: Type.Integer({ description: 'The second (since the epoch) of the last number' }),
    },
    { description: 'A number for each of the last seconds, the newest last' },
  ),
  second: Type.Object({ ...perName(count), waiting: count, until: count }),
  totals: Type.Object(perName(count), { description: 'Since the start' }),
  marks: Type.Object(
    { deliveries: count, streams: count },
    { description: 'Counted up whenever something of the kind changes' },
  ),
  oldest: Type.Array(Waiting),
  depths: Depths,
  oldestDueAt: timeOrNull,
  dead: count,
  uncertain: count,
  freezes: Type.Object({
    active: count,
    shown: Type.Array(
      Type.Object({
        account: text,
        scope: text,
        name: text,
        since: time,
        until: time,
        cause: text,
      }),
    ),
  }),
  accounts: Type.Object({
    total: count,
    trouble: Type.Array(
      Type.Object({
        id: text,
        paused: Type.Boolean(),
        refused: Type.Unsafe({ type: ['string', 'null'] }),
        breaker: Breaker,
        waiting: count,
      }),
    ),
  }),
  streams: count,
});

const Health = Type.Object({
  status: part,
  parts: Type.Record(
    Type.String(),
    Type.Object({ status: part }, { additionalProperties: true, description: 'And its details' }),
  ),
});

export const WATCHING_OPERATIONS: Operations = {
  'GET /v1/overview': {
    tag: 'watching',
    summary: 'The gateway at a glance, with the last quarter of an hour',
    answers: { 200: Overview },
    examples: { now: { status: 200 } },
  },
  'GET /v1/overview/events': {
    tag: 'watching',
    summary: 'The overview, then what changed of it once a second, as server-sent events',
    answers: { 200: text },
    answerType: EVENTS,
    examples: { 'from now on': { status: 200 } },
  },
  'GET /v1/queue': {
    tag: 'watching',
    summary: 'Who waits: the first of each lane, those that wait longest first, with the reason',
    query: QueueQuery,
    answers: { 200: Type.Object({ depths: Depths, items: Type.Array(Waiting) }) },
    examples: {
      'who waits longest': { query: { limit: '5' }, status: 200 },
      'of one account': { query: { account: SAMPLE.account }, status: 200 },
    },
  },
  'GET /v1/events': {
    tag: 'watching',
    summary: 'Server-sent events of attempts, moves and streams',
    query: EventsQuery,
    answers: { 200: text },
    answerType: EVENTS,
    examples: { 'of one account': { query: { account: SAMPLE.account }, status: 200 } },
  },
  'GET /v1/terminal/{chat}': {
    tag: 'watching',
    summary: 'What is on a terminal’s screen, then every change, as server-sent events',
    query: TerminalQuery,
    answers: { 200: text },
    answerType: EVENTS,
    examples: { 'one screen': { params: { chat: 'desk' }, status: 200 } },
  },
  'GET /queue/stats': {
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
  },
  'GET /health': {
    tag: 'gateway',
    summary: 'Whether the process serves',
    answers: { 200: Type.Object({ status: text }) },
    examples: { now: { status: 200 } },
  },
  'GET /health/details': {
    tag: 'gateway',
    summary: 'Whether its parts work: ok, stale or down',
    answers: { 200: Health, 503: Health },
    examples: { now: { status: 200 } },
  },
  'GET /metrics': {
    tag: 'gateway',
    summary: 'Prometheus metrics',
    answers: { 200: text },
    answerType: 'text/plain',
    examples: { now: { status: 200 } },
  },
  'GET /openapi.json': {
    tag: 'gateway',
    summary: 'This description, for programs',
    answers: { 200: Type.Object({ openapi: text }, { additionalProperties: true }) },
    examples: { 'all of it': { status: 200 } },
  },
  'GET /docs': {
    tag: 'gateway',
    summary: 'This description, for people',
    answers: { 200: text },
    answerType: 'text/html',
    examples: { 'all of it': { status: 200 } },
  },
};
