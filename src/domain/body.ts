// The body of a delivery: the JSON text of its call's parameters, as it stands in the store. Members whose names begin
// with `sluice:` are ours and not the caller's: they say which files come with the call, and that it goes out as its
// caller wrote it or not at all. They stand first or last, so that most bodies are told apart without being read.

// Files lie in the spool beside the store. A file's id is the digest of its content: equal requests have equal bodies,
// and equal files share the disk.
export interface SpooledFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

// By the name of the part it came in, which is what `attach://…` refers to.
export type Files = Readonly<Record<string, SpooledFile>>;

// Members of a body whose names begin so are Sluice's own.
const RESERVED = 'sluice:';
const FILES = `${RESERVED}files`;
const DIGIT_ZERO = 48;
const DIGIT_NINE = 57;
const FILES_FIRST = `{"${FILES}":`;
export const NO_FILES: Files = Object.freeze({});
export const ATTACH = 'attach://';
// Where they lie, in the data folder.
export const SPOOL_FOLDER = 'spool';
// The base64url form of a SHA-256.
export const FILE_ID = /^[\w-]{43}$/;

// The text of a body.
export function bodyOf(params: Readonly<Record<string, unknown>>, files: Files): string {
  const plain = withoutReserved(params);
  return JSON.stringify(files === NO_FILES ? plain : { [FILES]: files, ...plain });
}

export function filesOf(body: string | null): Files {
  if (body === null || !body.startsWith(FILES_FIRST)) return NO_FILES;
  return readFiles(membersOf(body)[FILES]);
}

// Nothing of a body that cannot be read: a store may hold what an older version let in.
function membersOf(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return {};
  }
}

// A body's two parts.
export function readBody(body: string): {
  params: Readonly<Record<string, unknown>>;
  files: Files;
} {
  const params = JSON.parse(body) as Record<string, unknown>;
  if (!body.startsWith(FILES_FIRST)) return { params, files: NO_FILES };
  return { params: withoutReserved(params), files: readFiles(params[FILES]) };
}

// Which parts a call refers to, and how often: by whole values, also in JSON text, and not by words of a text.
export function attachedTo(params: Readonly<Record<string, unknown>>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, part] of JSON.stringify(params).matchAll(/"attach:\/\/([^"\\]+)(?=\\*")/g)) {
    counts.set(part!, (counts.get(part!) ?? 0) + 1);
  }
  return counts;
}

export function hasFiles(body: string): boolean {
  return body.startsWith(FILES_FIRST);
}

// What a caller says under a name of ours is not ours, and goes.
export function withoutReserved(
  params: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  // Every message comes by here, and hardly ever one with such a name.
  for (const name in params) if (isReserved(name)) return stripped(params);
  return params;
}

function stripped(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !isReserved(name)));
}

// Names that are numbers too: no platform has such a parameter, and an object would put them before our own member.
function isReserved(name: string): boolean {
  return name.startsWith(RESERVED) || isIndex(name);
}

function isIndex(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= DIGIT_ZERO && first <= DIGIT_NINE && /^\d+$/.test(name);
}

function readFiles(value: unknown): Files {
  if (typeof value !== 'object' || value === null) return NO_FILES;
  const known = Object.entries(value).filter(([, file]) => isSpooled(file));
  return Object.fromEntries(known) as Files;
}

// Whatever stands in a body: no text of a stranger becomes the name of a file on our disk.
function isSpooled(value: unknown): value is SpooledFile {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name, type, size } = value as Record<string, unknown>;
  const isNamed = typeof name === 'string' && typeof type === 'string';
  return isNamed && typeof size === 'number' && typeof id === 'string' && FILE_ID.test(id);
}

// A call that goes out as its caller wrote it, or not at all: where the platform refuses it, the caller is told, and
// nothing is left out of it to make it pass. Its body says so in a member that stands last.

export const EXACT_MEMBER = `${RESERVED}exact`;
const EXACT = `"${EXACT_MEMBER}":true`;
const BEHIND_OTHERS = `,${EXACT}}`;
const ALONE = `{${EXACT}}`;

export function asExact(body: string): string {
  return body === '{}' ? ALONE : `${body.slice(0, -1)}${BEHIND_OTHERS}`;
}

// In any place: who writes a body anew may put its members in another order. In a text of the caller's the quotation
// marks would be escaped.
export function isExact(body: string): boolean {
  return body.endsWith(BEHIND_OTHERS) || body.includes(EXACT);
}

// As the platform gets it.
export function withoutExact(body: string): string {
  if (body.endsWith(BEHIND_OTHERS)) return `${body.slice(0, -BEHIND_OTHERS.length)}}`;
  if (!body.includes(EXACT)) return body;
  const { 'sluice:exact': _exact, ...params } = JSON.parse(body) as Record<string, unknown>;
  return JSON.stringify(params);
}

// What a body is like, without what it says: enough to tell at night which call failed, and nothing to keep secret.

const NAMES_MAX = 12;
const NAME_CHARS_MAX = 32;

export function summaryOf(body: string): string {
  const params: unknown = membersOf(body);
  const fields = typeof params === 'object' && params !== null ? Object.entries(params) : [];
  const shown = fields.slice(0, NAMES_MAX).map(([name, value]) => {
    const called = name.slice(0, NAME_CHARS_MAX);
    return typeof value === 'string' ? `${called} (${value.length} characters)` : called;
  });
  const more = fields.length > NAMES_MAX ? [`${fields.length - NAMES_MAX} more`] : [];
  return `${body.length} characters: ${[...shown, ...more].join(', ')}`;
}
