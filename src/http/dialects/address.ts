// The Bot API's paths: /bot<token>/<method>, /bot<token>/test/<method> on the test servers, and files below
// /file/bot<token>/. They are decoded once and then matched whole: what is not exactly a token, a method or a
// plain path of a file is not there, so no text of a stranger gets into a path of ours.

export interface CallAddress {
  // The token; with `/test` behind it, a bot of the test servers.
  readonly credential: string;
  // '' when it comes as a parameter.
  readonly method: string;
}

export interface FileAddress {
  readonly credential: string;
  // Encoded again, segment by segment.
  readonly path: string;
}

export const METHOD = /^\w{1,64}$/;
const CALL = /^\/bot(\d{1,20}:[\w-]{1,100}(?:\/test)?)\/(\w{0,64})$/;
const FILE = /^\/file\/bot(\d{1,20}:[\w-]{1,100}(?:\/test)?)\/([^\\]{1,400})$/;

// Whose words a refusal is said in, when the path is all that is known.
export function isDialect(url: string): boolean {
  return url.startsWith('/bot') || url.startsWith('/file/bot');
}

export function callAddress(url: string): CallAddress | null {
  const match = CALL.exec(pathOf(url));
  return match === null ? null : { credential: match[1]!, method: match[2]! };
}

export function fileAddress(url: string): FileAddress | null {
  const match = FILE.exec(pathOf(url));
  if (match === null) return null;
  const segments = match[2]!.split('/');
  if (!segments.every(isPlain)) return null;
  return { credential: match[1]!, path: segments.map(encodeURIComponent).join('/') };
}

function isPlain(segment: string): boolean {
  return segment !== '' && segment !== '.' && segment !== '..' && !/\p{Cc}/u.test(segment);
}

// '' when its escapes cannot be read.
function pathOf(url: string): string {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
