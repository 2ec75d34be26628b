// /v1/events: attempts, moves and streams as server-sent events, as they happen. The road never waits for a reader:
// one that lets too much pile up is told so and dropped, because silently skipping events would be a lie.

import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RoadEvent } from '../domain/event.ts';
import type { StreamView } from '../live/live.ts';
import type { Clock, Timer } from '../system/clock.ts';
import {
  EVENT_BACKLOG_BYTES_MAX,
  EVENT_CLIENTS_MAX,
  EVENT_HEARTBEAT_MS,
  type IntakeOptions,
} from './intake.ts';
import { invalid, refuse, sendProblem } from './refuse.ts';
import { checkEventsQuery } from './schema.ts';
import { showStream } from './stream-view.ts';
import { showTime, showTimeOrNull } from './time.ts';
import { troublesOf } from './trouble.ts';

interface Reader {
  readonly response: ServerResponse;
  readonly account: string | null;
  readonly chat: string | null;
}

export function eventRoutes(app: FastifyInstance, options: IntakeOptions): void {
  const readers = new Readers(options.clock);
  const unlisten = options.road.listen((event) => readers.tell(event));
  const unlistenLive = options.output?.live.listen((view) => readers.tellStream(options.tag, view));
  app.addHook('preClose', async () => {
    unlisten();
    unlistenLive?.();
    readers.stop();
  });
  app.get('/v1/events', (request, reply) => open(readers, request, reply));
}

function open(readers: Readers, request: FastifyRequest, reply: FastifyReply) {
  const { query } = request;
  if (!checkEventsQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkEventsQuery, query)));
  }
  if (readers.isFull) {
    return refuse(reply, 'too_many_waiting', `${EVENT_CLIENTS_MAX} readers are connected.`);
  }
  reply.hijack();
  reply.raw.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  readers.add({
    response: reply.raw,
    account: query.account ?? null,
    chat: query.chat ?? null,
  });
  return reply;
}

export class Readers {
  readonly #clock: Clock;
  readonly #readers = new Set<Reader>();
  #heartbeat: Timer | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isFull(): boolean {
    return this.#readers.size >= EVENT_CLIENTS_MAX;
  }

  add(reader: Reader): void {
    this.#readers.add(reader);
    reader.response.once('close', () => this.#remove(reader));
    reader.response.write(': open\n\n');
    if (this.#heartbeat === null) this.#beatLater();
  }

  tell(event: RoadEvent): void {
    const isFor = (reader: Reader) => concerns(event, reader);
    this.#tell(event.kind, () => showEvent(event), isFor);
  }

  tellStream(tag: string, view: StreamView): void {
    const isFor = (reader: Reader) => isWithin(view, reader);
    this.#tell('stream', () => showStream(tag, view), isFor);
  }

  // Put into words once, and only if somebody hears it.
  #tell(kind: string, show: () => object, isFor: (reader: Reader) => boolean): void {
    let text: string | null = null;
    for (const reader of this.#readers) {
      if (!isFor(reader)) continue;
      text ??= `event: ${kind}\ndata: ${JSON.stringify(show())}\n\n`;
      this.#write(reader, text);
    }
  }

  stop(): void {
    this.#heartbeat?.cancel();
    this.#heartbeat = null;
    for (const reader of this.#readers) this.#end(reader, 'the gateway is stopping');
  }

  #write(reader: Reader, text: string): void {
    if (reader.response.writableLength > EVENT_BACKLOG_BYTES_MAX) {
      this.#end(reader, 'too slow: events after this one were not sent');
    } else {
      reader.response.write(text);
    }
  }

  #end(reader: Reader, reason: string): void {
    this.#remove(reader);
    reader.response.end(`event: dropped\ndata: ${JSON.stringify({ reason })}\n\n`);
  }

  #remove(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#heartbeat?.cancel();
    this.#heartbeat = null;
  }

  #beatLater(): void {
    this.#heartbeat = this.#clock.schedule(this.#clock.now() + EVENT_HEARTBEAT_MS, () => {
      for (const reader of this.#readers) this.#write(reader, ': beat\n\n');
      if (this.#readers.size > 0) this.#beatLater();
    });
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
