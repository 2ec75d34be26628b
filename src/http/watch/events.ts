// /v1/events: attempts, moves and streams as server-sent events, as they happen.

import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from '../../accept/problems.ts';
import { checkEventsQuery, EventsQuery } from '../../accept/schema.ts';
import { showTime, showTimeOrNull } from '../../accept/time.ts';
import { troublesOf } from '../../accept/trouble.ts';
import type { RoadEvent } from '../../domain/event.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { Holder } from '../../keys/keys.ts';
import type { StreamView } from '../../streams/streams.ts';
import type { Clock, Timer } from '../../system/clock.ts';
import { lasting, viewer } from '../auth/access.ts';
import {
  EVENT_BACKLOG_BYTES_MAX,
  EVENT_CLIENTS_MAX,
  EVENT_HEARTBEAT_MS,
  type HttpParts,
} from '../context.ts';
import { INERT_HEADERS } from '../edge.ts';
import { followOthers } from '../fleet/events.ts';
import { SAMPLE, text } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import { group, type Route } from '../route.ts';
import { showStream } from '../streams/view.ts';

// Server-sent events to whoever is connected, bounded in number and in what each may leave unread. Whoever tells never
// waits for a reader: one that lets too much pile up is told so and dropped, because silently skipping events would
// be a lie. A beat keeps quiet lines open.

export interface EventReader {
  readonly response: ServerResponse;
  // Whose key it came with.
  readonly holder: Holder | null;
  // False: it is told everything but what messages say. Left out: nothing that is told here says that.
  readonly seesTexts?: boolean;
}

// One key may have this share of the places, and those without the role admin may leave as many free: no viewer can
// take the places of the others, and all together not those of the owner.
const SHARE = 4;

// Makes a stream of events of the answer; null: there are too many readers, which it was told.
export function openEvents(
  readers: Pick<EventReaders<EventReader>, 'refusalFor'>,
  reply: FastifyReply,
): ServerResponse | null {
  const refusal = readers.refusalFor(reply.request.holder);
  if (refusal !== null) {
    refuse(reply, 'too_many_waiting', refusal);
    return null;
  }
  reply.hijack();
  reply.raw.writeHead(200, {
    ...INERT_HEADERS,
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  return reply.raw;
}

export class EventReaders<R extends EventReader> {
  readonly #clock: Clock;
  readonly #readersMax: number;
  readonly #readers = new Set<R>();
  #heartbeat: Timer | null = null;

  constructor(clock: Clock, readersMax = EVENT_CLIENTS_MAX) {
    this.#clock = clock;
    this.#readersMax = readersMax;
  }

  get size(): number {
    return this.#readers.size;
  }

  // In words; null: there is room.
  refusalFor(holder: Holder | null): string | null {
    const share = Math.max(1, Math.floor(this.#readersMax / SHARE));
    const isAdmin = holder?.role === 'admin';
    const max = isAdmin ? this.#readersMax : this.#readersMax - share;
    if (this.#readers.size >= max) return `${this.#readers.size} readers are connected.`;
    let own = 0;
    for (const reader of this.#readers) if (reader.holder?.id === holder?.id) own += 1;
    if (own < share || isAdmin) return null;
    return `${own} readers are connected with this key, and one key may have ${share}.`;
  }

  add(reader: R): void {
    this.#readers.add(reader);
    reader.response.once('close', () => this.#remove(reader));
    reader.response.write(': open\n\n');
    if (this.#heartbeat === null) this.#beatLater();
  }

  // To those it is for. Put into words once, and only if somebody hears it.
  publish(kind: string, show: () => object, isFor: (reader: R) => boolean): void {
    let text: string | null = null;
    for (const reader of this.#readers) {
      if (!isFor(reader)) continue;
      text ??= eventText(kind, show());
      this.#write(reader, text);
    }
  }

  stop(): void {
    this.#heartbeat?.cancel();
    this.#heartbeat = null;
    for (const reader of this.#readers) this.#end(reader, 'the gateway is stopping');
  }

  #write(reader: R, text: string): void {
    if (reader.response.writableLength > EVENT_BACKLOG_BYTES_MAX) {
      this.#end(reader, 'too slow: events after this one were not sent');
    } else {
      reader.response.write(text);
    }
  }

  #end(reader: R, reason: string): void {
    this.#remove(reader);
    reader.response.end(eventText('dropped', { reason }));
  }

  #remove(reader: R): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#heartbeat?.cancel();
    this.#heartbeat = null;
    this.left();
  }

  // The last reader has left.
  protected left(): void {}

  #beatLater(): void {
    this.#heartbeat = this.#clock.schedule(this.#clock.now() + EVENT_HEARTBEAT_MS, () => {
      for (const reader of this.#readers) this.#write(reader, ': beat\n\n');
      if (this.#readers.size > 0) this.#beatLater();
    });
  }
}

function eventText(kind: string, data: object): string {
  return `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

export type ReadersOptions = Pick<HttpParts, 'clock' | 'road' | 'output' | 'tag' | 'fleet'>;

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
  const readers = new Readers(options);
  app.addHook('preClose', async () => readers.stop());
  return readers;
});

function open(readers: Readers, request: FastifyRequest, reply: FastifyReply) {
  const { query } = request;
  if (!checkEventsQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkEventsQuery, query)));
  }
  const response = openEvents(readers, reply);
  const { account = null, chat = null } = query;
  if (response === null) return reply;
  readers.add({ response, holder: request.holder, account, chat });
  readers.followOthers(request, response);
  return reply;
}

// Listens as long as somebody reads.
export class Readers extends EventReaders<Reader> {
  readonly #options: ReadersOptions;
  #unlisten: (() => void)[] = [];

  constructor(options: ReadersOptions) {
    super(options.clock);
    this.#options = options;
  }

  override add(reader: Reader): void {
    super.add(reader);
    if (this.size > 1) return;
    const { road, output, tag } = this.#options;
    this.#unlisten.push(road.listen((event) => this.#publishEvent(event)));
    const unlisten = output?.live.listen((view) => this.#publishStream(tag, view));
    if (unlisten !== undefined) this.#unlisten.push(unlisten);
  }

  // Of a fleet: what happens at the other nodes.
  followOthers(request: FastifyRequest, response: Reader['response']): void {
    const { fleet } = this.#options;
    if (fleet?.side === 'outer') followOthers(fleet.port, request, response);
  }

  protected override left(): void {
    for (const unlisten of this.#unlisten.splice(0)) unlisten();
  }

  #publishEvent(event: RoadEvent): void {
    const isFor = (reader: Reader) => concerns(event, reader);
    this.publish(event.kind, () => showEvent(event), isFor);
  }

  #publishStream(tag: string, view: StreamView): void {
    const isFor = (reader: Reader) => isWithin(view, reader);
    this.publish('stream', () => showStream(tag, view), isFor);
  }
}

// Events of a whole account are told to those who follow it, not to those who follow one chat.
function concerns(event: RoadEvent, { account, chat }: Reader): boolean {
  if ('about' in event) return isWithin(event.about, { account, chat });
  // What concerns all of them is told to everybody.
  if (!('account' in event)) return true;
  return chat === null && (account === null || event.account === account);
}

function isWithin(
  what: { account: AccountId; chat: string },
  { account, chat }: Pick<Reader, 'account' | 'chat'>,
): boolean {
  return (account === null || what.account === account) && (chat === null || what.chat === chat);
}

function showEvent(event: RoadEvent): object {
  const at = showTime(event.at);
  switch (event.kind) {
    case 'cosmetic':
    case 'token': {
      const { kind, ...rest } = event;
      return { ...rest, at };
    }
    case 'frozen':
    case 'breaker': {
      const { kind, ...rest } = event;
      return { ...rest, at, until: showTimeOrNull(event.until) };
    }
    case 'store':
      return { trouble: event.trouble, at };
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
