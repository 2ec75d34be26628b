// Request bodies that are streams and still come. They end with the gateway, and when their stream was ended by
// someone else.

import type { Feed } from '../../streams/feed/feed.ts';
import type { Live } from '../../streams/streams.ts';
import type { Clock } from '../../system/clock.ts';
import type { Body, BodyEnd } from './body.ts';

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
  readonly #unlisten: () => void;
  #isStopping = false;

  constructor(live: Live, clock: Clock, server: Patience) {
    this.#live = live;
    this.#clock = clock;
    this.#server = server;
    this.#requestMsMax = server.requestTimeout;
    this.#unlisten = live.listen(({ id, state }) => {
      if (state !== 'open') this.#bodies.get(id)?.cutOff('stopping');
    });
  }

  async pour(id: string, body: Body, feed: Feed): Promise<BodyEnd> {
    this.#bodies.set(id, body);
    this.#setPatience();
    if (this.#isStopping) body.cutOff('stopping');
    try {
      return await body.pour(this.#live, this.#clock, id, feed);
    } finally {
      this.#bodies.delete(id);
      this.#setPatience();
    }
  }

  stop(): void {
    this.#isStopping = true;
    this.#unlisten();
    for (const body of this.#bodies.values()) body.cutOff('stopping');
  }

  // The server has one bound on how long a request may take to arrive. While a body is a stream, it is a longer one.
  #setPatience(): void {
    this.#server.requestTimeout = this.#bodies.size === 0 ? this.#requestMsMax : BODY_MS_MAX;
  }
}
