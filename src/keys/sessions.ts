// Who is logged in to the page. A session is as good as its key: it has that key's role, and ends with it, also when it
// is replaced while the gateway is down. On disk there are hashes alone: whoever reads them can open nothing.

import { timingSafeEqual } from 'node:crypto';
import type { SessionStore, StoredSession } from '../store/ports/sessions.ts';
import type { Clock } from '../system/clock.ts';
import { type Holder, hashOf, newSecret } from './keyring.ts';

export const SESSION_MS = 12 * 3_600_000;
export const LINK_MS = 3_600_000;
const SESSIONS_MAX = 1000;
const SESSIONS_PER_KEY_MAX = 100;
const LINKS_MAX = 100;

export interface Session {
  readonly holder: Holder;
  // What a request that changes something must carry beside the cookie.
  readonly csrf: string;
  readonly expiresAt: number;
  isClosed: boolean;
}

// What lets sessions outlive the process; the store has nothing that would open one.
export interface KeptSessions {
  readonly store: SessionStore;
  // The key of this id, if it is valid, and its hash; null: the admin key.
  known(id: string | null): { holder: Holder; hash: string } | null;
  onFailure(error: unknown): void;
}

export class Sessions {
  readonly #clock: Clock;
  readonly #holds: (holder: Holder) => boolean;
  readonly #kept: KeptSessions | null;
  // By the hash of what the browser has. Insertion order is age order, and all live equally long.
  readonly #sessions = new Map<string, Session>();
  // Those of the process before, and of other nodes, that nobody has come with yet.
  readonly #before = new Map<string, StoredSession>();
  // Those that the store has told of: one that it no longer has was ended elsewhere.
  readonly #stored = new Set<string>();
  // Ended here, while the store may still have them.
  readonly #ended = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #links = new Map<string, { holder: Holder; expiresAt: number }>();

  // `holds`: whether the key is still valid. `kept` null: a restart logs everybody out.
  constructor(
    clock: Clock,
    holds: (holder: Holder) => boolean,
    kept: KeptSessions | null = null,
    before: readonly StoredSession[] = [],
  ) {
    this.#clock = clock;
    this.#holds = holds;
    this.#kept = kept;
    this.#restore(before);
  }

  static async open(
    clock: Clock,
    holds: (holder: Holder) => boolean,
    kept: KeptSessions,
  ): Promise<Sessions> {
    const now = clock.now();
    await kept.store.prune({ endedBefore: now });
    return new Sessions(clock, holds, kept, await kept.store.open(now));
  }

  // Reads again what other nodes have opened and ended.
  async reload(): Promise<void> {
    if (this.#kept === null) return;
    const stored = await this.#kept.store.open(this.#clock.now());
    const there = new Set(stored.map(({ hash }) => hash));
    for (const hash of this.#stored) if (!there.has(hash)) this.#forget(hash);
    for (const hash of this.#ended) if (!there.has(hash)) this.#ended.delete(hash);
    const isNew = (hash: string) => !this.#sessions.has(hash) && !this.#ended.has(hash);
    this.#restore(stored.filter(({ hash }) => isNew(hash)));
    for (const hash of there) this.#stored.add(hash);
  }

  // Told when the store has one more, or one less.
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #restore(stored: readonly StoredSession[]): void {
    for (const session of stored) {
      this.#before.set(session.hash, session);
      this.#stored.add(session.hash);
    }
  }

  // `id` is for the cookie, and is not kept.
  open(holder: Holder): { id: string; session: Session } {
    const id = newSecret();
    const hash = hashOf(id);
    const expiresAt = this.#clock.now() + SESSION_MS;
    const session = { holder, csrf: csrfOf(id), expiresAt, isClosed: false };
    this.#makeRoom(holder);
    this.#sessions.set(hash, session);
    const key = this.#kept?.known(holder.id) ?? null;
    if (key !== null) {
      const proof = proofOf(key.hash, id);
      this.#keep((store) => store.save({ hash, key: holder.id, proof, expiresAt }));
    }
    return { id, session };
  }

  // One key cannot push out the sessions of the others: its own oldest goes.
  #makeRoom({ id }: Holder): void {
    const before = [...this.#before.values()].map(({ hash, key }) => ({ hash, key }));
    const since = Array.from(this.#sessions, ([hash, { holder }]) => ({ hash, key: holder.id }));
    const all = [...before, ...since];
    const own = all.filter(({ key }) => key === id);
    const oldest = own.length >= SESSIONS_PER_KEY_MAX ? own[0] : all[0];
    const isFull = own.length >= SESSIONS_PER_KEY_MAX || all.length >= SESSIONS_MAX;
    if (isFull && oldest !== undefined) this.#end(oldest.hash);
  }

  find(id: string): Session | null {
    const known = hashOf(id);
    const session = this.#sessions.get(known) ?? this.#comeBack(known, id);
    if (session === null) return null;
    if (this.isOpen(session)) return session;
    this.#end(known);
    return null;
  }

  // One that was opened before the restart, if its key is still the same.
  #comeBack(hash: string, id: string): Session | null {
    const stored = this.#before.get(hash);
    if (stored === undefined) return null;
    const key = this.#kept?.known(stored.key) ?? null;
    if (key === null || proofOf(key.hash, id) !== stored.proof) {
      this.#end(hash);
      return null;
    }
    const { expiresAt } = stored;
    const session = { holder: key.holder, csrf: csrfOf(id), expiresAt, isClosed: false };
    this.#before.delete(hash);
    this.#sessions.set(hash, session);
    return session;
  }

  isOpen(session: Session): boolean {
    const { isClosed, expiresAt, holder } = session;
    return !isClosed && expiresAt > this.#clock.now() && this.#holds(holder);
  }

  close(id: string): void {
    this.#end(hashOf(id));
  }

  #end(hash: string): void {
    if (!this.#forget(hash)) return;
    if (this.#kept !== null) this.#ended.add(hash);
    this.#keep((store) => store.remove(hash));
  }

  #forget(hash: string): boolean {
    const session = this.#sessions.get(hash);
    if (session !== undefined) session.isClosed = true;
    this.#stored.delete(hash);
    return this.#sessions.delete(hash) || this.#before.delete(hash);
  }

  // Nobody waits for it: what cannot be written ends with the process.
  #keep(write: (store: SessionStore) => Promise<void>): void {
    if (this.#kept === null) return;
    const { store, onFailure } = this.#kept;
    const notify = () => {
      for (const listener of this.#listeners) listener();
    };
    write(store).then(notify).catch(onFailure);
  }

  // Opens one session, once.
  link(holder: Holder): string {
    const token = newSecret();
    put(this.#links, hashOf(token), { holder, expiresAt: this.#clock.now() + LINK_MS }, LINKS_MAX);
    return token;
  }

  takeLink(token: string): Holder | null {
    const known = hashOf(token);
    const link = this.#links.get(known);
    this.#links.delete(known);
    if (link === undefined || link.expiresAt <= this.#clock.now()) return null;
    return this.#holds(link.holder) ? link.holder : null;
  }
}

export function isCsrf(session: Session, given: string): boolean {
  const [a, b] = [Buffer.from(session.csrf), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

// Known to whoever has the cookie, and to nobody else.
function csrfOf(id: string): string {
  return hashOf(`csrf ${id}`);
}

function proofOf(keyHash: string, id: string): string {
  return hashOf(`${keyHash} ${id}`);
}

// The oldest goes when there are too many.
function put<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.set(key, value);
  if (map.size <= max) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
