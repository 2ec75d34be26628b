// What platforms have asked us to wait for: by reader (an account) and method, on disk before anything goes on, never
// shortened, and asked by everyone who is about to call. Also when each came, as it lowers the budget.

import type { ReadMethod } from '../platforms/history.ts';
import type { IngestStore, StoredWait } from '../store/ports/ingest.ts';
import type { Clock } from '../system/clock.ts';
import type { Random } from '../system/random.ts';
import { HOUR_MS } from './plan/activity.ts';
import { WAIT_JITTER_MS } from './settings.ts';

// Of an account that was logged out: nothing may be called, until someone has logged in.
const ALL = 'all';
const WITHOUT_END = Number.MAX_SAFE_INTEGER;
// A wait that came longer ago lowers the budget no more.
const REMEMBERED_MS = 12 * HOUR_MS;

export class Waits {
  readonly #store: IngestStore;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #waits = new Map<string, StoredWait>();
  // Being written: the store does not know them yet.
  readonly #writing = new Set<string>();
  #cameAt: number[] = [];

  constructor(parts: { store: IngestStore; clock: Clock; random: Random }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#random = parts.random;
  }

  // What is on disk, and what other processes have made of it since.
  async load(): Promise<void> {
    const stored = await this.#store.waits();
    const kept = new Set<string>();
    for (const wait of stored) {
      const key = keyOf(wait.reader, wait.method);
      kept.add(key);
      const known = this.#waits.get(key);
      if (known !== undefined && known.until >= wait.until) continue;
      this.#waits.set(key, wait);
      if (wait.method !== ALL) this.#cameAt.push(wait.at);
    }
    // Someone has logged in elsewhere.
    for (const [key, { method }] of this.#waits) {
      if (method === ALL && !kept.has(key) && !this.#writing.has(key)) this.#waits.delete(key);
    }
  }

  // 0: it may be called.
  until(reader: string, method: ReadMethod): number {
    const one = this.#waits.get(keyOf(reader, method))?.until ?? 0;
    const all = this.#waits.get(keyOf(reader, ALL))?.until ?? 0;
    const until = Math.max(one, all);
    return until > this.#clock.now() ? until : 0;
  }

  isLoggedOut(reader: string): boolean {
    return this.#waits.has(keyOf(reader, ALL));
  }

  // Known at once, whatever becomes of the write.
  async note(reader: string, method: ReadMethod, waitMs: number): Promise<number> {
    const at = this.#clock.now();
    const until = at + waitMs + this.#random.next() * WAIT_JITTER_MS;
    this.#cameAt.push(at);
    await this.#keep({ reader, method, until, at });
    return until;
  }

  noteLoggedOut(reader: string): Promise<void> {
    const at = this.#clock.now();
    return this.#keep({ reader, method: ALL, until: WITHOUT_END, at });
  }

  async loggedIn(reader: string): Promise<void> {
    await this.#store.dropWait({ reader, method: ALL });
    this.#waits.delete(keyOf(reader, ALL));
  }

  // When waits came, of those that still lower the budget.
  cameAt(): readonly number[] {
    const since = this.#clock.now() - REMEMBERED_MS;
    this.#cameAt = this.#cameAt.filter((at) => at > since);
    return this.#cameAt;
  }

  // Those that are not over.
  list(): StoredWait[] {
    const now = this.#clock.now();
    return [...this.#waits.values()].filter(({ until }) => until > now);
  }

  async #keep(wait: StoredWait): Promise<void> {
    const key = keyOf(wait.reader, wait.method);
    const known = this.#waits.get(key);
    if (known === undefined || known.until < wait.until) this.#waits.set(key, wait);
    this.#writing.add(key);
    try {
      await this.#store.saveWait(wait);
    } finally {
      this.#writing.delete(key);
    }
  }
}

function keyOf(reader: string, method: string): string {
  return `${reader}\0${method}`;
}
