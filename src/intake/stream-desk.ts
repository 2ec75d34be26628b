// What goes on about streams at the wall: bodies that still come, and callers who wait for a text to arrive. Both end
// when the gateway stops; a body also ends when its stream was ended by someone else.

import type { Feed } from '../live/feed.ts';
import type { Live, StreamView } from '../live/live.ts';
import type { Clock } from '../system/clock.ts';
import type { Body, BodyEnd } from './stream-body.ts';
import type { Caller } from './waiting.ts';

// How long a body may go on. Its producer may be silent for far less: that is the watchdog's matter.
const BODY_MS_MAX = 6 * 3_600_000;

// The HTTP server, as far as it is told to be patient.
interface Patience {
  requestTimeout: number;
}

export class StreamDesk {
  readonly #live: Live;
  readonly #clock: Clock;
  readonly #server: Patience;
  readonly #requestMsMax: number;
  readonly #bodies = new Map<string, Body>();
  readonly #waits = new Set<AbortController>();
  readonly #unlisten: () => void;
  #isStopping = false;

  constructor(live: Live, clock: Clock, server: Patience) {
    this.#live = live;
    this.#clock = clock;
    this.#server = server;
    this.#requestMsMax = server.requestTimeout;
    this.#unlisten = live.listen(({ id, state }) => {
      if (state !== 'open') this.#bodies.get(id)?.cutOff();
    });
  }

  async pour(id: string, body: Body, feed: Feed): Promise<BodyEnd> {
    this.#bodies.set(id, body);
    this.#setPatience();
    if (this.#isStopping) body.cutOff();
    try {
      return await body.pour(this.#live, id, feed);
    } finally {
      this.#bodies.delete(id);
      this.#setPatience();
    }
  }

  // Until the text has arrived (or will not), the time is over, the caller has left or we stop: how it stands then.
  async ended(id: string, ms: number, caller: Caller): Promise<StreamView | null> {
    const wait = new AbortController();
    const leave = () => wait.abort();
    const timer = this.#clock.schedule(this.#clock.now() + ms, leave);
    this.#waits.add(wait);
    caller.once('close', leave);
    if (this.#isStopping || caller.destroyed === true) leave();
    try {
      return (await this.#live.ended(id, wait.signal)) ?? (await this.#live.get(id));
    } catch (error) {
      if (!wait.signal.aborted) throw error;
      return await this.#live.get(id);
    } finally {
      timer.cancel();
      caller.off('close', leave);
      this.#waits.delete(wait);
    }
  }

  stop(): void {
    this.#isStopping = true;
    this.#unlisten();
    for (const body of this.#bodies.values()) body.cutOff();
    for (const wait of this.#waits) wait.abort();
  }

  // The server has one bound on how long a request may take to arrive. While a body is a stream, it is a longer one.
  #setPatience(): void {
    this.#server.requestTimeout = this.#bodies.size === 0 ? this.#requestMsMax : BODY_MS_MAX;
  }
}
