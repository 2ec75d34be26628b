// Which chats refuse an account: the user blocked the bot, is gone, or it was put out. Learned from every delivery that
// ends so, whoever sent it; forgotten when something reaches the chat after all, or someone writes from it.
// Only changes are held in memory: an account may be refused by a million.

import { platformOf } from '../domain/account-id.ts';
import type { RoadEvent } from '../domain/event.ts';
import type { Platform } from '../platforms/platform.ts';
import type { BroadcastStore } from '../store/ports/broadcasts.ts';

// Beyond it changes are lost, which costs a call that is refused again.
const CHANGES_MAX = 10_000;

interface Change {
  readonly account: string;
  readonly chat: string;
  // null: it does not refuse any more.
  readonly reason: string | null;
}

export class Refusals {
  readonly #broadcasts: Pick<BroadcastStore, 'block' | 'unblock' | 'isBlocked'>;
  readonly #platforms: ReadonlyMap<string, Platform>;
  readonly #changes = new Map<string, Change>();
  // Accounts that someone refuses; those not asked about yet are missing.
  readonly #refused = new Map<string, boolean>();
  readonly #asked = new Set<string>();

  constructor(
    broadcasts: Pick<BroadcastStore, 'block' | 'unblock' | 'isBlocked'>,
    platforms: ReadonlyMap<string, Platform>,
  ) {
    this.#broadcasts = broadcasts;
    this.#platforms = platforms;
  }

  get hasChanges(): boolean {
    return this.#changes.size > 0;
  }

  see(event: Extract<RoadEvent, { kind: 'moved' }>): void {
    const { account, chat } = event.about;
    const { reason } = event;
    if (event.to === 'sent') this.reached(account, chat);
    else if (event.to === 'dead' && reason !== null && this.#isRefusal(account, reason)) {
      this.#refused.set(account, true);
      this.#asked.delete(account);
      this.#note({ account, chat, reason });
    }
  }

  #isRefusal(account: string, reason: string): boolean {
    const rules = this.#platforms.get(platformOf(account))?.broadcast;
    return rules?.unreachable.includes(reason) ?? false;
  }

  // Something reached the chat, or came from it.
  reached(account: string, chat: string): void {
    const isRefused = this.#refused.get(account);
    if (isRefused === false) return;
    if (isRefused === undefined) this.#ask(account);
    this.#note({ account, chat, reason: null });
  }

  async save(at: number): Promise<void> {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    const refusing = changes.flatMap(({ account, chat, reason }) =>
      reason === null ? [] : [{ account, chat, reason }],
    );
    const reached = changes.filter(({ reason }) => reason === null);
    if (refusing.length > 0) await this.#broadcasts.block({ chats: refusing, at });
    const chats = reached.map(({ account, chat }) => ({ account, chat }));
    if (chats.length > 0) await this.#broadcasts.unblock({ chats });
  }

  // Nobody refuses most accounts: then what reaches their chats need not be looked up.
  #ask(account: string): void {
    this.#refused.set(account, true);
    this.#asked.add(account);
    this.#broadcasts.isBlocked({ account }).then(
      (isBlocked) => {
        // Unless someone has refused it meanwhile.
        if (this.#asked.delete(account)) this.#refused.set(account, isBlocked);
      },
      () => this.#refused.delete(account),
    );
  }

  #note(change: Change): void {
    const key = `${change.account}\0${change.chat}`;
    if (this.#changes.size < CHANGES_MAX || this.#changes.has(key)) this.#changes.set(key, change);
  }
}
