// Who presents this key? All valid keys are in memory, by their hash: a call costs one hash and one look-up, and a
// revocation takes effect with the next call. What is on disk is the journal's; when a key was used last is written
// there a while later, because it must not cost a commit per call.

import { hash, randomBytes } from 'node:crypto';
import { type AccountId, VIRTUAL } from '../domain/ids.ts';
import { PRIORITY_RANK } from '../domain/priority.ts';
import type { Role } from '../domain/role.ts';
import { type KeyStore, NEVER, type StoredKey } from '../store/ports/keys.ts';
import { assert } from '../system/assert.ts';
import type { Clock, Timer } from '../system/clock.ts';
import { jsonOrUndefined } from '../system/json.ts';
import { drained, type Service } from '../system/service.ts';
import { KeyRate } from './rate.ts';
import { Bounds, NO_SCOPE, type Scope } from './scope.ts';

export const KEYS_MAX = 10_000;
const PAGE_MAX = 500;
const USE_WRITE_MS = 60_000;

export interface Holder {
  // null: the admin key of the settings, which is no record.
  readonly id: string | null;
  readonly name: string;
  readonly role: Role;
  // null: none.
  readonly bounds: Bounds | null;
  // Whose idempotency keys and streams are its own: the same for a key and what it is rotated to.
  readonly namespace: string;
}

export interface VirtualHolder extends Holder {
  // The one account it speaks for.
  readonly account: AccountId | null;
}

interface Held extends VirtualHolder {
  stored: StoredKey;
  usedAt: number | null;
}

export interface NewKeyRequest {
  readonly kind: StoredKey['kind'];
  readonly name: string;
  readonly role: Role;
  readonly scope: Scope;
  // null: never.
  readonly expiresAt: number | null;
  // Left out: one of its own.
  readonly namespace?: string;
}

export type KeyView = Omit<StoredKey, 'hash' | 'scope'> & { readonly scope: Scope };
// The secret is shown this once, and kept nowhere.
export type CreatedKey =
  | { kind: 'created'; key: KeyView; secret: string }
  | { kind: 'full'; keysMax: number };

export interface KeyringParts {
  readonly clock: Clock;
  readonly journal: { readonly keys: KeyStore };
  // '': there is none.
  readonly adminKey: string;
  // How a virtual token of an account looks, as its platform says.
  readonly virtualToken: (account: AccountId, secret: string) => string;
  readonly onFailure?: (error: unknown) => void;
}

export const ADMIN: Holder = Object.freeze({
  id: null,
  name: 'admin',
  role: 'admin',
  bounds: null,
  namespace: 'admin',
});

export class Keyring implements Service {
  readonly #parts: KeyringParts;
  readonly #adminHash: string | null;
  readonly #byHash = new Map<string, Held>();
  readonly #byId = new Map<string, Held>();
  readonly #used = new Set<Held>();
  readonly #listeners = new Set<() => void>();
  #timer: Timer | null = null;
  #writing: Promise<void> = Promise.resolve();

  #take: ((key: string, perMinute: number) => Promise<number>) | null = null;

  private constructor(parts: KeyringParts) {
    this.#parts = parts;
    this.#adminHash = parts.adminKey === '' ? null : hashOf(parts.adminKey);
  }

  static async open(parts: KeyringParts): Promise<Keyring> {
    const keyring = new Keyring(parts);
    await keyring.reload();
    return keyring;
  }

  // What other processes have made and revoked.
  async reload(): Promise<void> {
    for (let after = ''; ; ) {
      const page = await this.#parts.journal.keys.page({ after, max: PAGE_MAX });
      for (const stored of page) this.#follow(stored);
      if (page.length < PAGE_MAX) return;
      after = page.at(-1)!.id;
    }
  }

  #follow(stored: StoredKey): void {
    const held = this.#byId.get(stored.id);
    if (!isValid(stored, this.#parts.clock.now())) {
      if (held === undefined) return;
      this.#drop(held);
      for (const listener of this.#listeners) listener();
    } else if (held === undefined) {
      // A key whose bounds cannot be read opens nothing.
      if (readKept(stored) !== null) this.#hold(stored);
    } else held.stored = { ...stored, usedAt: held.usedAt };
  }

  who(key: string): Holder | null {
    const known = hashOf(key);
    return known === this.#adminHash ? ADMIN : this.#find(known, 'key');
  }

  // Of one account; not valid, revoked, expired or never given: all the same.
  whose(token: string): VirtualHolder | null {
    return this.#find(hashOf(token), 'virtual');
  }

  // The key of this id (null: the admin key), if it is valid, and its hash.
  known(id: string | null): { holder: Holder; hash: string } | null {
    const now = this.#parts.clock.now();
    if (id === null)
      return this.#adminHash === null ? null : { holder: ADMIN, hash: this.#adminHash };
    const held = this.#byId.get(id);
    if (held === undefined || !isValid(held.stored, now)) return null;
    return this.holds(held) ? { holder: held, hash: held.stored.hash } : null;
  }

  // null: not valid, or not known.
  byId(id: string): Holder | null {
    const held = this.#byId.get(id);
    return held !== undefined && isValid(held.stored, this.#parts.clock.now()) ? held : null;
  }

  // Whether a key that was valid still is.
  holds(holder: Holder): boolean {
    if (holder.id === null) return holder === ADMIN;
    const held = this.#byId.get(holder.id);
    if (held !== holder || !this.#byHash.has(held.stored.hash)) return false;
    return isValid(held.stored, this.#parts.clock.now());
  }

  async create(request: NewKeyRequest): Promise<CreatedKey> {
    this.#forgetExpired();
    if (this.#byId.size >= KEYS_MAX) return { kind: 'full', keysMax: KEYS_MAX };
    const { kind, name, role, scope, expiresAt, namespace } = request;
    const secret =
      kind === 'key'
        ? newKey()
        : this.#parts.virtualToken(onlyAccountOf(scope), newVirtualSecret());
    const stored: StoredKey = {
      id: newKeyId(),
      kind,
      hash: hashOf(secret),
      name,
      role,
      scope: JSON.stringify(namespace === undefined ? scope : { ...scope, namespace }),
      active: true,
      expiresAt: expiresAt ?? NEVER,
      createdAt: this.#parts.clock.now(),
      usedAt: null,
    };
    await this.#parts.journal.keys.save(stored);
    this.#hold(stored);
    for (const listener of this.#listeners) listener();
    return { kind: 'created', key: viewOf(stored), secret };
  }

  // null: no such key, or it is over already. Refused from now on; where the store cannot be written, it says so, and
  // must be asked again.
  async revoke(id: string): Promise<KeyView | null> {
    const held = this.#byId.get(id);
    const now = this.#parts.clock.now();
    if (held === undefined || !isValid(held.stored, now)) return null;
    this.#byHash.delete(held.stored.hash);
    this.#used.delete(held);
    for (const listener of this.#listeners) listener();
    const over = { ...held.stored, active: false, expiresAt: now, usedAt: held.usedAt };
    await this.#parts.journal.keys.save(over);
    this.#drop(held);
    return viewOf(over);
  }

  // The same key with another secret; the old one is good for a while longer, or no more.
  async rotate(id: string, graceMs: number): Promise<CreatedKey | null> {
    const held = this.#byId.get(id);
    const now = this.#parts.clock.now();
    if (held === undefined || !isValid(held.stored, now)) return null;
    const { kind, name, role, expiresAt } = held.stored;
    const scope = scopeOf(held.stored);
    const { namespace } = held;
    const created = await this.create({ kind, name, role, scope, expiresAt, namespace });
    if (created.kind === 'full') return created;
    if (graceMs === 0) await this.revoke(id);
    else await this.#shorten(held, now + graceMs);
    return created;
  }

  // The ids of the virtual tokens of an account that are valid.
  virtualTokensOf(account: AccountId): string[] {
    const now = this.#parts.clock.now();
    const own = [...this.#byId.values()].filter(
      (held) => held.stored.kind === 'virtual' && held.account === account,
    );
    return own.filter(({ stored }) => isValid(stored, now)).map(({ stored }) => stored.id);
  }

  speaksFor(account: AccountId): boolean {
    return this.virtualTokensOf(account).length > 0;
  }

  // Told when a key was made or revoked.
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async list(page: { after: string; max: number }): Promise<KeyView[]> {
    const stored = await this.#parts.journal.keys.page(page);
    return stored.map((key) => {
      const { usedAt = key.usedAt } = this.#byId.get(key.id) ?? {};
      return viewOf({ ...key, usedAt });
    });
  }

  async start(): Promise<void> {}

  async stop(deadlineMs: number): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    this.#writeUses();
    await drained(this.#parts.clock, [this.#writing], deadlineMs);
  }

  #find(known: string, kind: StoredKey['kind']): Held | null {
    const held = this.#byHash.get(known);
    if (held === undefined || held.stored.kind !== kind) return null;
    const now = this.#parts.clock.now();
    if (!isValid(held.stored, now)) return null;
    held.usedAt = now;
    this.#used.add(held);
    this.#timer ??= this.#parts.clock.schedule(now + USE_WRITE_MS, () => {
      this.#timer = null;
      this.#writeUses();
    });
    return held;
  }

  // The nodes of a fleet count how often a key is used together.
  shareRates(take: (key: string, perMinute: number) => Promise<number>): void {
    this.#take = take;
  }

  boundsOf(id: string, scope: Scope): Bounds {
    return new Bounds(scope, (perMinute) => {
      const own = new KeyRate(perMinute);
      return { take: (now) => this.#take?.(id, perMinute) ?? own.take(now) };
    });
  }

  #hold(stored: StoredKey): void {
    const { id, name, role, usedAt } = stored;
    const scope = scopeOf(stored);
    const bounds = Object.values(scope).every((part) => part === null)
      ? null
      : this.boundsOf(id, scope);
    const account = scope.accounts?.[0] ?? null;
    const namespace = namespaceOf(stored);
    const held = { id, name, role, bounds, namespace, account, stored, usedAt };
    this.#byHash.set(stored.hash, held);
    this.#byId.set(id, held);
  }

  #drop(held: Held): void {
    this.#byHash.delete(held.stored.hash);
    this.#byId.delete(held.stored.id);
    this.#used.delete(held);
  }

  async #shorten(held: Held, until: number): Promise<void> {
    const { stored } = held;
    held.stored = { ...stored, expiresAt: Math.min(stored.expiresAt, until) };
    await this.#parts.journal.keys.save({ ...held.stored, usedAt: held.usedAt });
  }

  #forgetExpired(): void {
    const now = this.#parts.clock.now();
    for (const held of this.#byId.values()) if (!isValid(held.stored, now)) this.#drop(held);
  }

  // What cannot be written now is written with the next use.
  #writeUses(): void {
    const uses = Array.from(this.#used, ({ stored, usedAt }) => ({ id: stored.id, at: usedAt! }));
    this.#used.clear();
    if (uses.length === 0) return;
    this.#writing = this.#parts.journal.keys.used(uses).catch((error: unknown) => {
      this.#parts.onFailure?.(error);
    });
  }
}

function isValid({ active, expiresAt }: StoredKey, now: number): boolean {
  return active && expiresAt > now;
}

// What is kept of a key beside its columns. `namespace`: that of the key it replaced.
type Kept = Partial<Scope> & { readonly namespace?: string };

// Of a key that is held; others only show theirs.
function scopeOf(stored: StoredKey): Scope {
  const { namespace: _namespace, ...kept } = readKept(stored) ?? {};
  return { ...NO_SCOPE, ...kept };
}

// Of a virtual token, which is made for one.
function onlyAccountOf({ accounts }: Scope): AccountId {
  const account = accounts?.[0];
  assert(account !== undefined, 'a virtual token is of one account');
  return account;
}

function namespaceOf(stored: StoredKey): string {
  return readKept(stored)?.namespace ?? stored.id;
}

// null: it cannot be read, or says something that is not known here: a bound that is not understood is not lifted.
function readKept({ scope }: StoredKey): Kept | null {
  const value = jsonOrUndefined(scope);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const isKnown = Object.entries(value).every(([name, part]) => {
    const fits = Object.hasOwn(FITS, name) ? FITS[name as keyof typeof FITS] : null;
    return fits !== null && (part === null || fits(part));
  });
  return isKnown ? (value as Kept) : null;
}

const isNames = (part: unknown) =>
  Array.isArray(part) && part.every((name) => typeof name === 'string');

const FITS: Readonly<Record<keyof Required<Kept>, (part: unknown) => boolean>> = {
  accounts: isNames,
  chats: isNames,
  methods: isNames,
  perMinute: (part) => typeof part === 'number' && part > 0,
  priority: (part) => typeof part === 'string' && Object.hasOwn(PRIORITY_RANK, part),
  namespace: (part) => typeof part === 'string',
};

function viewOf(stored: StoredKey): KeyView {
  const { hash: _hash, ...shown } = stored;
  return { ...shown, scope: scopeOf(stored) };
}

// Keys and virtual tokens: how they look, how they are drawn, and by what they are known.
// Only their hash is kept. A slow hash is for what people choose; these are drawn from so many that nobody can try them
// one by one, and the hash is computed on every call. A look-up by the hash also tells nothing by its time: whoever
// learns how far two hashes agree has learned nothing about a secret that would give a closer one.

const KEY_BYTES = 32;
const ID_BYTES = 6;
const TOKEN_CHARS = 35;
export function newKey(): string {
  return `sluice_${randomBytes(KEY_BYTES).toString('base64url')}`;
}

// The secret part of one; how a whole one looks is the platform's.
function newVirtualSecret(): string {
  const drawn = randomBytes(KEY_BYTES).toString('base64url');
  return `${VIRTUAL}${drawn.slice(0, TOKEN_CHARS - VIRTUAL.length)}`;
}

function newKeyId(): string {
  return `k-${randomBytes(ID_BYTES).toString('hex')}`;
}

export function newSecret(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

export function hashOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
