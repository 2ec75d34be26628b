// Server-sent events to whoever is connected, bounded in number and in what each may leave unread. Whoever tells never
// waits for a reader: one that lets too much pile up is told so and dropped, because silently skipping events would
// be a lie. A beat keeps quiet lines open.

import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Holder } from '../../keys/keys.ts';
import type { Clock, Timer } from '../../system/clock.ts';
import { EVENT_BACKLOG_BYTES_MAX, EVENT_CLIENTS_MAX, EVENT_HEARTBEAT_MS } from '../context.ts';
import { INERT_HEADERS } from '../inert.ts';
import { refuse } from '../problem.ts';

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
  tell(kind: string, show: () => object, isFor: (reader: R) => boolean): void {
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
  }

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
