// Limits as sentences: "this group takes 20 messages a minute".

import type { Family } from '../domain/call.ts';

const CALLS: Readonly<Record<Family, string>> = {
  send: 'a message',
  edit: 'an edit',
  delete: 'a deletion',
  reaction: 'a reaction',
  typing: 'a typing indicator',
  draft: 'a draft',
  free: 'an answer to a button',
};

// Why something is frozen.
export function sayRefused(family: Family, retryAfterMs: number): string {
  return `the platform refused ${CALLS[family]} and asked to wait ${Math.ceil(retryAfterMs / 1000)} s`;
}

const UNITS: Readonly<Record<number, string>> = {
  1000: 'a second',
  60000: 'a minute',
  3600000: 'an hour',
};

// `who` takes so many `what`; `what` in the singular and the plural.
export function sayWindow(
  who: string,
  what: readonly [string, string],
  { count, perMs }: { readonly count: number; readonly perMs: number },
): string {
  return `${who} takes ${amount(count, what)} ${UNITS[perMs] ?? `in ${seconds(perMs)}`}`;
}

export function sayDebt(
  who: string,
  what: readonly [string, string],
  { burst, everyMs }: { readonly burst: number; readonly everyMs: number },
): string {
  return `${who} takes ${amount(burst, what)} at once, then one every ${seconds(everyMs)}`;
}

function amount(count: number, [one, many]: readonly [string, string]): string {
  return count === 1 ? `one ${one}` : `${count} ${many}`;
}

export function seconds(ms: number): string {
  return ms < 100 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}
