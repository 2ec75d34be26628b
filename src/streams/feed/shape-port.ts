// How the payloads of a body are understood: each producer's shape says which payloads are its own, and reads them.

import type { FeedEvent } from './event.ts';

export type Json = Readonly<Record<string, unknown>>;

// One server-sent event, line or element of an array.
export interface Payload {
  // Of the event; null where it has none.
  readonly name: string | null;
  // As it came.
  readonly raw: string;
  // The body broke off before its end: half of a text cannot be told from a whole.
  readonly isHalf: boolean;
  // undefined: no JSON.
  readonly value: unknown;
  // The members of a value that is an object. Some producers name its type in the event's name only; it is here then.
  readonly json: Json;
}

// `break`: what comes next is another paragraph, as a tool was called between the two.
export type ShapeEvent = FeedEvent | { kind: 'break' };

export interface ShapeReading {
  readonly events: readonly ShapeEvent[];
  // More must come: a body that ends now has broken off. null: as before.
  readonly isOpen: boolean | null;
  // Said on the way and perhaps got over: what a body that ends here broke off for.
  readonly trouble?: string;
}

// null: nothing that this producer says.
export type ShapeReader = (payload: Payload) => ShapeReading | null;

export interface Shape {
  // In the docs and in the error that lists what is known.
  readonly name: string;
  // Who sends it.
  readonly producer: string;
  // How it is recognised, in words; `owns` is the same in code.
  readonly sign: string;
  owns(payload: Payload): boolean;
  // One for each body, as some keep what they have read.
  reader(): ShapeReader;
}

// An error is told in this many units; the rest is the producer's.
const DETAIL_UNITS_MAX = 300;

export const NOTHING: ShapeReading = { events: [], isOpen: null };
// Nothing to show, and more must come.
export const OPEN: ShapeReading = { events: [], isOpen: true };
// Nothing to show, and the body may end here.
export const CLOSED: ShapeReading = { events: [], isOpen: false };
export const BREAK: ShapeReading = { events: [{ kind: 'break' }], isOpen: true };

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

// What went wrong may be tried again: if nothing follows, that was it.
export function troubled(error: unknown): ShapeReading {
  return { events: [], isOpen: true, trouble: detailOf(error) };
}

export function isError(error: unknown): boolean {
  return asJson(error) !== null || (typeof error === 'string' && error !== '');
}

// The ways to fail that most producers share.
export function readError({ name, raw, value, json }: Payload): ShapeReading | null {
  if (json.type === 'error') {
    const { code, message, errorText } = json;
    if (isError(json.error) && message === undefined) return failed(json.error);
    return failed({ type: json.error, code, message: message ?? errorText });
  }
  if (isError(json.error)) return failed(json.error);
  // In plain words.
  return name === 'error' && value === undefined && raw !== '' ? failed(raw) : null;
}

function detailOf(error: unknown): string {
  const { type, code, status, message } = asJson(error) ?? { message: error };
  const name = [type, code, status].find((each) => typeof each === 'string' && each !== '');
  const said = typeof message === 'string' ? message.slice(0, DETAIL_UNITS_MAX) : '';
  const parts = [name, said].filter((each) => typeof each === 'string' && each !== '');
  return parts.length === 0 ? 'the producer failed and said no more' : parts.join(': ');
}

export function asJson(value: unknown): Json | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Json) : null;
}

// What lies under these names, one in another; undefined: nothing.
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found: unknown = value;
  for (const name of path) found = asJson(found)?.[name];
  return found;
}

export function listOf(value: unknown): readonly Json[] {
  const items = Array.isArray(value) ? value : [];
  return items.map(asJson).filter((item) => item !== null);
}

// A content that is a text, or a list of parts of which those of text count; the others are thoughts, tools, pictures.
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = listOf(content).filter(({ type }) => type === 'text' || type === 'output_text');
  return texts.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}
