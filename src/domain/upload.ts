// Files that come with a call. They lie in the spool beside the journal; the delivery's body names them in one
// reserved member, which stands first, so that a body without files is told by its first characters.
// A file's id is the digest of its content: equal requests have equal bodies, and equal files share the disk.

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
const MEMBER = `${RESERVED}files`;
const DIGIT_ZERO = 48;
const DIGIT_NINE = 57;
const PREFIX = `{"${MEMBER}":`;
export const NO_FILES: Files = Object.freeze({});
export const ATTACH = 'attach://';
// Where they lie, in the data folder.
export const SPOOL_FOLDER = 'spool';
// The base64url form of a SHA-256.
export const FILE_ID = /^[\w-]{43}$/;

// The text of a body.
export function bodyOf(params: Readonly<Record<string, unknown>>, files: Files): string {
  const plain = withoutReserved(params);
  return JSON.stringify(files === NO_FILES ? plain : { [MEMBER]: files, ...plain });
}

export function filesOf(body: string | null): Files {
  if (body === null || !body.startsWith(PREFIX)) return NO_FILES;
  return readFiles(membersOf(body)[MEMBER]);
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
  if (!body.startsWith(PREFIX)) return { params, files: NO_FILES };
  return { params: withoutReserved(params), files: readFiles(params[MEMBER]) };
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
  return body.startsWith(PREFIX);
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
