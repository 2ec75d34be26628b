// What /v1/messages and /v1/dead answer, as schemas: both are about deliveries.

import Type from 'typebox';
import { FanOutMessage, Message, ProblemAnswer, Receipt, Result } from '../../accept/schema.ts';
import { STATES } from '../../domain/delivery.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import { count, nextPage, text, textOrNull, time, timeOrNull } from '../openapi/common.ts';

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
  correlation: Type.String({ description: 'Its caller’s own id of it; else the same as `id`' }),
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

const cause = Type.Unsafe({
  type: ['string', 'null'],
  description: 'What programs call the reason: a limit, what holds the account, why it ended',
});
const waitsFor = Type.Unsafe({
  type: ['string', 'null'],
  description: 'Where no time ends the wait: what does, in words',
});

export const Delivery = Type.Object({ ...brief, preview: Type.Optional(preview) });
export const Waiting = Type.Object({
  ...brief,
  preview,
  since: time,
  position: count,
  eta: timeOrNull,
  why: text,
  cause,
  waitsFor,
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
  correlation: text,
  state: text,
  position: Type.Unsafe({ type: ['integer', 'null'], description: '1 is next in its lane' }),
  eta: timeOrNull,
  summary: Type.String({ description: 'What decides, in words' }),
  cause,
  waitsFor,
  causes: Type.Array(
    Type.Object({
      kind: text,
      name: text,
      scope: Type.Optional(text),
      until: timeOrNull,
      detail: text,
    }),
  ),
  past: Type.Optional(
    Type.Array(Type.Object({ kind: text, from: time, ms: count, detail: text }), {
      description: 'Of one that no longer waits: what it has waited for, in order',
    }),
  ),
});
export const DeliveryPage = Type.Object({ items: Type.Array(Delivery), next: nextPage });
export const Moved = Type.Object({ id: text, state: text });
export const DeadGroups = Type.Object({
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
export const Handled = Type.Object({
  done: count,
  failed: count,
  failures: Type.Array(Type.Object({ id: text, code: text, detail: text })),
  next: nextPage,
});

export const SingleMessage = { anyOf: [Message, FanOutMessage] };
const status = Type.Integer({ description: 'What it would have had alone' });
export const BatchItem = Type.Union([
  Type.Object({ status, ...Receipt.properties }),
  Type.Object({ status, ...Result.properties }),
  ProblemAnswer,
]);
