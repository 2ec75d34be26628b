// What callers may send to /v1/broadcasts and /v1/audiences, and what they are answered, as schemas.

import Type, { type Static } from 'typebox';
import { content, name, nullable, params, strict, Target, words } from '../../accept/schema.ts';
import { LIST_FORMATS } from '../../domain/recipient-list.ts';
import { RECIPIENT_STATES } from '../../store/ports/broadcasts.ts';
import { checkOf } from '../../system/check.ts';
import { count, nextPage, text, textOrNull, time, timeOrNull } from '../openapi/common.ts';

const { method, priority, correlation, notBefore, idempotencyKey } = content;
const { platform, account } = Target.properties;
const Chat = Target.properties.chat;

const message = {
  to: Type.Object({ platform, account }, strict),
  name: Type.Optional(name('Your own name of it')),
  audience: Type.Optional(name('Saved by PUT /v1/audiences/:name')),
  method,
  text: words.text,
  body: Type.Optional(
    params(
      "The call's parameters without the target; {{name}} in any string is filled from the recipient's " +
        'fields, {{name|friend}} has a default',
    ),
  ),
  priority,
  correlation,
  notBefore,
  idempotencyKey,
};

export const Broadcast = Type.Object(
  {
    ...message,
    chats: Type.Optional(Type.Array(Chat, { minItems: 1 })),
    recipients: Type.Optional(
      Type.Array(
        Type.Object(
          {
            chat: Chat,
            fields: Type.Optional(
              Type.Record(
                Type.String(),
                Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
              ),
            ),
          },
          strict,
        ),
        { minItems: 1 },
      ),
    ),
  },
  strict,
);
export type BroadcastOrder = Static<typeof Broadcast>;

export const BroadcastAnswer = Type.Object({
  id: Type.String(),
  state: Type.String({ description: 'running, paused, cancelled, done' }),
  total: Type.Integer(),
  progress: Type.Record(Type.Enum([...RECIPIENT_STATES]), Type.Integer()),
  perSecond: Type.Unsafe({ type: ['number', 'null'] }),
  eta: nullable('string'),
  account: Type.String(),
  platform: Type.String(),
  method: Type.String(),
  priority: Type.String(),
  name: nullable('string'),
  correlation: nullable('string'),
  createdAt: Type.String(),
  notBefore: nullable('string'),
  endedAt: nullable('string'),
  repeated: Type.Optional(Type.Boolean()),
});

const limit = Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$', description: '1 to 1000; 50' }));
const cursor = Type.Optional(name('`next` of the page before'));

export const BroadcastsQuery = Type.Object({ limit, cursor }, strict);
export const RecipientsQuery = Type.Object(
  { limit, cursor, state: Type.Optional(Type.Enum([...RECIPIENT_STATES])) },
  strict,
);
export const AudienceQuery = Type.Object(
  {
    format: Type.Optional(
      Type.Enum([...LIST_FORMATS], { description: 'Of the body, if its type does not tell' }),
    ),
  },
  strict,
);

const audience = { name: text, count, fields: Type.Array(text), createdAt: time };
export const Audience = Type.Object(audience);
export const SavedAudience = Type.Object({
  ...audience,
  repeated: Type.Integer({ description: 'More of them, that were in the list already' }),
});
export const RecipientAnswer = Type.Object({
  n: count,
  chat: text,
  state: Type.Enum([...RECIPIENT_STATES]),
  reason: textOrNull,
  delivery: textOrNull,
  at: timeOrNull,
});
export const PageOf = (items: Parameters<typeof Type.Array>[0]) =>
  Type.Object({ items: Type.Array(items), next: nextPage });

export const checkBroadcast = checkOf(Broadcast);
export const checkBroadcastsQuery = checkOf(BroadcastsQuery);
export const checkRecipientsQuery = checkOf(RecipientsQuery);
export const checkAudienceQuery = checkOf(AudienceQuery);
