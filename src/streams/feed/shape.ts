// How one JSON payload of a producer is understood: each producer's shape is a function that claims its own payloads
// and leaves the others alone.

import type { FeedEvent } from './event.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface ShapeReading {
  readonly events: readonly FeedEvent[];
  // More must come: a body that ends now has broken off. null: as before.
  readonly isOpen: boolean | null;
}

// null: not this producer's.
export type Shape = (payload: Json) => ShapeReading | null;

// An error is told in this many units; the rest is the producer's.
const DETAIL_UNITS_MAX = 300;

export function more(text: unknown): ShapeReading {
  const isText = typeof text === 'string' && text !== '';
  return { events: isText ? [{ kind: 'text', text }] : [], isOpen: true };
}

export function done(): ShapeReading {
  return { events: [{ kind: 'done' }], isOpen: false };
}

// `error` as producers write it: a text, or an object with a message and a type or code.
export function failed(error: unknown): ShapeReading {
  return { events: [{ kind: 'error', detail: detailOf(error) }], isOpen: false };
}

export function isError(error: unknown): boolean {
  return asJson(error) !== null || (typeof error === 'string' && error !== '');
}

function detailOf(error: unknown): string {
  const { type, code, message } = asJson(error) ?? { message: error };
  const name = [type, code].find((each) => typeof each === 'string' && each !== '');
  const said = typeof message === 'string' ? message.slice(0, DETAIL_UNITS_MAX) : '';
  const parts = [name, said].filter((each) => typeof each === 'string' && each !== '');
  return parts.length === 0 ? 'the producer failed and said no more' : parts.join(': ');
}

export function asJson(value: unknown): Json | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Json) : null;
}
