// POST (or PUT) /v1/streams?account=…&chat=… whose body is the stream: shown as it comes, final when it ends. The
// answer comes last, when the final is on disk; with `wait`, when it has arrived.

import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from '../../accept/problems.ts';
import { waitOf } from '../../accept/submit.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { type Problem, problem, type Trouble } from '../../domain/errors.ts';
import { platformOf } from '../../domain/ids.ts';
import { DATA_STREAM_HEADER, FEED_TYPES } from '../../domain/live.ts';
import type { Feed, Feeds } from '../../streams/feed/feed.ts';
import type { StreamView } from '../../streams/streams.ts';
import { headersOf } from '../auth/guard.ts';
import { sendProblem } from '../problem.ts';
import { Body } from './body.ts';
import { openStream } from './calls.ts';
import type { StreamDesk } from './desk.ts';
import { requestOfQuery, type StreamOptions, waitOfQuery } from './draft.ts';
import { endProblem } from './end.ts';
import { checkStreamQuery } from './schema.ts';
import { showStream } from './view.ts';
import type { StreamWaits } from './waits.ts';

// What clients say when nobody told them what they send.
const UNTOLD = /^(?:application\/(?:octet-stream|x-www-form-urlencoded)\b.*)?$/i;

interface Ready {
  readonly opened: StreamView;
  readonly isNew: boolean;
  readonly feed: Feed;
  readonly waitMs: number;
}

// What it takes to take a body.
export interface BodyPorts {
  readonly options: StreamOptions;
  readonly desk: StreamDesk;
  readonly waits: StreamWaits;
}

export async function takeBody(
  { options, desk, waits }: BodyPorts,
  request: FastifyRequest,
  source: Readable,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const ready = await prepare(options, request);
  if ('code' in ready) {
    source.resume();
    return sendProblem(reply, ready);
  }
  const { tag } = options;
  const { id } = ready.opened;
  withNames(reply, ready.opened);
  // Its text has come, or comes, by the request that was first; this one's is not needed.
  if (!ready.isNew) {
    source.resume();
    const ended = ready.waitMs === 0 ? null : await waits.ended(id, ready.waitMs, reply.raw);
    return reply.send({ ...showStream(tag, ended ?? ready.opened), error: null });
  }
  const end = await desk.pour(id, new Body(source), ready.feed);
  if (end.kind === 'cut_off' && source.destroyed) {
    const { account, chat, correlation } = end.view;
    options.log.warn(
      { stream: id, correlation, platform: platformOf(account), account, chat },
      'the producer of a stream disconnected; its text is finished as far as it came',
    );
  }
  // A sender that is gone does not hear it.
  if (end.kind !== 'finished') return sendProblem(reply, endProblem(tag, end, ready.opened));
  const { view, error } = end;
  const ended = ready.waitMs === 0 ? null : await waits.ended(id, ready.waitMs, reply.raw);
  return reply.send({ ...showStream(tag, ended ?? view), error });
}

// Under what it is found again.
export function withNames(reply: FastifyReply, { id, correlation }: StreamView): void {
  reply.header('location', `/v1/streams/${id}`).header('x-correlation-id', correlation);
}

async function prepare(options: StreamOptions, request: FastifyRequest): Promise<Ready | Problem> {
  const { query } = request;
  const feed = feedFor(options.feeds, request, options.settings.streamThoughts);
  if (feed === null) return unreadable();
  if (!checkStreamQuery.Check(query)) {
    return invalid('invalid_query', troublesOf(checkStreamQuery, query));
  }
  const headers = headersOf(request);
  if ('code' in headers) return headers;
  const waitMs = waitOf(options, { wait: waitOfQuery(query) });
  if (typeof waitMs !== 'number') return invalid('invalid_query', waitMs.problems as Trouble[]);
  const opened = await openStream(options, requestOfQuery(query), headers);
  if ('code' in opened) return opened;
  return { opened: opened.view, isNew: opened.isNew, feed, waitMs };
}

// A body of no type and no target is most likely JSON whose type was forgotten, not a text to be shown.
function feedFor(
  feeds: Feeds,
  { headers, query }: FastifyRequest,
  areThoughtsShown: boolean,
): Feed | null {
  const type = headers['content-type'] ?? '';
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity') return null;
  if (DATA_STREAM_HEADER in headers) return feeds.ofDataStream({ areThoughtsShown });
  if (!UNTOLD.test(type)) return feeds.of(type, { areThoughtsShown });
  const named = Object.keys(query ?? {});
  const isAimed = named.includes('account') || named.includes('chat');
  return isAimed ? feeds.of(undefined, { areThoughtsShown }) : null;
}

export function unreadable(): Problem {
  const detail =
    `A body that is a stream has one of the types ${FEED_TYPES.join(', ')}, uncompressed, and its target in ` +
    'the query; application/json with POST opens a stream to be changed by its id.';
  return problem('unsupported_media_type', detail);
}
