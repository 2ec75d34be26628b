// /v1/ingest/posts: what was read, searched and paged. One post with its former states.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from '../../accept/problems.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { isDecimalId } from '../../domain/decimal-id.ts';
import { viewer } from '../auth/access.ts';
import { SAMPLE } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import type { Route } from '../route.ts';
import { EXPORT } from './export.ts';
import { MEDIA } from './media.ts';
import type { IngestOptions } from './options.ts';
import { readQuery } from './query.ts';
import { checkPostsQuery, PostAnswer, PostsAnswer, PostsQuery } from './schema.ts';
import { showPost, showVersion } from './view.ts';

interface OfOne {
  Params: { id: string; post: string };
}

const VERSIONS_SHOWN_MAX = 100;

const SEARCH: Route<IngestOptions> = {
  method: 'GET',
  url: '/v1/ingest/posts',
  access: viewer('closed'),
  tag: 'ingest',
  summary:
    'Posts, newest first. A page may have fewer than asked for, even none, and still have a `next`: a search looks ' +
    'at so many posts at a time',
  query: PostsQuery,
  answers: { 200: PostsAnswer },
  examples: {
    'the newest of all': { query: { limit: '5' }, status: 200 },
    'of one channel, above a message id': {
      query: { source: SAMPLE.source, after: SAMPLE.post, limit: '5' },
      status: 200,
    },
    'with a word in them': { query: { text: 'rain', after: '2030-01-01T00:00:00Z' }, status: 200 },
  },
  handler: search,
};

const GET: Route<IngestOptions> = {
  method: 'GET',
  url: '/v1/ingest/sources/:id/posts/:post',
  access: viewer('closed'),
  tag: 'ingest',
  summary: 'One post, with its former states',
  answers: { 200: PostAnswer },
  examples: { 'the first': { params: { id: SAMPLE.source, post: SAMPLE.post }, status: 200 } },
  handler: one,
};

export const POST_ROUTES: readonly Route<IngestOptions>[] = [SEARCH, GET, EXPORT, MEDIA];

async function search({ ingest }: IngestOptions, { query }: FastifyRequest, reply: FastifyReply) {
  if (!checkPostsQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkPostsQuery, query)));
  }
  const asked = readQuery(query);
  if ('code' in asked) return sendProblem(reply, asked);
  const { posts, next } = await ingest.service.store.posts(asked);
  return { posts: posts.map(showPost), next };
}

async function one(
  { ingest }: IngestOptions,
  { params: { id, post } }: FastifyRequest<OfOne>,
  reply: FastifyReply,
) {
  const { store } = ingest.service;
  const key = { source: Number(id), id: post };
  const isKey = Number.isSafeInteger(key.source) && isDecimalId(post);
  const found = isKey ? await store.post(key) : null;
  if (found === null) return refuse(reply, 'not_found', 'There is no such post.');
  const versions = await store.versions({ ...key, max: VERSIONS_SHOWN_MAX });
  return { ...showPost(found), history: versions.map(showVersion) };
}
