// The Bot API's paths: /bot<token>/<method>, the test servers' /bot<token>/test/<method>, and files.
// A method may also come as a parameter when the path ends after the token.

import { firstOf, type SimParams } from '../params.ts';

export type Address =
  | { kind: 'call'; token: string; method: string; query: SimParams }
  | { kind: 'file'; token: string; path: string };

const CALL = /^\/bot([^/]+)(?:\/test)?\/([^/]*)\/?$/;
const FILE = /^\/file\/bot([^/]+)(?:\/test)?\/(.+)$/;

export function parseAddress(url: string): Address | null {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? {} : firstOf(new URLSearchParams(url.slice(mark + 1)));
  const call = CALL.exec(path);
  if (call !== null) {
    return { kind: 'call', token: decoded(call[1]!), method: decoded(call[2]!), query };
  }
  const file = FILE.exec(path);
  return file === null ? null : { kind: 'file', token: decoded(file[1]!), path: decoded(file[2]!) };
}

function decoded(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
