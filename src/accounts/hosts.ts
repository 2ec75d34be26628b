// Which host of its platform a credential is for, and what follows from it for the account's id.

import { accountId } from '../domain/account-id.ts';
import type { StoredAccount } from '../journal/journal.ts';
import type { Host, Platform } from '../platforms/platform.ts';

export const ONLY_HOST: Host = Object.freeze({ name: '', vouches: true, isOff: false });

export function hostOf(platform: Platform, credential: string): Host {
  return platform.hostOf?.(credential) ?? ONLY_HOST;
}

// A new credential takes the place of the old one only by the word of the same host, and only if that word is worth
// something.
export function mayReplace(before: Host, given: Host): boolean {
  return before.name === given.name && given.vouches;
}

export function isOfHost({ id, platform }: StoredAccount, host: Host): boolean {
  return id.startsWith(accountId(platform, host.name, ''));
}

// With a number behind it where another one has the id already.
export function freeId(
  { id, platform }: StoredAccount,
  host: Host,
  taken: ReadonlySet<string>,
): string {
  const wanted = accountId(platform, host.name, id.slice(platform.length + 1));
  let free = wanted;
  for (let n = 2; taken.has(free); n += 1) free = `${wanted}-${n}`;
  return free;
}
