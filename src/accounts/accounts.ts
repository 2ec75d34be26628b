// The accounts Sluice speaks for. A token says whose it is once, by the platform's word; from then on its digest
// is enough. A new token of a known account replaces the old one only when the platform vouches for it, so a
// stranger who knows a bot's id can neither take over nor break its account. The word of one host (the real platform,
// the built-in simulator) counts for accounts of that host alone; where a host takes any token, the first one stays.

import { timingSafeEqual } from 'node:crypto';
import { type AccountId, accountId, isVirtualToken } from '../domain/ids.ts';
import type { Host, Platform } from '../platforms/platform.ts';
import type { StoredAccount } from '../store/ports/accounts.ts';
import { ASKING_BOUNDS, type AskedIdentity, Asking, type IdentityQuestion } from './asking.ts';
import { changedAccounts } from './changed.ts';
import { EVICTED_SHARE, placesMissing, whoGivesWay } from './eviction.ts';
import { digestOf, mayReplace, openStored, safeHostOf, shownOf } from './hosts.ts';
import { type AccountChange, type AccountsOptions, type Identity, NOT_TAKEN } from './identity.ts';
import { createSealer, type Sealer } from './seal.ts';
import { type UnreachableAccount, UnreachableAccounts } from './unreachable.ts';

export { ADDRESS_FILE, readAddress, removeAddress, writeAddress } from './address-file.ts';
export type { AccountChange, AccountsOptions, Identity } from './identity.ts';
export { SecretMismatch } from './seal.ts';
export { ADMIN_KEY_FILE, loadSecret, SECRET_FILE, type SecretFile } from './secret-file.ts';
export type { UnreachableAccount } from './unreachable.ts';

export const ACCOUNTS_MAX = 10_000;

const NONE: ReadonlySet<AccountId> = new Set();
interface Held {
  stored: StoredAccount;
  credential: string;
  // null: the platform failed when it was asked.
  host: Host | null;
  digest: string;
  // Counted up with every call: the least was used the longest ago.
  used: number;
}

export class Accounts {
  readonly #options: AccountsOptions;
  readonly #sealer: Sealer;
  readonly #asking: Asking;
  readonly #accountsMax: number;
  readonly #configured: ReadonlySet<AccountId>;
  readonly #takesAll: boolean;
  readonly #held = new Map<AccountId, Held>();
  readonly #idByDigest = new Map<string, AccountId>();
  // Until the account is written: who comes meanwhile waits for the same promise, so that nobody overtakes.
  readonly #introducing = new Map<string, Promise<Identity>>();
  // Accounts that are being written, by id.
  readonly #writing = new Map<AccountId, Promise<Identity>>();
  readonly #listeners = new Set<(change: AccountChange) => void>();
  readonly #unreachable = new UnreachableAccounts();
  #uses = 0;
  #mayGo: (id: AccountId) => boolean = () => false;

  private constructor(options: AccountsOptions) {
    this.#options = options;
    this.#sealer = createSealer(options.secret);
    this.#asking = new Asking(options.clock, options.asking ?? ASKING_BOUNDS);
    this.#accountsMax = options.accountsMax ?? ACCOUNTS_MAX;
    this.#configured = options.configured ?? NONE;
    this.#takesAll = options.admits !== 'known';
  }

  static async open(options: AccountsOptions): Promise<Accounts> {
    const accounts = new Accounts(options);
    const hostOf = (stored: StoredAccount, token: string) => accounts.#hostOrNull(stored, token);
    for (const located of await openStored(options, accounts.#sealer, hostOf)) {
      accounts.#hold(located.stored, located.credential, located.host);
    }
    return accounts;
  }

  #hostOrNull(stored: StoredAccount, credential: string): Host | null {
    return safeHostOf(hostOf, this.#options, stored, credential);
  }

  // Whose credential is it? At once when it is known; a promise when the platform must be asked. `address`: where the
  // question comes from; '': from this machine, or from somebody with a key.
  identify(
    platformName: string,
    credential: string,
    address: string | null = '',
  ): Identity | Promise<Identity> {
    const platform = this.#options.platforms.get(platformName);
    if (platform === undefined) return { kind: 'unknown_platform' };
    const host = hostOf(platform, credential);
    if (host.isOff) return { kind: 'off' };
    const named = claimedBy(platform, host, credential);
    // Nearly always: the token of the account that it names. Told without a digest, and in constant time.
    const held = this.#held.get(named);
    if (held !== undefined && isEqual(held.credential, credential)) return this.#known(named, held);
    // By whatever path it came: the platform must not see it, let alone vouch for it.
    if (isVirtualToken(credential)) return NOT_TAKEN;
    const digest = digestOf(platformName, credential);
    const id = this.#idByDigest.get(digest);
    if (id !== undefined) return this.#known(id, this.#held.get(id)!);
    if (!this.#mayBeTaken(named)) return NOT_TAKEN;
    const question = { digest, address, isLocal: platform.wire.isLocal?.(credential) ?? false };
    return this.#introducing.get(digest) ?? this.#introduce(platform, credential, question);
  }

  // Asked before anybody else, and in places of its own.
  identifyConfigured(platformName: string, credential: string): Identity | Promise<Identity> {
    return this.identify(platformName, credential, null);
  }

  isConfigured(id: AccountId): boolean {
    return this.#configured.has(id);
  }

  // Served before strangers: the token of a configured account (its name alone is no secret), or there is none.
  isFavoured(platformName: string, credential: string): boolean {
    if (this.#configured.size === 0) return true;
    const id = this.claimed(platformName, credential);
    return this.isConfigured(id) && isEqual(this.#held.get(id)?.credential ?? '', credential);
  }

  // An account as a caller names it: `platform:123`, `123` with the platform beside it, or a full token. Where a name
  // is enough, a new one makes an account.
  resolve(platformName: string, name: string): Identity | Promise<Identity> {
    const id: AccountId = isNamedIn(platformName, name) ? name : `${platformName}:${name}`;
    const held = this.#held.get(id);
    if (held !== undefined) return this.isOff(id) ? { kind: 'off' } : this.#known(id, held);
    const platform = this.#options.platforms.get(platformName);
    if (platform === undefined) return { kind: 'unknown_platform' };
    const { byName } = platform.credentials;
    if (byName) return this.identify(platformName, bareName(platformName, name));
    if (isAccountName(platform, name)) return { kind: 'unknown' };
    return this.identify(platformName, name);
  }

  // Kept from before `known` was set, and not configured: as if it were not there.
  #known(id: AccountId, held: Held): Identity {
    this.#uses += 1;
    held.used = this.#uses;
    return this.#mayBeTaken(id) ? { kind: 'known', id } : NOT_TAKEN;
  }

  #mayBeTaken(id: AccountId): boolean {
    return this.#takesAll || this.#configured.has(id);
  }

  // The account that a name or a token is about, whether or not it is known or vouched for.
  claimed(platformName: string, name: string): AccountId {
    const platform = this.#options.platforms.get(platformName);
    if (platform === undefined || isAccountName(platform, name)) {
      return `${platformName}:${bareName(platformName, name)}`;
    }
    return claimedBy(platform, hostOf(platform, name), name);
  }

  // Its host is not served here: it is kept, and nothing of it goes.
  isOff(id: AccountId): boolean {
    const held = this.#held.get(id);
    return held?.host?.isOff === true;
  }

  credentialOf(id: AccountId): string | null {
    return this.#held.get(id)?.credential ?? null;
  }

  get(id: AccountId): StoredAccount | null {
    const held = this.#held.get(id);
    return held === undefined ? null : shownOf(held);
  }

  stateOf(id: AccountId): { paused: boolean; refused: string | null } {
    const { paused = false, refused = null } = this.get(id) ?? {};
    return { paused, refused };
  }

  list(): StoredAccount[] {
    return Array.from(this.#held.values(), shownOf);
  }

  // Whose platform could not be asked lately; those that are known all the same are told with their breakers.
  unreachable(): UnreachableAccount[] {
    return this.#unreachable
      .list(this.#options.clock.now())
      .filter(({ id }) => !this.#held.has(id));
  }

  // False: no such account.
  setPaused(id: AccountId, paused: boolean): Promise<boolean> {
    return this.#change(id, { paused }, 'paused');
  }

  setRefused(id: AccountId, refused: string | null): Promise<boolean> {
    return this.#change(id, { refused }, 'refused');
  }

  // False: no such account. Its token is unknown from now on; if the platform still vouches for it, it may come back.
  remove(id: AccountId): Promise<boolean> {
    return this.#drop(id, 'removed');
  }

  async #drop(id: AccountId, kind: 'removed' | 'evicted'): Promise<boolean> {
    const { journal, shared } = this.#options;
    const held = this.#held.get(id);
    if (held === undefined) return false;
    // First here: whoever brings the token meanwhile is written after it.
    this.#held.delete(id);
    this.#idByDigest.delete(held.digest);
    let isGone = false;
    try {
      if (kind === 'evicted' && shared !== undefined) isGone = await shared.letGo(id);
      else isGone = await journal.removeAccount(id).then(() => true);
    } finally {
      if (!isGone && !this.#held.has(id)) this.#hold(held.stored, held.credential, held.host);
    }
    if (!this.#held.has(id)) for (const listener of this.#listeners) listener({ id, kind });
    return isGone;
  }

  // What other processes have changed in the store.
  async reload(): Promise<void> {
    const before = [...this.#held.keys()];
    const rows = await this.#options.journal.accounts();
    const notify = (id: AccountId, kind: AccountChange['kind']) => {
      for (const listener of this.#listeners) listener({ id, kind, isOthers: true });
    };
    const isFree = ({ id }: { id: AccountId }) => !this.#writing.has(id);
    for (const { stored, kind } of changedAccounts(rows, (id) => this.#held.get(id)?.stored)) {
      const credential = this.#sealer.open(stored.id, stored.sealed);
      if (credential === null || !isFree(stored)) continue;
      this.#hold(stored, credential, this.#hostOrNull(stored, credential));
      notify(stored.id, kind);
    }
    const kept = new Set(rows.map(({ id }) => id));
    for (const id of before) {
      const held = this.#held.get(id);
      if (held === undefined || kept.has(id) || !isFree({ id })) continue;
      this.#held.delete(id);
      this.#idByDigest.delete(held.digest);
      notify(id, 'removed');
    }
  }

  // Which accounts may give way to others when there are as many as may be; none unless it is said here.
  letGo(mayGo: (id: AccountId) => boolean): void {
    this.#mayGo = mayGo;
  }

  listen(listener: (change: AccountChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #introduce(
    platform: Platform,
    credential: string,
    question: Omit<IdentityQuestion, 'ask'>,
  ): Promise<Identity> {
    const known = this.#askAndHold(platform, credential, question).finally(() => {
      this.#introducing.delete(question.digest);
    });
    this.#introducing.set(question.digest, known);
    return known;
  }

  async #askAndHold(
    platform: Platform,
    credential: string,
    question: Omit<IdentityQuestion, 'ask'>,
  ): Promise<Identity> {
    const { digest } = question;
    const ask = () => platform.wire.identify(credential);
    const asked = await this.#asking.ask({ ...question, ask });
    const host = hostOf(platform, credential);
    this.#noteAnswer(platform, credential, asked);
    if (asked.kind === 'refused' && !platform.credentials.isShaped(credential)) {
      return { ...asked, expected: platform.credentials.expected };
    }
    if (asked.kind !== 'known') return asked;
    const id = accountId(platform.name, host.name, asked.id);
    // One after the other: who holds the account must not change between the decision and its being written.
    for (let other = this.#writing.get(id); other !== undefined; other = this.#writing.get(id)) {
      await other.catch(() => {});
    }
    const written = this.#write(platform, id, credential, digest);
    this.#writing.set(id, written);
    return written.finally(() => this.#writing.delete(id));
  }

  #noteAnswer(platform: Platform, credential: string, asked: AskedIdentity): void {
    // What is no token names nobody.
    if (asked.kind === 'busy' || !platform.credentials.isShaped(credential)) return;
    const id = claimedBy(platform, hostOf(platform, credential), credential);
    if (asked.kind !== 'unreachable') {
      this.#unreachable.answered(id);
      return;
    }
    const account = { id, detail: asked.detail };
    const isNews = this.#unreachable.failed(account, this.#options.clock.now());
    if (isNews) this.#options.onUnreachable?.(account);
  }

  async #write(
    platform: Platform,
    id: AccountId,
    credential: string,
    digest: string,
  ): Promise<Identity> {
    const before = this.#held.get(id);
    if (before?.digest === digest) return { kind: 'known', id };
    const host = hostOf(platform, credential);
    if (before !== undefined && !mayReplace(before.host, host)) return { kind: 'taken' };
    const max = this.#accountsMax;
    const missing = () =>
      before === undefined ? placesMissing(this.#held, this.#writing, max) : 0;
    const evicted = missing() > 0 ? this.#evict(missing()) : null;
    // Decided before anything is awaited: no two get the same place.
    const isFull = missing() > 0;
    await evicted;
    // Some may have stayed.
    const isStillFull = evicted !== null && this.#held.size >= max;
    if (isFull || isStillFull) return { kind: 'full', accountsMax: max };
    const stored: StoredAccount = {
      id,
      platform: platform.name,
      sealed: this.#sealer.seal(id, credential),
      paused: before?.stored.paused ?? false,
      refused: null,
      createdAt: before?.stored.createdAt ?? this.#options.clock.now(),
    };
    await this.#save(stored, 'token');
    this.#hold(stored, credential, host);
    for (const listener of this.#listeners) listener({ id, kind: 'token' });
    return { kind: 'known', id };
  }

  // They are out of the table when it returns, and off the disk when it resolves.
  async #evict(missing: number): Promise<void> {
    const { platforms } = this.#options;
    const candidates = Array.from(this.#held.values()).flatMap(({ stored, credential, used }) => {
      if (this.#configured.has(stored.id)) return [];
      const isLocal = platforms.get(stored.platform)?.wire.isLocal?.(credential) === true;
      return [{ id: stored.id, isLocal, used }];
    });
    const count = Math.max(missing, this.#accountsMax * EVICTED_SHARE);
    const gone = whoGivesWay(candidates, count, this.#mayGo);
    await Promise.all(gone.map((id) => this.#drop(id, 'evicted')));
  }

  async #change(id: AccountId, change: Partial<StoredAccount>, kind: 'paused' | 'refused') {
    const held = this.#held.get(id);
    if (held === undefined) return false;
    held.stored = { ...held.stored, ...change };
    await this.#save(held.stored, kind);
    for (const listener of this.#listeners) listener({ id, kind });
    return true;
  }

  #save(stored: StoredAccount, part: 'token' | 'paused' | 'refused'): Promise<void> {
    const { journal, shared } = this.#options;
    return shared?.change(stored, part) ?? journal.saveAccount(stored);
  }

  #hold(stored: StoredAccount, credential: string, host: Host | null): void {
    this.#idByDigest.delete(this.#held.get(stored.id)?.digest ?? '');
    const digest = digestOf(stored.platform, credential);
    this.#uses += 1;
    this.#held.set(stored.id, { stored, credential, host, digest, used: this.#uses });
    this.#idByDigest.set(digest, stored.id);
  }
}

function isNamedIn(platformName: string, name: string): name is AccountId {
  return name.startsWith(`${platformName}:`);
}

function bareName(platformName: string, name: string): string {
  const prefix = `${platformName}:`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

// Which host of its platform a credential is for, and the account that it says it is of, whether or not anybody vouches
// for it.
const ONLY_HOST: Host = Object.freeze({ name: '', vouches: true, isOff: false });

function hostOf(platform: Platform | undefined, credential: string): Host {
  return platform?.wire.hostOf?.(credential) ?? ONLY_HOST;
}

function claimedBy(platform: Platform, host: Host, credential: string): AccountId {
  return accountId(platform.name, host.name, platform.credentials.claimedId(credential));
}

// An id, not a token: what is unknown under it stays unknown, whatever the platform would say.
function isAccountName(platform: Platform, name: string): boolean {
  return isNamedIn(platform.name, name) || platform.credentials.isAccountId(name);
}

function isEqual(held: string, given: string): boolean {
  const [a, b] = [Buffer.from(held), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
