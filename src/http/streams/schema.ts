// What callers may send to /v1/streams, as schemas: opened by JSON, or by a query when the body is the text itself.

import Type, { type Static } from 'typebox';
import {
  content,
  name,
  nullable,
  OBSERVERS_MAX,
  params,
  strict,
  Target,
} from '../../accept/schema.ts';
import { FORMATS, STREAM_STATES, TRANSPORTS } from '../../domain/live.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import { checkOf } from '../../system/check.ts';

// A producer that may be silent for longer than this is not one whose text is watched as it grows.
const IDLE_S_MAX = 3600;

const { session, user, correlation, priority, wait } = content;
const idempotencyKey = Type.Optional(
  name('The same key again is the same stream; also as Idempotency-Key'),
);
const format = Type.Optional(
  Type.Enum([...FORMATS], { description: 'What the text is written in; plain when left out' }),
);
const transport = Type.Optional(
  Type.Enum([...TRANSPORTS], {
    description: 'How it is shown while it grows; the best the chat offers when left out',
  }),
);

export const Stream = Type.Object(
  {
    to: Target,
    text: Type.Optional(Type.String({ description: 'What it begins with' })),
    format,
    transport,
    session,
    user,
    correlation,
    priority,
    idempotencyKey,
    body: Type.Optional(
      params('Further parameters of its message, as the platform documents them'),
    ),
    idle: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: IDLE_S_MAX,
        description: 'Seconds of silence after which it is finished with what it has',
      }),
    ),
  },
  strict,
);

// One stream per target, fed by the same changes; nobody waits for an observer.
export const StreamFanOut = Type.Object(
  {
    ...Stream.properties,
    to: Type.Object(
      { origin: Target, observers: Type.Array(Target, { maxItems: OBSERVERS_MAX }) },
      strict,
    ),
  },
  strict,
);

// Queries arrive as text: numbers are read by hand.
const SECONDS = '[0-9]{1,6}(\\.[0-9]{1,3})?';

export const StreamQuery = Type.Object(
  {
    account: name('`<platform>:123`, `123`, or the full token'),
    chat: name('Chat id or @name'),
    platform: Type.Optional(name('Platform; may be left out when `account` names it')),
    thread: Type.Optional(name('Thread or topic within the chat')),
    format,
    transport,
    session,
    user: Type.Optional(name('On whose behalf, for limits per user')),
    correlation,
    priority: Type.Optional(Type.Enum([...PRIORITIES])),
    idempotencyKey,
    idle: Type.Optional(
      Type.String({
        pattern: `^${SECONDS}$`,
        description: 'Seconds of silence after which it is finished with what it has',
      }),
    ),
    wait: Type.Optional(
      Type.String({
        pattern: `^(true|false|${SECONDS})$`,
        description: 'Seconds to wait until the text has arrived; true: as long as allowed',
      }),
    ),
  },
  strict,
);

const change = {
  append: Type.Optional(Type.String({ description: 'Comes after the text so far' })),
  replace: Type.Optional(Type.String({ description: 'Takes the place of the text so far' })),
};

export const StreamChange = Type.Object(change, strict);
export const StreamFinal = Type.Object({ ...change, wait }, strict);

export const StreamsQuery = Type.Object(
  {
    account: Type.Optional(name('Account id')),
    chat: Type.Optional(name('Chat id')),
    session: Type.Optional(name('Session')),
    correlation: Type.Optional(name('Correlation id')),
  },
  strict,
);

export const StreamAnswer = Type.Object({
  id: Type.String(),
  state: Type.Enum([...STREAM_STATES]),
  reason: nullable('string'),
  platform: Type.String(),
  account: Type.String(),
  chat: Type.String(),
  thread: nullable('string'),
  session: nullable('string'),
  correlation: Type.String({ description: 'Your own id of it; else the same as `id`' }),
  transport: Type.Enum([...TRANSPORTS]),
  format: Type.Enum([...FORMATS]),
  units: Type.Integer({ description: 'Length of the text as known, in UTF-16 units' }),
  shownUnits: Type.Integer({ description: 'Of it, what was shown last' }),
  messages: Type.Array(Type.Object({ id: Type.String(), messageId: nullable('string') })),
  finals: Type.Array(Type.String(), { description: 'Deliveries of the final text' }),
  openedAt: Type.String(),
  changedAt: Type.String(),
  endedAt: nullable('string'),
  cadenceMs: nullable('integer'),
  superseded: Type.Integer({ description: 'Texts replaced before they were shown' }),
  waitsFor: nullable('string'),
  error: Type.Optional(nullable('string')),
});

export type StreamRequest = Static<typeof Stream>;
export type StreamFanOutRequest = Static<typeof StreamFanOut>;
export type StreamQueryRequest = Static<typeof StreamQuery>;
export type StreamsFilter = Static<typeof StreamsQuery>;

export const checkStream = checkOf(Stream);
export const checkStreamFanOut = checkOf(StreamFanOut);
export const checkStreamQuery = checkOf(StreamQuery);
export const checkStreamChange = checkOf(StreamChange);
export const checkStreamFinal = checkOf(StreamFinal);
export const checkStreamsQuery = checkOf(StreamsQuery);
