// The accounts of a store, as the next process takes them over: opened, sealed anew where the secret was changed, and
// each under an id of the host that its credential is for.

import { hash } from 'node:crypto';
import { INTERNAL } from '../domain/fault.ts';
import { type AccountId, accountId } from '../domain/ids.ts';
import type { Host, Platform } from '../platforms/platform.ts';
import type { AccountStore, StoredAccount } from '../store/ports/accounts.ts';
import type { AccountsOptions } from './identity.ts';
import { createSealer, type Sealer, SecretMismatch } from './seal.ts';

interface Located {
  readonly stored: StoredAccount;
  readonly credential: string;
  readonly host: Host | null;
}

// null: an exception. The account is kept, and is refused until the platform can tell.
export function safeHostOf(
  hostOf: (platform: Platform | undefined, credential: string) => Host,
  { platforms, report }: Pick<AccountsOptions, 'platforms' | 'report'>,
  { id, platform: name }: StoredAccount,
  credential: string,
): Host | null {
  try {
    return hostOf(platforms.get(name), credential);
  } catch (error) {
    report?.('recovery', error, { account: id });
    return null;
  }
}

// Under an id of another host than its credential's.
function isStray({ stored: { id, platform }, host }: Located): boolean {
  if (host === null || host.name === '') return false;
  return !id.startsWith(accountId(platform, host.name, ''));
}

interface HostMove {
  readonly from: string;
  readonly account: StoredAccount;
  readonly credential: string;
  readonly host: Host | null;
}

// Each under an id of its own host, with a number behind it where another one has that already.
function movesOf(
  strays: readonly Located[],
  taken: ReadonlySet<AccountId>,
  seal: (id: AccountId, credential: string) => string,
): HostMove[] {
  const given = new Set(taken);
  return strays.map(({ stored, credential, host }) => {
    const { id: from, platform } = stored;
    const wanted = accountId(platform, host!.name, from.slice(platform.length + 1));
    let id = wanted;
    for (let n = 2; given.has(id); n += 1) id = `${wanted}-${n}`;
    given.add(id);
    return { from, account: { ...stored, id, sealed: seal(id, credential) }, credential, host };
  });
}

// All is durable when it is returned.
export async function openStored(
  { journal, secretPrevious = null }: { journal: AccountStore; secretPrevious?: string | null },
  sealer: Sealer,
  hostOf: (stored: StoredAccount, credential: string) => Host | null,
): Promise<Located[]> {
  const located: Located[] = [];
  for (const stored of await journal.accounts()) {
    const credential = sealer.open(stored.id, stored.sealed);
    const opened =
      credential === null
        ? await resealed(journal, stored, sealer, secretPrevious)
        : { stored, credential };
    located.push({ ...opened, host: hostOf(opened.stored, opened.credential) });
  }
  const strays = located.filter(isStray);
  const moved = strays.length === 0 ? [] : await moveToHosts(journal, located, strays, sealer);
  return [...located.filter((each) => !isStray(each)), ...moved];
}

// One by one, each durable before the next: a start that is cut off is gone on with by the next one.
async function resealed(
  journal: AccountStore,
  stored: StoredAccount,
  sealer: Sealer,
  secretPrevious: string | null,
) {
  const credential =
    secretPrevious === null ? null : createSealer(secretPrevious).open(stored.id, stored.sealed);
  if (credential === null) {
    throw new SecretMismatch(
      `the stored token of ${stored.id} does not open: SLUICE_SECRET (or the file \`secret\` in the data ` +
        'folder) is not the one it was sealed with; if it was changed, set SLUICE_SECRET_PREVIOUS to the one before',
    );
  }
  const sealed = sealer.seal(stored.id, credential);
  await journal.saveAccount({ ...stored, sealed });
  return { stored: { ...stored, sealed }, credential };
}

// Stores of before kept the simulator's accounts under the ids of real ones, and only the opened token tells.
// An id that anything in the store names already, though no account has it, is passed over.
async function moveToHosts(
  journal: AccountStore,
  all: readonly Located[],
  strays: readonly Located[],
  sealer: Sealer,
) {
  const taken = new Set(all.map(({ stored }) => stored.id));
  for (;;) {
    const moves = movesOf(strays, taken, (id, credential) => sealer.seal(id, credential));
    const renames = moves.map(({ from, account }) => ({ from, account }));
    const named = await journal.renameAccounts(renames);
    if (named.length === 0) {
      return moves.map(({ account, credential, host }) => ({ stored: account, credential, host }));
    }
    for (const id of named) taken.add(id);
  }
}

// A new credential takes the place of the old one only by the word of the same host, and only if that word is worth
// something. Where nobody can tell the old one's host (null), the id is the given host's alone.
export function mayReplace(before: Host | null, given: Host): boolean {
  return (before === null || before.name === given.name) && given.vouches;
}

export function digestOf(platformName: string, credential: string): string {
  return hash('sha256', `${platformName}\0${credential}`, 'base64url');
}

// One that cannot be used here is shown as refused, which is not written: the next start may know better.
export function shownOf({ stored, host }: Pick<Located, 'stored' | 'host'>): StoredAccount {
  return host === null ? { ...stored, refused: INTERNAL } : stored;
}
