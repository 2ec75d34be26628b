// Which host of its platform a credential is for, and what follows from it for the account's id.

import { hash, timingSafeEqual } from 'node:crypto';
import { INTERNAL } from '../domain/fault.ts';
import { accountId } from '../domain/ids.ts';
import type { Host, Platform } from '../platforms/platform.ts';
import type { StoredAccount } from '../store/ports/accounts.ts';

export const ONLY_HOST: Host = Object.freeze({ name: '', vouches: true, isOff: false });

export function hostOf(platform: Platform, credential: string): Host {
  return platform.wire.hostOf?.(credential) ?? ONLY_HOST;
}

// The account that a credential says it is of, whether or not anybody vouches for it.
export function claimedBy(platform: Platform, host: Host, credential: string): string {
  return accountId(platform.name, host.name, platform.credentials.claimedId(credential));
}

// A new credential takes the place of the old one only by the word of the same host, and only if that word is worth
// something. Where nobody can tell the old one's host (null), the id is the given host's alone.
export function mayReplace(before: Host | null, given: Host): boolean {
  return (before === null || before.name === given.name) && given.vouches;
}

export interface Located {
  readonly stored: StoredAccount;
  readonly credential: string;
  readonly host: Host | null;
}

// Under an id of another host than its credential's.
export function isStray({ stored: { id, platform }, host }: Located): boolean {
  if (host === null || host.name === '') return false;
  return !id.startsWith(accountId(platform, host.name, ''));
}

export interface HostMove {
  readonly from: string;
  readonly account: StoredAccount;
  readonly credential: string;
}

// Each under an id of its own host, with a number behind it where another one has that already.
export function movesOf(
  strays: readonly Located[],
  taken: ReadonlySet<string>,
  seal: (id: string, credential: string) => string,
): HostMove[] {
  const given = new Set(taken);
  return strays.map(({ stored, credential, host }) => {
    const { id: from, platform } = stored;
    const wanted = accountId(platform, host!.name, from.slice(platform.length + 1));
    let id = wanted;
    for (let n = 2; given.has(id); n += 1) id = `${wanted}-${n}`;
    given.add(id);
    return { from, account: { ...stored, id, sealed: seal(id, credential) }, credential };
  });
}

// Credentials and the names of accounts, as callers give them.

export function isEqual(held: string, given: string): boolean {
  const [a, b] = [Buffer.from(held), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

// An id, not a token: what is unknown under it stays unknown, whatever the platform would say.
export function isAccountName(platform: Platform, name: string): boolean {
  return name.startsWith(`${platform.name}:`) || platform.credentials.isAccountId(name);
}

export function bareName(platformName: string, name: string): string {
  const prefix = `${platformName}:`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

export function digestOf(platformName: string, credential: string): string {
  return hash('sha256', `${platformName}\0${credential}`, 'base64url');
}

// One that cannot be used here is shown as refused, which is not written: the next start may know better.
export function shownOf({ stored, host }: Pick<Located, 'stored' | 'host'>): StoredAccount {
  return host === null ? { ...stored, refused: INTERNAL } : stored;
}
