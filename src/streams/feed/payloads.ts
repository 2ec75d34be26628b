// The payloads of one body, one after the other: which producer's shape they have, whether the end was told, and what
// the end of the body means where it was not.

import { jsonOrUndefined } from '../../system/json.ts';
import type { FeedEvent } from './event.ts';
import {
  asJson,
  type Payload,
  readError,
  type ShapeEvent,
  type ShapeReader,
  type ShapeReading,
} from './shape-port.ts';
import { SHAPES, shapeOf } from './shape-table.ts';
import { Wording } from './wording.ts';

export interface PayloadOptions {
  // `<think>…</think>` in the text.
  readonly areThoughtsShown: boolean;
}

const DONE = '[DONE]';
// The name of events without a name.
const NAME_DEFAULT = 'message';
// Of what was not understood, so much is told.
const MEMBERS_TOLD_MAX = 8;
const TELLABLE = /^[\w.:/-]{1,40}$/;

export class Payloads {
  readonly #wording: Wording;
  broken = 0;
  #reader: ShapeReader | null = null;
  #unknown = 0;
  // The first that was not understood, in words.
  #seen = '';
  #isOpen = false;
  #trouble: string | undefined;
  #isUnderstood = false;
  #isEnded = false;

  constructor({ areThoughtsShown }: PayloadOptions) {
    this.#wording = new Wording(areThoughtsShown);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  // `name`: of the event.
  read(raw: string, name: string | null = null, isHalf = false): FeedEvent[] {
    if (this.#isEnded) return [];
    const trimmed = raw.trim();
    if (trimmed === '' && (name === null || this.#reader === null)) return [];
    // Producers of shapes that are not known here have the same word for the end.
    if (trimmed === DONE) return this.#strange() ?? this.#emit([{ kind: 'done' }]);
    const payload = { ...payloadOf(raw, trimmed, name), isHalf };
    const reading = this.#reading(payload);
    if (reading === null) {
      this.#miss(payload);
      return [];
    }
    this.#isUnderstood = true;
    this.#isOpen = reading.isOpen ?? this.#isOpen;
    this.#trouble = reading.trouble;
    return this.#emit(reading.events);
  }

  fail(detail: string): FeedEvent[] {
    return this.#emit([{ kind: 'error', detail }]);
  }

  end(): FeedEvent[] {
    if (this.#isEnded) return [];
    const strange = this.#strange();
    if (strange !== null) return strange;
    if (this.#isOpen) return this.fail(this.#trouble ?? 'it broke off before its end was told');
    return this.#emit([{ kind: 'done' }]);
  }

  #reading(payload: Payload): ShapeReading | null {
    this.#reader ??= shapeOf(payload)?.reader() ?? null;
    const reading = this.#reader?.(payload) ?? readError(payload);
    if (reading !== null) return reading;
    // A text alone is a piece of the text, whoever sends it.
    const { value } = payload;
    return typeof value === 'string'
      ? { events: [{ kind: 'text', text: value }], isOpen: null }
      : null;
  }

  #miss(payload: Payload): void {
    if (payload.raw.trim() === '') return;
    if (payload.value === undefined) this.broken += 1;
    else this.#unknown += 1;
    this.#seen ||= inWords(payload);
  }

  // ShapeEvent much, and nothing of it understood: an error, as an empty message would hide that.
  #strange(): FeedEvent[] | null {
    const unread = this.broken + this.#unknown;
    if (this.#isUnderstood || unread === 0) return null;
    const known = SHAPES.map(({ name }) => name).join(', ');
    const detail =
      `nothing in it is of a known shape (${unread} events or lines; the first is ${this.#seen}); ` +
      `known are ${known}`;
    return this.#emit([{ kind: 'error', detail, isUnknown: true }]);
  }

  #emit(events: readonly ShapeEvent[]): FeedEvent[] {
    const emitted: FeedEvent[] = [];
    for (const event of events.flatMap((said) => this.#wording.eventsOf(said))) {
      if (this.#isEnded) break;
      if (event.kind === 'text' && event.text === '') continue;
      emitted.push(event);
      this.#isEnded = event.kind === 'done' || event.kind === 'error';
    }
    return emitted;
  }
}

function payloadOf(raw: string, trimmed: string, name: string | null): Omit<Payload, 'isHalf'> {
  const value: unknown = jsonOrUndefined(trimmed);
  const members = asJson(value);
  const isTyped = members === null || 'type' in members || name === null || name === NAME_DEFAULT;
  return { name, raw, value, json: isTyped ? (members ?? {}) : { ...members, type: name } };
}

// What it is made of, not what it says.
function inWords({ name, value }: Payload): string {
  const members = asJson(value);
  const names = Object.keys(members ?? {}).filter((each) => TELLABLE.test(each));
  const made =
    members === null
      ? kindOf(value)
      : `an object of ${names.slice(0, MEMBERS_TOLD_MAX).join(', ') || 'nothing'}`;
  return name !== null && TELLABLE.test(name) ? `an event ${name}, ${made}` : made;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'no JSON';
  if (Array.isArray(value)) return 'an array';
  return value === null ? 'null' : `a ${typeof value}`;
}
