// The wait that an answer names, in a header of HTTP's: whole or broken seconds. Taken as it is, never capped.

import type { Reply } from '../../system/http/transport.ts';

type Headers = Extract<Reply, { kind: 'answered' }>['headers'];

// null: it names none that can be read.
export function secondsOf(value: unknown): number | null {
  if (typeof value === 'string' && !/^\s*\d{1,12}(\.\d{1,9})?\s*$/.test(value)) return null;
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const seconds = Number(value);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}

export function waitMsIn(headers: Headers, defaultS: number): number {
  return Math.ceil((secondsOf(headers['retry-after']) ?? defaultS) * 1000);
}
