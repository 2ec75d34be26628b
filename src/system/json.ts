// JSON from outside, read within bounds. Everything behind the wall walks, copies and re-serialises parsed values
// with recursive functions, so a text that nests without end would overflow the stack there, long after it was
// accepted. Depth and counts are therefore checked on the text, before a value is made of it.

export interface JsonBounds {
  // Containers within containers; a scalar has depth 0.
  readonly depthMax: number;
  // Of one array.
  readonly itemsMax: number;
  // Of one object.
  readonly membersMax: number;
  // Members and items of the whole text.
  readonly valuesMax: number;
  // Of one string, names of members included, as written (escapes count in full).
  readonly stringUnitsMax: number;
}

export const JSON_BOUNDS: JsonBounds = {
  depthMax: 64,
  itemsMax: 100_000,
  membersMax: 1000,
  valuesMax: 200_000,
  stringUnitsMax: 10_000_000,
};

// `prototype`: a member that would reach an object's prototype when it is copied.
export type JsonFault =
  | 'syntax'
  | 'depth'
  | 'items'
  | 'members'
  | 'values'
  | 'string'
  | 'prototype';

export type ParsedJson = { kind: 'value'; value: unknown } | JsonFailure;

export interface JsonFailure {
  readonly kind: 'failure';
  readonly fault: JsonFault;
  // In words, without anything of the text itself.
  readonly detail: string;
}

const BYTE_ORDER_MARK = 0xfeff;
// The shortest member is `"":0,`.
const MEMBER_UNITS_MIN = 5;
const ITEM_UNITS_MIN = 2;

export function parseJson(given: string, bounds: JsonBounds = JSON_BOUNDS): ParsedJson {
  const text = given.charCodeAt(0) === BYTE_ORDER_MARK ? given.slice(1) : given;
  if (!isHarmless(text, bounds)) {
    const fault = scan(text, bounds);
    if (fault !== null) return failure(fault, bounds);
  }
  // Lines of plain text are asked about too, and an exception costs more than a line.
  if (!JSON_BEGINS.test(text)) return failure('syntax', bounds);
  let value: unknown;
  try {
    value = exactJson(text);
  } catch (error) {
    return failure('syntax', bounds, positionIn(error));
  }
  if (maySpellPrototype(text) && reachesPrototype(value)) return failure('prototype', bounds);
  return { kind: 'value', value };
}

const JSON_BEGINS = /^[ \t\n\r]*[{["\-\dtfn]/;

// So many digits may be more than a number keeps.
const MANY_DIGITS = /\d{16}/;
const INTEGER = /^-?\d+$/;

// JSON.parse, but for integers that a number would change: ids of some platforms are that long, and some of their
// clients write them without quotes. They are kept as text. Throws what JSON.parse throws.
export function exactJson(text: string): unknown {
  return MANY_DIGITS.test(text) ? JSON.parse(text, asWritten) : JSON.parse(text);
}

function asWritten(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const { source = '' } = context ?? {};
  return INTEGER.test(source) ? source : value;
}

// Whether a text that may be JSON exceeds a bound; whether it is JSON at all is not asked.
export function exceeds(text: string, bounds: JsonBounds = JSON_BOUNDS): boolean {
  return !isHarmless(text, bounds) && scan(text, bounds) !== null;
}

// The value, or undefined (which no JSON text means) when it cannot be read within the bounds.
export function jsonOrUndefined(text: string, bounds: JsonBounds = JSON_BOUNDS): unknown {
  const parsed = parseJson(text, bounds);
  return parsed.kind === 'value' ? parsed.value : undefined;
}

// The value as it is shown: text that is no JSON within the bounds stands for itself.
export function jsonOrText(text: string | null): unknown {
  if (text === null) return null;
  const parsed = parseJson(text);
  return parsed.kind === 'value' ? parsed.value : text;
}

// A list of names as a store holds it; one that cannot be read is empty, and keeps nobody from its row.
export function namesIn(text: string): string[] {
  const value = jsonOrUndefined(text);
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

// The same bounds on a value that was handed over in process, which may also contain itself.
export function faultOf(value: unknown, bounds: JsonBounds = JSON_BOUNDS): JsonFailure | null {
  const fault = new Walk(bounds).fault(value, 0);
  return fault === null ? null : failure(fault, bounds);
}

// True for nearly every message, and known from its length and a few brackets: a text this short cannot hold too
// many members, and one with so few brackets cannot nest too deep.
function isHarmless(text: string, bounds: JsonBounds): boolean {
  const { length } = text;
  if (length > bounds.membersMax * MEMBER_UNITS_MIN) return false;
  if (length > bounds.itemsMax * ITEM_UNITS_MIN) return false;
  if (length > bounds.valuesMax * ITEM_UNITS_MIN || length > bounds.stringUnitsMax) return false;
  // Most parameters are a few characters.
  if (length <= bounds.depthMax) return true;
  let left = bounds.depthMax;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) {
    if (left-- === 0) return false;
  }
  for (let at = text.indexOf('['); at >= 0; at = text.indexOf('[', at + 1)) {
    if (left-- === 0) return false;
  }
  return true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

// One pass over the structure. It does not judge syntax: whatever it misreads, JSON.parse refuses.
function scan(text: string, bounds: JsonBounds): JsonFault | null {
  const isArray: boolean[] = [];
  const commas: number[] = [];
  let depth = 0;
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const end = endOfString(text, i);
        if (end - i - 1 > bounds.stringUnitsMax) return 'string';
        i = end;
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (depth === bounds.depthMax) return 'depth';
        isArray[depth] = text.charCodeAt(i) === OPEN_BRACKET;
        commas[depth++] = 0;
        if (++values > bounds.valuesMax) return 'values';
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth > 0) depth--;
        break;
      case COMMA: {
        if (depth === 0) break;
        const count = ++commas[depth - 1]! + 1;
        if (isArray[depth - 1]! ? count > bounds.itemsMax : count > bounds.membersMax) {
          return isArray[depth - 1]! ? 'items' : 'members';
        }
        if (++values > bounds.valuesMax) return 'values';
      }
    }
  }
  return null;
}

// Where the closing quote stands; the end of the text if there is none.
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH && end - 1 - escapes > start) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

// `\u` may spell any name.
function maySpellPrototype(text: string): boolean {
  return text.includes('__proto__') || text.includes('constructor') || text.includes('\\u');
}

// The value's depth is bounded already.
function reachesPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(reachesPrototype);
  if (Object.hasOwn(value, '__proto__')) return true;
  if (Object.hasOwn(value, 'constructor')) {
    const { constructor: made } = value as { constructor: unknown };
    if (typeof made === 'object' && made !== null && Object.hasOwn(made, 'prototype')) return true;
  }
  return Object.values(value).some(reachesPrototype);
}

type Members = Readonly<Record<string, unknown>>;

class Walk {
  readonly #bounds: JsonBounds;
  #values = 0;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
  }

  fault(value: unknown, depth: number): JsonFault | null {
    const { depthMax, itemsMax, valuesMax, stringUnitsMax } = this.#bounds;
    if (typeof value === 'string') return value.length > stringUnitsMax ? 'string' : null;
    if (typeof value === 'bigint') return 'syntax';
    if (typeof value !== 'object' || value === null) return null;
    if (depth === depthMax) return 'depth';
    if (!Array.isArray(value)) return this.#memberFault(value as Members, depth);
    if (value.length > itemsMax) return 'items';
    this.#values += value.length;
    if (this.#values > valuesMax) return 'values';
    for (const each of value) {
      const fault = this.fault(each, depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  }

  // Without a list of them: every message that is handed over in process comes by here.
  #memberFault(value: Members, depth: number): JsonFault | null {
    const { membersMax, valuesMax } = this.#bounds;
    if (Object.hasOwn(value, '__proto__')) return 'prototype';
    let members = 0;
    for (const name in value) {
      if (!Object.hasOwn(value, name)) continue;
      members += 1;
      this.#values += 1;
      if (members > membersMax) return 'members';
      if (this.#values > valuesMax) return 'values';
      const fault = this.fault(value[name], depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  }
}

function positionIn(error: unknown): string {
  const found = error instanceof Error ? /at position (\d+)/.exec(error.message) : null;
  return found === null ? '' : `, at character ${found[1]}`;
}

function failure(fault: JsonFault, bounds: JsonBounds, place = ''): JsonFailure {
  return { kind: 'failure', fault, detail: `${WORDS[fault](bounds)}${place}` };
}

const WORDS: Readonly<Record<JsonFault, (bounds: JsonBounds) => string>> = {
  syntax: () => 'not valid JSON',
  depth: ({ depthMax }) => `JSON nested more than ${depthMax} levels deep`,
  items: ({ itemsMax }) => `JSON with an array of more than ${itemsMax} items`,
  members: ({ membersMax }) => `JSON with an object of more than ${membersMax} members`,
  values: ({ valuesMax }) => `JSON of more than ${valuesMax} values`,
  string: ({ stringUnitsMax }) => `JSON with a string of more than ${stringUnitsMax} characters`,
  prototype: () => 'JSON with a member that names a prototype',
};
