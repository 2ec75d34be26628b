// What callers may send, as schemas: compiled once for the checks, and shown as they are in /openapi.json.
// Unknown fields are refused: a misspelt `priorty` must not silently send at normal priority.

import Type, { type Static } from 'typebox';
import { STATES } from '../domain/delivery.ts';
import { PRIORITIES } from '../domain/priority.ts';
import { checkOf } from '../system/check.ts';
import { NAME_LENGTH_MAX, YEAR_S } from './context.ts';

export const strict = { additionalProperties: false } as const;
export const name = (description: string) =>
  Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, description });
const nameOrNumber = (description: string) =>
  Type.Union([Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX }), Type.Integer()], {
    description,
  });
const time = (description: string) =>
  Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Number({ minimum: 0 })], {
    description: `${description} (ISO 8601, or ms since the epoch)`,
  });
// An object of any members. A record of strings would be checked member by member, for nothing.
export const params = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', description });
// Longer than any platform takes; it says so itself.
const TEXT_LENGTH_MAX = 100_000;
export const OBSERVERS_MAX = 100;

export const Target = Type.Object(
  {
    platform: Type.Optional(name('Platform; may be left out when `account` names it')),
    account: nameOrNumber('`<platform>:123`, `123`, or the full token'),
    chat: nameOrNumber('Chat id or @name'),
    thread: Type.Optional(nameOrNumber('Thread or topic within the chat')),
  },
  strict,
);

export const content = {
  method: Type.Optional(name("The platform's own name of the call; left out: that of a text")),
  body: params("The call's parameters, as the platform documents them, without the target"),
  priority: Type.Optional(Type.Enum([...PRIORITIES])),
  notice: Type.Optional(
    Type.Boolean({ description: 'What the system says of itself; its class is `priority_notice`' }),
  ),
  session: Type.Optional(
    name('Messages of one session keep their order; sessions share a chat fairly'),
  ),
  user: Type.Optional(nameOrNumber('On whose behalf, for limits per user')),
  correlation: Type.Optional(
    name('Your own id of it, searchable; also as X-Correlation-Id. Left out: the delivery’s id'),
  ),
  coalesce: Type.Optional(
    Type.Union([Type.Boolean(), Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX })], {
      description:
        'A newer message of the same key takes the place of one that waits. true: of the same platform ' +
        'message, or of the session. false: never, not even edits of one message',
    }),
  ),
  final: Type.Optional(
    Type.Boolean({
      description: 'The last of its key: never replaced by a late preview, next slot',
    }),
  ),
  ttl: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, maximum: YEAR_S, description: 'Seconds until it expires' }),
  ),
  notBefore: Type.Optional(time('Not to be sent earlier')),
  wait: Type.Optional(
    Type.Union([Type.Number({ minimum: 0 }), Type.Boolean()], {
      description:
        'Seconds to wait for the result; true: as long as allowed. Left out: calls whose answer is what they ' +
        'are made for (a new topic) wait as long as allowed, all others do not',
    }),
  ),
  idempotencyKey: Type.Optional(name('The same key again sends nothing; also as Idempotency-Key')),
};

const Observer = Type.Object(
  {
    ...Target.properties,
    method: content.method,
    body: Type.Optional(
      params('What this observer gets instead of the message, with `method` its own too'),
    ),
  },
  strict,
);

const FanOut = Type.Object(
  {
    origin: Target,
    observers: Type.Array(Observer, {
      maxItems: OBSERVERS_MAX,
      description: 'They get the same message, best-effort; nobody waits for them',
    }),
  },
  strict,
);

// One of the two is there, or both.
export const words = {
  text: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: TEXT_LENGTH_MAX },
      description: 'In plain words, which are put in the form of the platform; `body` adds to it',
    }),
  ),
  body: Type.Optional(content.body),
};

export const Message = Type.Object({ to: Target, ...content, ...words }, strict);
export const FanOutMessage = Type.Object({ to: FanOut, ...content, ...words }, strict);
export type TargetRequest = Static<typeof Target>;
export type MessageRequest = Static<typeof Message>;
export type FanOutRequest = Static<typeof FanOutMessage>;

export const nullable = (type: 'integer' | 'string') => Type.Unsafe({ type: [type, 'null'] });

const receipt = {
  id: Type.String(),
  correlation: Type.String({ description: 'Your own id of it; else the same as `id`' }),
  state: Type.String({ description: STATES.join(', ') }),
  position: nullable('integer'),
  eta: nullable('string'),
  repeated: Type.Optional(Type.Boolean()),
  supersededBy: Type.Optional(Type.String()),
};

const observers = Type.Optional(
  Type.Array(Type.Unknown(), {
    description: 'Of each observer, in order: a receipt, a problem, or the state `pending`',
  }),
);

export const Receipt = Type.Object({
  ...receipt,
  observers,
});

export const Result = Type.Object({
  ...receipt,
  reason: nullable('string'),
  detail: nullable('string'),
  messageId: nullable('string'),
  result: Type.Unknown(),
  observers,
});

export const ProblemAnswer = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.String(),
  problems: Type.Optional(
    Type.Array(Type.Object({ path: Type.String(), expected: Type.String() })),
  ),
});

const filter = {
  account: Type.Optional(name('Account id')),
  chat: Type.Optional(name('Chat id')),
  session: Type.Optional(name('Session')),
  correlation: Type.Optional(name('Correlation id')),
  messageId: Type.Optional(name('As the platform numbers the message; unique within a chat')),
  reason: Type.Optional(name('Reason code, such as chat_not_found')),
  text: Type.Optional(
    name('In the content, case ignored; without another filter among the newest 100,000'),
  ),
  since: Type.Optional(time('Accepted at or after')),
  until: Type.Optional(time('Accepted before')),
};

// Queries arrive as text: numbers are read by hand.
const page = {
  limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$', description: '1 to 1000; 50' })),
  cursor: Type.Optional(name('`next` of the page before')),
};

const state = Type.Optional(Type.Enum([...STATES]));

const preview = Type.Optional(
  Type.Literal('true', { description: 'With the beginning of each text' }),
);

export const SearchQuery = Type.Object({ ...filter, ...page, state, preview }, strict);
export const DeadQuery = Type.Object(
  {
    ...filter,
    ...page,
    preview,
    state: Type.Optional(Type.Enum(['dead', 'uncertain'])),
    group: Type.Optional(Type.Enum(['cause'])),
  },
  strict,
);
export const LimitsQuery = Type.Object(
  {
    account: filter.account,
    chat: Type.Optional(name('Chat id')),
    find: Type.Optional(name('In the chat id')),
    frozen: Type.Optional(Type.Literal('true', { description: 'Only those that are frozen' })),
    offset: Type.Optional(Type.String({ pattern: '^[0-9]{1,6}$', description: 'Skip so many' })),
    limit: page.limit,
  },
  strict,
);
export const QueueQuery = Type.Object(
  {
    account: filter.account,
    chat: Type.Optional(name('All that wait in it, not only the first of each session')),
    priority: Type.Optional(Type.Enum([...PRIORITIES])),
    limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,3}$', description: '1 to 500; 100' })),
  },
  strict,
);
export type LimitsRequest = Static<typeof LimitsQuery>;
export const EventsQuery = Type.Object({ account: filter.account, chat: filter.chat }, strict);
export const TerminalQuery = Type.Object(
  { account: Type.Optional(name('Whose screen it is; `local` when left out')) },
  strict,
);
export type SearchRequest = Static<typeof SearchQuery>;
export type DeadSearch = Static<typeof DeadQuery>;

export const DeadCommand = Type.Object(
  {
    ids: Type.Optional(Type.Array(name('Delivery id'), { minItems: 1 })),
    filter: Type.Optional(
      Type.Object({ ...filter, state: Type.Optional(Type.Enum(['dead', 'uncertain'])) }, strict),
    ),
    cursor: page.cursor,
  },
  strict,
);
export type DeadRequest = Static<typeof DeadCommand>;

export const DeadEdit = Type.Object(
  {
    body: content.body,
    retry: Type.Optional(Type.Literal(true, { description: 'An edited letter is always retried' })),
  },
  strict,
);

export const checkMessage = checkOf(Message);
export const checkFanOut = checkOf(FanOutMessage);
export const checkSearch = checkOf(SearchQuery);
export const checkDeadQuery = checkOf(DeadQuery);
export const checkLimitsQuery = checkOf(LimitsQuery);
export const checkQueueQuery = checkOf(QueueQuery);
export const checkEventsQuery = checkOf(EventsQuery);
export const checkTerminalQuery = checkOf(TerminalQuery);
export const checkDeadCommand = checkOf(DeadCommand);
export const checkDeadEdit = checkOf(DeadEdit);
