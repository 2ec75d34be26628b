// What /openapi.json says of messages and of dead letters: both are deliveries.

import Type from 'typebox';
import {
  DeadCommand,
  DeadEdit,
  DeadQuery,
  FanOutMessage,
  Message,
  ProblemAnswer,
  Receipt,
  Result,
  SearchQuery,
} from '../../accept/schema.ts';
import { STATES } from '../../domain/delivery.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import {
  count,
  nextPage,
  type Operations,
  SAMPLE,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './operation.ts';

const brief = {
  id: text,
  state: Type.Enum([...STATES]),
  reason: Type.Unsafe({ type: ['string', 'null'], description: 'Why, as a stable code' }),
  detail: Type.Unsafe({ type: ['string', 'null'], description: 'Why, in words' }),
  platform: text,
  account: text,
  chat: text,
  thread: textOrNull,
  session: textOrNull,
  user: textOrNull,
  correlation: textOrNull,
  method: text,
  priority: Type.Enum([...PRIORITIES]),
  final: Type.Boolean(),
  acceptedAt: time,
  dueAt: timeOrNull,
  expiresAt: timeOrNull,
  settledAt: timeOrNull,
  tries: count,
  failures: Type.Integer({ description: 'Tries that count against the bound' }),
  doubts: Type.Integer({ description: 'Tries whose answer was lost' }),
  cures: Type.Array(text, { description: 'What was changed so that the platform takes it' }),
  damaged: Type.Boolean({ description: 'The disk has changed what was accepted' }),
  messageId: textOrNull,
  supersededBy: textOrNull,
  repeats: Type.Unsafe({
    type: ['string', 'null'],
    description: 'The delivery it may repeat, if the caller of that one had no answer',
  }),
};
const preview = Type.Unsafe({
  type: ['string', 'null'],
  description: 'The beginning of its text; null for viewers',
});

export const Delivery = Type.Object({ ...brief, preview: Type.Optional(preview) });
export const Waiting = Type.Object({
  ...brief,
  preview,
  since: time,
  position: count,
  eta: timeOrNull,
  why: text,
  kinds: Type.Array(text, { description: 'What holds it, by kind' }),
  behind: Type.Integer({ description: 'Those of its lane that wait behind it, about' }),
});
export const DeliveryStory = Type.Object({
  ...brief,
  body: Type.Unknown({ description: 'The call’s parameters; null for viewers' }),
  result: Type.Unknown({ description: 'The platform’s answer; null for viewers' }),
  attempts: Type.Array(
    Type.Object({
      n: count,
      startedAt: time,
      endedAt: timeOrNull,
      outcome: textOrNull,
      reason: textOrNull,
      detail: textOrNull,
      retryAfterMs: Type.Unsafe({ type: ['number', 'null'] }),
    }),
  ),
  history: Type.Array(Type.Object({ at: time, from: text, to: text, reason: text, by: text })),
  position: Type.Unsafe({ type: ['integer', 'null'] }),
  eta: timeOrNull,
});
export const Explanation = Type.Object({
  id: text,
  state: text,
  position: Type.Unsafe({ type: ['integer', 'null'], description: '1 is next in its lane' }),
  eta: timeOrNull,
  summary: Type.String({ description: 'What decides, in words' }),
  causes: Type.Array(
    Type.Object({
      kind: text,
      name: text,
      scope: Type.Optional(text),
      until: timeOrNull,
      detail: text,
    }),
  ),
});
const DeliveryPage = Type.Object({ items: Type.Array(Delivery), next: nextPage });
const Moved = Type.Object({ id: text, state: text });
const DeadGroups = Type.Object({
  groups: Type.Array(
    Type.Object({
      account: text,
      reason: textOrNull,
      count,
      oldestAt: time,
      newestAt: time,
      example: Type.String({ description: 'The id of one of them' }),
    }),
  ),
});
const Handled = Type.Object({
  done: count,
  failed: count,
  failures: Type.Array(Type.Object({ id: text, code: text, detail: text })),
  next: nextPage,
});

const single = { anyOf: [Message, FanOutMessage] };
const status = Type.Integer({ description: 'What it would have had alone' });
const Item = Type.Union([
  Type.Object({ status, ...Receipt.properties }),
  Type.Object({ status, ...Result.properties }),
  ProblemAnswer,
]);

const to = { platform: 'telegram', account: SAMPLE.token, chat: 42 };
const waiting = { params: { id: SAMPLE.waiting } };

export const MESSAGE_OPERATIONS: Operations = {
  'POST /v1/messages': {
    tag: 'messages',
    summary: 'Hand over a message, or an array of them; accepted means on disk',
    headers: {
      'Idempotency-Key': 'The same key again sends nothing',
      'X-Correlation-Id': 'Your own id of it, searchable',
    },
    body: { anyOf: [...single.anyOf, { type: 'array', items: single }] },
    answers: { 200: Result, 202: Receipt, 207: { type: 'array', items: Item } },
    examples: {
      'a message': { body: { to, body: { text: 'hello' } }, status: 202 },
      'and wait until it has arrived': {
        body: { to, body: { text: 'hello' }, priority: 'high', wait: 10 },
        status: 200,
      },
      'for someone and for those who look on': {
        body: {
          to: { origin: to, observers: [{ account: 'terminal:local', chat: 'desk' }] },
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
  },
  'GET /v1/messages': {
    tag: 'messages',
    summary: 'Search, newest first',
    query: SearchQuery,
    answers: { 200: DeliveryPage },
    examples: {
      'of one chat': { query: { account: SAMPLE.account, chat: '42', limit: '5' }, status: 200 },
      'by a text in them': { query: { text: 'hello', preview: 'true' }, status: 200 },
    },
  },
  'GET /v1/messages/{id}': {
    tag: 'messages',
    summary: 'State, attempts, history, position, eta, result',
    answers: { 200: DeliveryStory },
    examples: { 'one of them': { ...waiting, status: 200 } },
  },
  'DELETE /v1/messages/{id}': {
    tag: 'messages',
    summary: 'Cancel, if it is not being sent',
    answers: { 200: Moved },
    examples: { 'one that waits': { ...waiting, status: 200 } },
  },
  'GET /v1/messages/{id}/explain': {
    tag: 'messages',
    summary: 'Why it has not gone out',
    answers: { 200: Explanation },
    examples: {
      'one that waits': { ...waiting, status: 200 },
      'one that is dead': { params: { id: SAMPLE.dead }, status: 200 },
    },
  },
  'GET /v1/dead': {
    tag: 'dead letters',
    summary: 'Dead letters, listed or grouped by cause',
    query: DeadQuery,
    answers: { 200: { anyOf: [DeliveryPage, DeadGroups] } },
    examples: {
      'the newest': { query: { limit: '5' }, status: 200 },
      'counted by cause': { query: { group: 'cause' }, status: 200 },
    },
  },
  'POST /v1/dead/retry': {
    tag: 'dead letters',
    summary: 'Queue dead letters again, by ids or filter; repeat with `next` until it is null',
    body: DeadCommand,
    answers: { 200: Handled },
    examples: {
      'one of them': { body: { ids: [SAMPLE.dead] }, status: 200 },
      'all of a cause': { body: { filter: { reason: 'bot_blocked' } }, status: 200 },
    },
  },
  'POST /v1/dead/discard': {
    tag: 'dead letters',
    summary: 'Give dead letters up, by ids or filter; repeat with `next` until it is null',
    body: DeadCommand,
    answers: { 200: Handled },
    examples: { 'one of them': { body: { ids: [SAMPLE.dead] }, status: 200 } },
  },
  'PATCH /v1/dead/{id}': {
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
  },
};
