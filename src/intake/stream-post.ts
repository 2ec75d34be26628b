// POST (or PUT) /v1/streams?account=…&chat=… whose body is the stream: shown as it comes, final when it ends. The
// answer comes last, when the final is on disk; with `wait`, when it has arrived.

import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, problem, type Trouble } from '../domain/errors.ts';
import { FEED_TYPES, type Feed, feedOf } from '../live/feed.ts';
import type { StreamView } from '../live/live.ts';
import { unreachable } from '../system/assert.ts';
import { headersOf } from './headers.ts';
import { invalid, sendProblem } from './refuse.ts';
import { Body, type BodyEnd } from './stream-body.ts';
import { openStream } from './stream-calls.ts';
import type { StreamDesk } from './stream-desk.ts';
import { requestOfQuery, type StreamOptions, waitOfQuery } from './stream-draft.ts';
import { checkStreamQuery } from './stream-schema.ts';
import { endedProblem, noRoom, noStream, showStream, tooLong } from './stream-view.ts';
import { waitOf } from './submit.ts';
import { troublesOf } from './trouble.ts';

// What clients say when nobody told them what they send.
const UNTOLD = /^(?:application\/(?:octet-stream|x-www-form-urlencoded)\b.*)?$/i;

interface Ready {
  readonly opened: StreamView;
  readonly feed: Feed;
  readonly waitMs: number;
}

export async function takeBody(
  options: StreamOptions,
  desk: StreamDesk,
  request: FastifyRequest,
  source: Readable,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const ready = await prepare(options, request);
  if ('code' in ready) {
    source.resume();
    return sendProblem(reply, ready);
  }
  const { id } = ready.opened;
  reply.header('location', `/v1/streams/${id}`);
  const end = await desk.pour(id, new Body(source), ready.feed);
  return answerEnd(options, desk, { ...ready, end }, reply);
}

async function prepare(options: StreamOptions, request: FastifyRequest): Promise<Ready | Problem> {
  const { query } = request;
  const feed = feedFor(request);
  if (feed === null) return unreadable();
  if (!checkStreamQuery.Check(query)) {
    return invalid('invalid_query', troublesOf(checkStreamQuery, query));
  }
  const headers = headersOf(request);
  if ('code' in headers) return headers;
  const waitMs = waitOf(options, { wait: waitOfQuery(query) });
  if (typeof waitMs !== 'number') return invalid('invalid_query', waitMs.problems as Trouble[]);
  const opened = await openStream(options, requestOfQuery(query), headers);
  return 'code' in opened ? opened : { opened, feed, waitMs };
}

// A body of no type and no target is most likely JSON whose type was forgotten, not a text to be shown.
function feedFor({ headers, query }: FastifyRequest): Feed | null {
  const type = headers['content-type'] ?? '';
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity') return null;
  if (!UNTOLD.test(type)) return feedOf(type);
  const named = Object.keys(query ?? {});
  return named.includes('account') || named.includes('chat') ? feedOf(undefined) : null;
}

export function unreadable(): Problem {
  const detail =
    `A body that is a stream has one of the types ${FEED_TYPES.join(', ')}, uncompressed, and its target in ` +
    'the query; application/json with POST opens a stream to be changed by its id.';
  return problem('unsupported_media_type', detail);
}

async function answerEnd(
  options: StreamOptions,
  desk: StreamDesk,
  { opened, waitMs, end }: Ready & { end: BodyEnd },
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { tag } = options;
  switch (end.kind) {
    case 'finished': {
      const { view, error } = end;
      const ended = waitMs === 0 ? null : await desk.ended(view.id, waitMs, reply.raw);
      return reply.send({ ...showStream(tag, ended ?? view), error });
    }
    // A sender that is gone does not hear it; the others are told why their text ends here.
    case 'cut_off':
      return sendProblem(
        reply,
        problem('shutting_down', '', { stream: showStream(tag, end.view) }),
      );
    case 'too_long':
      return sendProblem(reply, tooLong(end.unitsMax, { stream: showStream(tag, end.view) }));
    case 'ended':
      return sendProblem(reply, endedProblem(tag, end.view));
    case 'queue_full':
      return sendProblem(reply, noRoom(end.queueMax, { stream: showStream(tag, opened) }));
    case 'unknown':
      return sendProblem(reply, noStream());
    default:
      return unreachable(end);
  }
}
