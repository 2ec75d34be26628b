// What /openapi.json says of streams.

import Type from 'typebox';
import { FEED_TYPES } from '../../streams/feed/feed.ts';
import {
  Stream,
  StreamAnswer,
  StreamChange,
  StreamFanOut,
  StreamFinal,
  StreamQuery,
  StreamsQuery,
} from '../streams/schema.ts';
import { type Operations, SAMPLE } from './operation.ts';

const to = { platform: 'telegram', account: SAMPLE.token, chat: 42 };
const target = { account: SAMPLE.token, platform: 'telegram', chat: '42' };
const params = { id: SAMPLE.stream };
const openHeaders = {
  'Idempotency-Key': 'The same key again is the same stream',
  'X-Correlation-Id': 'Your own id of it, searchable',
};
const ndjson = '{"text": "it "}\n{"text": "grows"}\n';

export const STREAM_OPERATIONS: Operations = {
  'POST /v1/streams': {
    tag: 'streams',
    summary:
      'Open a text that grows; or, of another type than JSON, a body that is the text itself',
    query: StreamQuery,
    headers: openHeaders,
    body: { anyOf: [Stream, StreamFanOut] },
    forms: FEED_TYPES,
    answers: { 200: StreamAnswer, 201: StreamAnswer },
    examples: {
      'opened, to be changed step by step': {
        body: { to, text: 'One moment', format: 'markdown' },
        status: 201,
      },
      'a body that is the text': {
        query: target,
        text: { type: 'application/x-ndjson', content: ndjson },
        status: 200,
      },
    },
  },
  'PUT /v1/streams': {
    tag: 'streams',
    summary: 'A body that is the text itself: shown as it comes, final when it ends',
    query: StreamQuery,
    headers: openHeaders,
    forms: FEED_TYPES,
    answers: { 200: StreamAnswer },
    examples: {
      'as `curl -T -` sends it': {
        query: target,
        text: { type: 'text/plain', content: 'it is done' },
        status: 200,
      },
    },
  },
  'GET /v1/streams': {
    tag: 'streams',
    summary: 'Streams that have not ended',
    query: StreamsQuery,
    answers: { 200: Type.Object({ streams: Type.Array(StreamAnswer) }) },
    examples: { 'of one account': { query: { account: SAMPLE.account }, status: 200 } },
  },
  'GET /v1/streams/{id}': {
    tag: 'streams',
    summary: 'How a stream stands',
    answers: { 200: StreamAnswer },
    examples: { 'one of them': { params, status: 200 } },
  },
  'PATCH /v1/streams/{id}': {
    tag: 'streams',
    summary: 'Append to the text, or replace it',
    body: StreamChange,
    forms: ['text/plain'],
    answers: { 200: StreamAnswer },
    examples: {
      'a little more': { params, body: { append: ', please' }, status: 200 },
      'another text': { params, body: { replace: 'Just a moment' }, status: 200 },
      'as plain text': { params, text: { type: 'text/plain', content: ' more' }, status: 200 },
    },
  },
  'POST /v1/streams/{id}/final': {
    tag: 'streams',
    summary: 'Finish the text; on disk when answered',
    body: StreamFinal,
    answers: { 200: StreamAnswer },
    examples: {
      'with what it has': { params, body: {}, status: 200 },
      'with its last words, and wait': {
        params,
        body: { append: '. Done.', wait: 10 },
        status: 200,
      },
    },
  },
  'DELETE /v1/streams/{id}': {
    tag: 'streams',
    summary: 'Cancel: what is shown stays, no more is',
    answers: { 200: StreamAnswer },
    examples: { 'one that is open': { params, status: 200 } },
  },
};
