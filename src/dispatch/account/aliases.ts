// One chat under several ids: a group that became a supergroup, a channel's @name and its number. Learned from
// answers, kept with the limits; whatever names such a chat shares its lanes and its budget.

import type { Queued } from '../../domain/delivery.ts';
import type { StoredLimit } from '../../store/ports/limits.ts';
import { jsonOrUndefined } from '../../system/json.ts';

// Of one account; beyond it the oldest is forgotten, and learned again when it is met.
const ALIASES_MAX = 10_000;
// A group moves once; more steps than this are a circle.
const STEPS_MAX = 8;
const KEY = 'alias|';

export interface Alias {
  readonly from: string;
  readonly to: string;
  // The old id no longer works: calls that name it are sent to the new one.
  readonly moved: boolean;
}

export class Aliases {
  readonly #byAccount = new Map<string, Map<string, Alias>>();
  // Chats that others moved to, by account, and how many did.
  readonly #homes = new Map<string, Map<string, number>>();
  // Those that gave way to newer ones, until their records are taken.
  #forgotten: { readonly account: string; readonly from: string }[] = [];

  canonical(account: string, chat: string): string {
    const aliases = this.#byAccount.get(account);
    if (aliases === undefined) return chat;
    let known = chat;
    for (let i = 0; i < STEPS_MAX; i++) known = aliases.get(known)?.to ?? known;
    return known;
  }

  resolved(queued: Queued): Queued {
    const chat = this.canonical(queued.account, queued.chat);
    return chat === queued.chat ? queued : { ...queued, chat };
  }

  // Calls of other ids were redirected to this chat.
  isNewHome(account: string, chat: string): boolean {
    return this.#homes.get(account)?.has(chat) === true;
  }

  of(account: string): Iterable<Alias> {
    return this.#byAccount.get(account)?.values() ?? [];
  }

  // False: nothing new.
  learn(account: string, alias: Alias): boolean {
    const { from, to } = alias;
    if (this.canonical(account, from) === this.canonical(account, to)) return false;
    let aliases = this.#byAccount.get(account);
    if (aliases === undefined) {
      aliases = new Map();
      this.#byAccount.set(account, aliases);
    }
    this.#countHome(account, aliases.get(from), -1);
    aliases.set(from, alias);
    this.#countHome(account, alias, 1);
    for (const oldest of aliases.values()) {
      if (aliases.size <= ALIASES_MAX) break;
      aliases.delete(oldest.from);
      this.#forgotten.push({ account, from: oldest.from });
      this.#countHome(account, oldest, -1);
    }
    return true;
  }

  // What deletes the records of those that were forgotten since this was last asked.
  forgotten(now: number): StoredLimit[] {
    const forgotten = this.#forgotten;
    if (forgotten.length > 0) this.#forgotten = [];
    return forgotten.map(({ account, from }) => {
      return { account, key: `${KEY}${from}`, value: '', updatedAt: now };
    });
  }

  // They stay on disk.
  forget(account: string): void {
    this.#byAccount.delete(account);
    this.#homes.delete(account);
  }

  #countHome(account: string, alias: Alias | undefined, change: number): void {
    if (alias?.moved !== true) return;
    let homes = this.#homes.get(account);
    if (homes === undefined) {
      homes = new Map();
      this.#homes.set(account, homes);
    }
    const count = (homes.get(alias.to) ?? 0) + change;
    if (count > 0) homes.set(alias.to, count);
    else homes.delete(alias.to);
  }

  restore({ account, key, value }: StoredLimit): void {
    if (!key.startsWith(KEY)) return;
    const stored = jsonOrUndefined(value);
    if (typeof stored !== 'object' || stored === null) return;
    const { to, moved } = stored as Record<string, unknown>;
    if (typeof to !== 'string') return;
    this.learn(account, { from: key.slice(KEY.length), to, moved: moved === true });
  }
}

export function recordOf(account: string, alias: Alias, now: number): StoredLimit {
  const { from, to, moved } = alias;
  return { account, key: `${KEY}${from}`, value: JSON.stringify({ to, moved }), updatedAt: now };
}
