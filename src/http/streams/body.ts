// A request body that is a stream: decoded and handed on as it comes, no faster than it is taken. Whatever ends it
// (its own end, a broken line, a bound, somebody else), what was taken stays and is finished, never lost.

import { finished, PassThrough, type Readable } from 'node:stream';
import type { Feed, FeedEvent } from '../../streams/feed/feed.ts';
import type { CutReason, Fed, Live, StreamChange, StreamView } from '../../streams/streams.ts';
import { assert, unreachable } from '../../system/assert.ts';
import type { Clock } from '../../system/clock.ts';

export type BodyEnd =
  // `error`: what went wrong at the producer, in its own words.
  | { kind: 'finished'; view: StreamView; error: string | null }
  // Its sender broke off, or we are stopping: nobody says the rest.
  | { kind: 'cut_off'; view: StreamView }
  // Nothing of it could be read; `detail` says what it was.
  | { kind: 'unknown_shape'; view: StreamView; detail: string }
  | { kind: 'too_long'; view: StreamView; unitsMax: number }
  // It was ended while the body still came: by the watchdog, or by hand.
  | { kind: 'ended'; view: StreamView }
  // Its account's queue did not take the final: it stays open, to be finished by its id.
  | { kind: 'queue_full'; queueMax: number }
  | { kind: 'unknown' };

const NOTHING: StreamChange = { kind: 'append', text: '' };
// A producer that sends no text but is there says so this often at most.
const SIGN_OF_LIFE_MS = 250;

export class Body {
  readonly #source: Readable;
  readonly #through = new PassThrough();
  #isRead = false;
  #cut: CutReason | null = null;

  constructor(source: Readable) {
    this.#source = source;
    finished(source, { writable: false }, (error) => {
      if (error) this.cutOff('sender_broke_off');
    });
    source.pipe(this.#through);
  }

  // Reads no further. What was read already is still taken.
  cutOff(why: CutReason): void {
    if (this.#isRead || this.#through.writableEnded) return;
    this.#cut = why;
    this.#source.unpipe(this.#through);
    this.#through.end();
  }

  async pour(live: Live, clock: Clock, id: string, feed: Feed): Promise<BodyEnd> {
    try {
      const end = await feedStream(live, clock, id, this.#readings(feed), () => this.#cut);
      return this.#cut !== null && end.kind === 'finished'
        ? { kind: 'cut_off', view: end.view }
        : end;
    } finally {
      // Read and thrown away, so that the sender hears the answer instead of losing the connection.
      this.#source.unpipe(this.#through);
      this.#source.resume();
    }
  }

  async *#readings(feed: Feed): AsyncGenerator<BodyReading> {
    for await (const chunk of this.#through) {
      const reading = readEvents(feed.push(chunk as Buffer));
      this.#isRead = reading.isOver;
      yield reading;
    }
    this.#isRead = true;
    yield { ...readEvents(feed.end()), isOver: true };
  }
}

// What a producer says, piece by piece, until it is over; then the final. `lazy`: it breaks off with us, so nothing
// it was told is lost that it would not lose itself.
export async function feedStream(
  live: Live,
  clock: Clock,
  id: string,
  readings: AsyncIterable<BodyReading>,
  cutBy: () => CutReason | null = () => null,
): Promise<BodyEnd> {
  let last: BodyReading = { change: null, isOver: true, error: null };
  let fedAt = Number.NEGATIVE_INFINITY;
  for await (const reading of readings) {
    last = reading;
    if (reading.isOver) break;
    // A piece without text is a sign of life of the producer, and counts as one.
    const now = clock.now();
    if (reading.change === null && now - fedAt < SIGN_OF_LIFE_MS) continue;
    fedAt = now;
    const fed = await live.change(id, reading.change ?? NOTHING, 'lazy');
    if (fed.kind !== 'taken') return refusedEnd(live, id, fed);
  }
  const cut = cutBy() ?? (last.error === null ? undefined : 'producer_failed');
  const fed = await live.final(id, last.isOver ? last.change : null, cut);
  if (fed.kind !== 'taken') return refusedEnd(live, id, fed);
  const { view } = fed;
  return last.isUnknown === true
    ? { kind: 'unknown_shape', view, detail: last.error ?? '' }
    : { kind: 'finished', view, error: last.error };
}

async function refusedEnd(
  live: Live,
  id: string,
  fed: Exclude<Fed, { kind: 'taken' }>,
): Promise<BodyEnd> {
  if (fed.kind !== 'too_long') return fed;
  const { unitsMax } = fed;
  const final = await live.final(id, null, 'too_long');
  assert(final.kind !== 'too_long', 'no text was added');
  return final.kind === 'taken' ? { kind: 'too_long', view: final.view, unitsMax } : final;
}

export interface BodyReading {
  // What the events do to the text, as one change; null: nothing.
  readonly change: StreamChange | null;
  readonly isOver: boolean;
  readonly error: string | null;
  // Nothing of it has a known shape.
  readonly isUnknown?: boolean;
}

function readEvents(events: readonly FeedEvent[]): BodyReading {
  let change: StreamChange | null = null;
  for (const event of events) {
    switch (event.kind) {
      case 'text':
        change = extended(change, event.text);
        break;
      case 'replace':
        change = { kind: 'replace', text: event.text };
        break;
      case 'done':
        return { change, isOver: true, error: null };
      case 'error':
        return {
          change,
          isOver: true,
          error: event.detail,
          isUnknown: event.isUnknown === true,
        };
      default:
        return unreachable(event);
    }
  }
  return { change, isOver: false, error: null };
}

function extended(change: StreamChange | null, text: string): StreamChange {
  return change === null ? { kind: 'append', text } : { ...change, text: change.text + text };
}
