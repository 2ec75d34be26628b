// Who is logged in to the page. Sessions live in memory: a restart logs everybody out, and nothing of them is ever on
// disk. A session is as good as its key: it has that key's role, and ends with it.

import { timingSafeEqual } from 'node:crypto';
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

export class Sessions {
  readonly #clock: Clock;
  readonly #holds: (holder: Holder) => boolean;
  // By the hash of what the browser has. Insertion order is age order, and all live equally long.
  readonly #sessions = new Map<string, Session>();
  readonly #links = new Map<string, { holder: Holder; expiresAt: number }>();

  // `holds`: whether the key is still valid.
  constructor(clock: Clock, holds: (holder: Holder) => boolean) {
    this.#clock = clock;
    this.#holds = holds;
  }

  // `id` is for the cookie, and is not kept.
  open(holder: Holder): { id: string; session: Session } {
    const id = newSecret();
    const expiresAt = this.#clock.now() + SESSION_MS;
    const session = { holder, csrf: newSecret(), expiresAt, isClosed: false };
    this.#makeRoom(holder);
    put(this.#sessions, hashOf(id), session, SESSIONS_MAX);
    return { id, session };
  }

  // One key cannot push out the sessions of the others: its own oldest goes.
  #makeRoom(holder: Holder): void {
    const own = [...this.#sessions].filter(([, session]) => session.holder.id === holder.id);
    if (own.length < SESSIONS_PER_KEY_MAX) return;
    const [[known, oldest]] = own as [[string, Session]];
    oldest.isClosed = true;
    this.#sessions.delete(known);
  }

  find(id: string): Session | null {
    const known = hashOf(id);
    const session = this.#sessions.get(known);
    if (session === undefined) return null;
    if (this.isOpen(session)) return session;
    this.#sessions.delete(known);
    return null;
  }

  isOpen(session: Session): boolean {
    const { isClosed, expiresAt, holder } = session;
    return !isClosed && expiresAt > this.#clock.now() && this.#holds(holder);
  }

  close(id: string): void {
    const known = hashOf(id);
    const session = this.#sessions.get(known);
    if (session !== undefined) session.isClosed = true;
    this.#sessions.delete(known);
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

// The oldest goes when there are too many.
function put<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.set(key, value);
  if (map.size <= max) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
