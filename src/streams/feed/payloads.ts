// The payloads of one body, one after the other: which producer's shape each has, whether the end was told, and what
// the end of the body means where it was not.

import { jsonOrUndefined } from '../../system/json.ts';
import { readMessagesEvent } from './anthropic.ts';
import type { FeedEvent } from './event.ts';
import { readChatChunk, readResponsesEvent } from './openai.ts';
import { asJson, type Json, more, type Shape, type ShapeReading } from './shape.ts';
import { readSimple } from './simple.ts';

const SHAPES: readonly Shape[] = [readChatChunk, readResponsesEvent, readMessagesEvent, readSimple];
const DONE = '[DONE]';
// The name of events without a name.
const NAME_DEFAULT = 'message';

export class Payloads {
  broken = 0;
  #unknown = 0;
  #isOpen = false;
  #isUnderstood = false;
  #isEnded = false;

  get isEnded(): boolean {
    return this.#isEnded;
  }

  // `type` is the event's name; some producers name the type there only.
  read(payload: string, type: string | null = null): FeedEvent[] {
    if (this.#isEnded) return [];
    const trimmed = payload.trim();
    if (trimmed === '') return [];
    // Producers of shapes that are not known here have the same word for the end.
    if (trimmed === DONE) return this.#strange() ?? this.#tell([{ kind: 'done' }]);
    const value = parsed(trimmed);
    if (value === undefined) {
      this.broken += 1;
      return [];
    }
    const reading = readingOf(value, type);
    if (reading === null) {
      this.#unknown += 1;
      return [];
    }
    this.#isUnderstood = true;
    this.#isOpen = reading.isOpen ?? this.#isOpen;
    return this.#tell(reading.events);
  }

  fail(detail: string): FeedEvent[] {
    return this.#tell([{ kind: 'error', detail }]);
  }

  end(): FeedEvent[] {
    if (this.#isEnded) return [];
    const strange = this.#strange();
    if (strange !== null) return strange;
    if (this.#isOpen) return this.fail('it broke off before its end was told');
    return this.#tell([{ kind: 'done' }]);
  }

  // Said much, and nothing of it understood: an error, as an empty message would hide that.
  #strange(): FeedEvent[] | null {
    const unread = this.broken + this.#unknown;
    if (this.#isUnderstood || unread === 0) return null;
    return this.fail(`nothing in it was understood (${unread} events or lines)`);
  }

  #tell(events: readonly FeedEvent[]): FeedEvent[] {
    const told: FeedEvent[] = [];
    for (const event of events) {
      if (this.#isEnded) break;
      told.push(event);
      this.#isEnded = event.kind === 'done' || event.kind === 'error';
    }
    return told;
  }
}

function readingOf(value: unknown, type: string | null): ShapeReading | null {
  if (typeof value === 'string') return { ...more(value), isOpen: false };
  const json = asJson(value);
  if (json === null) return null;
  const isTyped = 'type' in json || type === null || type === NAME_DEFAULT;
  const payload: Json = isTyped ? json : { ...json, type };
  for (const shape of SHAPES) {
    const reading = shape(payload);
    if (reading !== null) return reading;
  }
  return null;
}

function parsed(text: string): unknown {
  return jsonOrUndefined(text);
}
