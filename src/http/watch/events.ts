// /v1/events: attempts, moves and streams as server-sent events, as they happen.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from '../../accept/problems.ts';
import { checkEventsQuery, EventsQuery } from '../../accept/schema.ts';
import { showTime, showTimeOrNull } from '../../accept/time.ts';
import { troublesOf } from '../../accept/trouble.ts';
import type { RoadEvent } from '../../domain/event.ts';
import type { StreamView } from '../../streams/streams.ts';
import { lasting, viewer } from '../auth/access.ts';
import { SAMPLE, text } from '../openapi/common.ts';
import { sendProblem } from '../problem.ts';
import { group, type Route } from '../route.ts';
import { showStream } from '../streams/view.ts';
import { type EventReader, EventReaders, openEvents } from './event-readers.ts';

interface Reader extends EventReader {
  readonly account: string | null;
  readonly chat: string | null;
}

const FOLLOW: Route<Readers> = {
  method: 'GET',
  url: '/v1/events',
  access: lasting(viewer('query')),
  tag: 'watching',
  summary: 'Server-sent events of attempts, moves and streams',
  query: EventsQuery,
  answers: { 200: text },
  answerType: 'text/event-stream',
  examples: { 'of one account': { query: { account: SAMPLE.account }, status: 200 } },
  handler: open,
};

export const EVENT_ROUTES = group<Readers>([FOLLOW], ({ app, options }) => {
  const readers = new Readers(options.clock);
  const unlisten = options.road.listen((event) => readers.tellRoad(event));
  const unlistenLive = options.output?.live.listen((view) => readers.tellStream(options.tag, view));
  app.addHook('preClose', async () => {
    unlisten();
    unlistenLive?.();
    readers.stop();
  });
  return readers;
});

function open(readers: Readers, request: FastifyRequest, reply: FastifyReply) {
  const { query } = request;
  if (!checkEventsQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkEventsQuery, query)));
  }
  const response = openEvents(readers, reply);
  const { account = null, chat = null } = query;
  if (response !== null) readers.add({ response, holder: request.holder, account, chat });
  return reply;
}

export class Readers extends EventReaders<Reader> {
  tellRoad(event: RoadEvent): void {
    const isFor = (reader: Reader) => concerns(event, reader);
    this.tell(event.kind, () => showEvent(event), isFor);
  }

  tellStream(tag: string, view: StreamView): void {
    const isFor = (reader: Reader) => isWithin(view, reader);
    this.tell('stream', () => showStream(tag, view), isFor);
  }
}

// Events of a whole account are told to those who follow it, not to those who follow one chat.
function concerns(event: RoadEvent, { account, chat }: Reader): boolean {
  if ('about' in event) return isWithin(event.about, { account, chat });
  return chat === null && (account === null || event.account === account);
}

function isWithin(
  what: { account: string; chat: string },
  { account, chat }: Pick<Reader, 'account' | 'chat'>,
): boolean {
  return (account === null || what.account === account) && (chat === null || what.chat === chat);
}

function showEvent(event: RoadEvent): object {
  const at = showTime(event.at);
  switch (event.kind) {
    case 'cosmetic': {
      const { kind, ...rest } = event;
      return { ...rest, at };
    }
    case 'frozen':
    case 'breaker': {
      const { kind, ...rest } = event;
      return { ...rest, at, until: showTimeOrNull(event.until) };
    }
    case 'moved': {
      const { kind, about, dueAt, ...rest } = event;
      const { seq, ...who } = about;
      return { ...who, ...rest, at, dueAt: showTimeOrNull(dueAt) };
    }
    default: {
      const { kind, about, ...rest } = event;
      const { seq, ...who } = about;
      return { ...who, ...rest, at };
    }
  }
}
