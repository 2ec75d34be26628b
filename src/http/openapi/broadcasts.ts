// What /openapi.json says of broadcasts and audiences.

import Type from 'typebox';
import { LIST_TYPES } from '../../broadcast/lists/recipients.ts';
import { RECIPIENT_STATES } from '../../store/ports/broadcasts.ts';
import {
  AudienceQuery,
  Broadcast,
  BroadcastAnswer,
  BroadcastsQuery,
  RecipientsQuery,
} from '../broadcasts/schema.ts';
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

const audience = { name: text, count, fields: Type.Array(text), createdAt: time };
export const Audience = Type.Object(audience);
const Saved = Type.Object({
  ...audience,
  repeated: Type.Integer({ description: 'More of them, that were in the list already' }),
});
const Recipient = Type.Object({
  n: count,
  chat: text,
  state: Type.Enum([...RECIPIENT_STATES]),
  reason: textOrNull,
  delivery: textOrNull,
  at: timeOrNull,
});
const pageOf = (items: Parameters<typeof Type.Array>[0]) =>
  Type.Object({ items: Type.Array(items), next: nextPage });

const to = { platform: 'telegram', account: SAMPLE.token };
const params = { id: SAMPLE.broadcast };
const steer = (summary: string): Operations[string] => ({
  tag: 'broadcasts',
  summary,
  answers: { 200: BroadcastAnswer },
  examples: { 'one that runs': { params, status: 200 } },
});

export const BROADCAST_OPERATIONS: Operations = {
  'POST /v1/broadcasts': {
    tag: 'broadcasts',
    summary:
      'One message to many chats: listed in it, saved as an audience, or in the part `recipients` of a form ' +
      'whose part `message` is this JSON',
    headers: { 'Idempotency-Key': 'The same key again sends nothing' },
    body: Broadcast,
    forms: ['multipart/form-data'],
    answers: { 202: BroadcastAnswer },
    examples: {
      'to chats, by id': {
        body: { to, chats: [5001, 5002], body: { text: 'v2 is out' }, name: 'release' },
        status: 202,
      },
      'with fields that are filled in': {
        body: {
          to,
          recipients: [{ chat: 5001, fields: { name: 'Ada' } }, { chat: 5002 }],
          body: { text: 'Hello {{name|friend}}' },
        },
        status: 202,
      },
      'to a saved audience': {
        body: { to, audience: SAMPLE.audience, body: { text: 'Hello {{name|friend}}' } },
        status: 202,
      },
    },
  },
  'GET /v1/broadcasts': {
    tag: 'broadcasts',
    summary: 'Broadcasts, newest first',
    query: BroadcastsQuery,
    answers: { 200: pageOf(BroadcastAnswer) },
    examples: { 'the newest': { query: { limit: '5' }, status: 200 } },
  },
  'GET /v1/broadcasts/{id}': {
    tag: 'broadcasts',
    summary: 'How far it is, how fast it goes, when it will be done',
    answers: { 200: BroadcastAnswer },
    examples: { 'one of them': { params, status: 200 } },
  },
  'GET /v1/broadcasts/{id}/recipients': {
    tag: 'broadcasts',
    summary: 'What became of each recipient',
    query: RecipientsQuery,
    answers: { 200: pageOf(Recipient) },
    examples: { 'the first few': { params, query: { limit: '5' }, status: 200 } },
  },
  'POST /v1/broadcasts/{id}/pause': steer('Send to nobody further, until it is resumed'),
  'POST /v1/broadcasts/{id}/resume': steer('Go on'),
  'POST /v1/broadcasts/{id}/cancel': steer('Send to nobody further, for good'),
  'PUT /v1/audiences/{name}': {
    tag: 'broadcasts',
    summary: 'Save a list of recipients under a name; the body is the list',
    query: AudienceQuery,
    forms: Object.keys(LIST_TYPES),
    answers: { 201: Saved },
    examples: {
      'a list with a header': {
        params: { name: 'newsletter' },
        text: { type: 'text/csv', content: 'chat,name\n5001,Ada\n5002,Grace\n' },
        status: 201,
      },
    },
  },
  'GET /v1/audiences': {
    tag: 'broadcasts',
    summary: 'Saved audiences, by name',
    query: BroadcastsQuery,
    answers: { 200: pageOf(Audience) },
    examples: { 'the first few': { query: { limit: '5' }, status: 200 } },
  },
  'DELETE /v1/audiences/{name}': {
    tag: 'broadcasts',
    summary: 'Forget the name; broadcasts keep who is in it',
    answers: { 200: Type.Object({ name: text }) },
    examples: { 'one of them': { params: { name: SAMPLE.audience }, status: 200 } },
  },
};
