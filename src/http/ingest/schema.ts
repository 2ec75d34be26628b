// What the routes of ingest take and answer.

import Type, { type Static } from 'typebox';
import { NAME_LENGTH_MAX } from '../../accept/context.ts';
import { strict, Target } from '../../accept/schema.ts';
import { checkOf } from '../../system/check.ts';
import { count, nextPage, text, textOrNull, time, timeOrNull } from '../openapi/common.ts';

const SESSION_LENGTH_MAX = 8192;
const URL_LENGTH_MAX = 2048;
const WEIGHT_MAX = 1000;
const IDS_MAX = 1000;
const ID_MAX = Number.MAX_SAFE_INTEGER;

const name = (description: string) =>
  Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, description });
const digits = (description: string) =>
  Type.String({ pattern: '^[0-9]{1,19}$', maxLength: 19, description });

const ForwardTo = Type.Union(
  [
    Type.Object(
      { url: Type.String({ minLength: 1, maxLength: URL_LENGTH_MAX, description: 'A webhook' }) },
      strict,
    ),
    Target,
    Type.Null(),
  ],
  { description: 'Where new posts go: a webhook, a chat, or null: nowhere' },
);
const priority = Type.Number({
  exclusiveMinimum: 0,
  maximum: WEIGHT_MAX,
  description: 'How much a wait for it counts beside others; 1 when left out',
});
const account = Type.Union([name('The account to read with, or its token'), Type.Null()]);

export const SourceOrder = Type.Object(
  {
    // A number that JSON does not hold exactly would be another channel's.
    source: Type.Union([name('A name'), Type.Integer({ minimum: -ID_MAX, maximum: ID_MAX })], {
      description: '@name, id or address of the channel; ids of more than 15 digits as text',
    }),
    kind: name('By which it is read: one of `kinds` of `GET /v1/ingest/accounts`'),
    account: Type.Optional(account),
    priority: Type.Optional(priority),
    forwardTo: Type.Optional(ForwardTo),
  },
  strict,
);
export type SourceOrder = Static<typeof SourceOrder>;
export const checkSourceOrder = checkOf(SourceOrder);

export const SourceChanges = Type.Object(
  {
    account: Type.Optional(account),
    priority: Type.Optional(priority),
    forwardTo: Type.Optional(ForwardTo),
  },
  strict,
);
export type SourceChanges = Static<typeof SourceChanges>;
export const checkSourceChanges = checkOf(SourceChanges);

export const SourcesQuery = Type.Object(
  {
    state: Type.Optional(Type.Enum(['active', 'paused', 'dead'])),
    kind: Type.Optional(name('Read by it')),
    find: Type.Optional(name('With this in their name, whatever its case')),
    limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$', description: 'Up to 1000' })),
    cursor: Type.Optional(digits('`next` of the page before')),
  },
  strict,
);
export const checkSourcesQuery = checkOf(SourcesQuery);

const wantedPosts = {
  source: Type.Optional(digits('Of this source; left out: of all')),
  after: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'With `source`: above this message id, oldest first. Or a time (ISO 8601): posted then or later',
    }),
  ),
  text: Type.Optional(name('With this in their text, whatever its case')),
};

export const ExportQuery = Type.Object(
  {
    ...wantedPosts,
    format: Type.Optional(Type.Enum(['ndjson', 'csv'], { description: '`ndjson` when left out' })),
  },
  strict,
);
export const checkExportQuery = checkOf(ExportQuery);

export const PostsQuery = Type.Object(
  {
    ...wantedPosts,
    order: Type.Optional(Type.Enum(['newest', 'oldest'])),
    limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$', description: 'Up to 1000' })),
    cursor: Type.Optional(digits('`next` of the page before')),
  },
  strict,
);
export type PostsQuery = Static<typeof PostsQuery>;
export const checkPostsQuery = checkOf(PostsQuery);

export const MediaQuery = Type.Object(
  {
    index: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,2}$',
        description: 'Among the post’s media; 0 when left out',
      }),
    ),
  },
  strict,
);
export const checkMediaQuery = checkOf(MediaQuery);

export const DeadRetry = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(digits('A source'), { maxItems: IDS_MAX, description: 'Left out: all of them' }),
    ),
  },
  strict,
);
export const checkDeadRetry = checkOf(DeadRetry);

export const NewAccount = Type.Object(
  {
    kind: name('What it reads by'),
    id: name('The platform’s own id of it'),
    name: Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX })),
    session: Type.String({
      minLength: 1,
      maxLength: SESSION_LENGTH_MAX,
      description: 'What `sluice ingest login` got; kept sealed, and shown nowhere',
    }),
  },
  strict,
);
export const checkNewAccount = checkOf(NewAccount);

const PHONE_LENGTH_MAX = 64;
const ANSWER_LENGTH_MAX = 1024;
const answerTo = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: ANSWER_LENGTH_MAX, description }));

export const NewLogin = Type.Object(
  {
    kind: name('What it is to read by: one of `logins.kinds` of `GET /v1/ingest/accounts`'),
    phone: Type.String({
      minLength: 1,
      maxLength: PHONE_LENGTH_MAX,
      description: 'Of the account, with the country; the platform sends a code to it',
    }),
  },
  strict,
);
export const checkNewLogin = checkOf(NewLogin);

export const LoginReply = Type.Object(
  {
    code: answerTo('What came to the phone, where `state` is `code`'),
    password: answerTo('Of the account, where `state` is `password`'),
  },
  { ...strict, minProperties: 1, maxProperties: 1 },
);
export const checkLoginReply = checkOf(LoginReply);

export const LoginAnswer = Type.Object({
  id: text,
  kind: text,
  state: Type.Enum(['code', 'password', 'logged_in', 'refused'], {
    description: 'What is asked for now, or how it ended',
  }),
  again: Type.Boolean({ description: 'What was answered before was wrong' }),
  hint: Type.Unsafe({ type: ['string', 'null'], description: 'To the password, by its owner' }),
  account: Type.Unsafe({
    anyOf: [
      Type.Object({ id: text, name: text }),
      { ...Type.Null(), description: 'It is not logged in' },
    ],
  }),
  detail: Type.Unsafe({ type: ['string', 'null'], description: 'Why it was refused, in words' }),
  waitSeconds: Type.Unsafe({
    type: ['number', 'null'],
    description: 'It was refused for so long: nobody should try again before',
  }),
});

const mode = Type.Enum(['historical', 'incremental']);
export const SourceAnswer = Type.Object({
  id: text,
  source: Type.String({ description: 'As it was asked for' }),
  kind: text,
  state: Type.Enum(['active', 'paused', 'dead', 'removed']),
  account: textOrNull,
  priority: Type.Number(),
  forwardTo: Type.Unsafe({
    anyOf: [
      Type.Object({ url: text }),
      Type.Object({ account: text, chat: text, thread: textOrNull }),
      Type.Null(),
    ],
  }),
  createdAt: time,
  mode,
  cursor: Type.Object({ lastId: Type.String({ description: 'All up to it was read; 0: none' }) }),
  lastSuccessAt: timeOrNull,
  lastPostAt: Type.Unsafe({
    type: ['string', 'null'],
    description: 'When a post was last stored (ISO 8601)',
  }),
  newestPostDate: timeOrNull,
  freshnessSeconds: Type.Number({ description: 'Since the last success, or since it was added' }),
  nextLookAt: timeOrNull,
  nextLookReason: Type.Enum(
    [
      ...['first', 'rate', 'interval', 'failed', 'wait', 'more', 'manual', 'no_reader'],
      ...['elsewhere', 'pushed'],
    ],
    { description: 'Why the next look is when it is; `elsewhere`: another node reads it' },
  ),
  gaps: Type.Array(Type.Object({ after: text, before: text }), {
    description: 'Between these message ids posts may be missing, of a source that is pushed',
  }),
  failure: Type.Unsafe({
    anyOf: [
      Type.Object({ reason: text, detail: text, since: time, count }),
      { ...Type.Null(), description: 'The last look did not fail' },
    ],
  }),
  trouble: Type.Unsafe({
    type: ['string', 'null'],
    description: 'Why nothing can be read now, in words',
  }),
  run: Type.Unsafe({
    anyOf: [
      Type.Object({
        mode,
        startedAt: time,
        added: count,
        changed: count,
        deleted: count,
        lastId: text,
        newestId: textOrNull,
      }),
      { ...Type.Null(), description: 'It is not being looked at' },
    ],
  }),
});
export const SourcesAnswer = Type.Object({ sources: Type.Array(SourceAnswer), next: nextPage });

const Media = Type.Object({
  kind: text,
  name: textOrNull,
  bytes: Type.Unsafe({ type: ['integer', 'null'] }),
});
const content = {
  text,
  author: textOrNull,
  groupId: Type.Unsafe({
    type: ['string', 'null'],
    description: 'Shared by the posts of an album',
  }),
  media: Type.Array(Media),
  editedAt: timeOrNull,
  deletedAt: timeOrNull,
};
const post = {
  source: text,
  messageId: text,
  date: time,
  ...content,
  storedAt: time,
  versions: Type.Integer({ description: 'Former states that are kept' }),
};
export const PostsAnswer = Type.Object({ posts: Type.Array(Type.Object(post)), next: nextPage });
export const PostAnswer = Type.Object({
  ...post,
  history: Type.Array(Type.Object({ until: time, ...content }), {
    description: 'Its former states, the oldest first',
  }),
});

export const AccountsAnswer = Type.Object({
  kinds: Type.Array(text, { description: 'By which sources can be read here' }),
  sending: Type.Array(Type.Object({ kind: text, platform: text, title: text }), {
    description: 'Those that read with an account of this gateway, of that platform',
  }),
  logins: Type.Object({
    kinds: Type.Array(text, { description: 'Those that accounts log in to' }),
    missing: Type.Unsafe({
      type: ['string', 'null'],
      description: 'What to do so that an account can; null: it can',
    }),
  }),
  accounts: Type.Array(
    Type.Object({
      kind: text,
      id: Type.Unsafe({ type: ['string', 'null'], description: 'null: no account is needed' }),
      name: textOrNull,
      state: Type.Enum(['ok', 'waiting', 'logged_out']),
      connected: Type.Boolean(),
      waits: Type.Array(Type.Object({ method: text, since: time, until: timeOrNull }), {
        description:
          'What the platform asked to wait for, and is not over; null: until someone logs in',
      }),
    }),
  ),
});
