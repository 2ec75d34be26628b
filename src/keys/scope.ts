// What a key is bound to. A scope is what is kept and shown; Bounds is the same, ready to be asked on every call.

import type { AccountId } from '../domain/ids.ts';
import { PRIORITY_RANK, type Priority } from '../domain/priority.ts';
import type { Targets } from '../domain/targets.ts';
import { unreachable } from '../system/assert.ts';
import { KeyRate, type RateCounter } from './rate.ts';

export interface Scope {
  // null: all of them.
  readonly accounts: readonly AccountId[] | null;
  readonly chats: readonly string[] | null;
  readonly methods: readonly string[] | null;
  // Calls per any minute; null: as many as there are.
  readonly perMinute: number | null;
  // What is more urgent is lowered to this; null: nothing is.
  readonly priority: Priority | null;
}

export const NO_SCOPE: Scope = {
  accounts: null,
  chats: null,
  methods: null,
  perMinute: null,
  priority: null,
};

const WHOLE_NUMBER = /^[+-]?\d{1,20}$/;

export class Bounds {
  readonly scope: Scope;
  readonly #accounts: ReadonlySet<string> | null;
  readonly #chats: ReadonlySet<string> | null;
  readonly #methods: ReadonlySet<string> | null;
  readonly #rate: RateCounter | null;
  readonly #priority: Priority | null;

  // `rateOf`: who counts how often it is used; left out: itself.
  constructor(scope: Scope, rateOf?: (perMinute: number) => RateCounter) {
    const { accounts, chats, methods, perMinute, priority } = scope;
    this.scope = scope;
    this.#accounts = accounts === null ? null : new Set(accounts);
    this.#chats = chats === null ? null : new Set(chats.flatMap(spellings));
    this.#methods = methods === null ? null : new Set(methods.map(lower));
    this.#rate = perMinute === null ? null : (rateOf?.(perMinute) ?? new KeyRate(perMinute));
    this.#priority = priority;
  }

  // Bound in what it reaches, not only in how often and how urgently.
  get isNarrow(): boolean {
    return this.#accounts !== null || this.#chats !== null || this.#methods !== null;
  }

  // Bound in which calls it may make within its accounts.
  get judgesCalls(): boolean {
    return this.#chats !== null || this.#methods !== null;
  }

  mayUse(account: string): boolean {
    return this.#accounts === null || this.#accounts.has(account);
  }

  // What is read is bound by account and chat; null: nothing of a single chat is asked for.
  mayRead(account: string, chat: string | null): boolean {
    return this.mayUse(account) && (this.#chats === null || (chat !== null && this.#isOwn(chat)));
  }

  // To act on what stands for a call that was made: cancel it, send it again, let it grow.
  mayTouch(account: string, chat: string, method: string): boolean {
    return this.mayRead(account, chat) && this.#isNamed(method);
  }

  // To act on an account as a whole, which is more than any of its chats or methods.
  mayManage(account: string): boolean {
    return this.mayUse(account) && !this.judgesCalls;
  }

  // A call of one of its accounts. Every chat it touches must be one of its own, also the one that is forwarded from or
  // replied to. What touches the account as a whole must be named in `methods`.
  mayCall(method: string, targets: Targets): boolean {
    if (targets.kind === 'none') return true;
    if (!this.#isNamed(method)) return false;
    if (this.#chats === null) return true;
    switch (targets.kind) {
      case 'chats':
        return targets.chats.length > 0 && targets.chats.every((chat) => this.#isOwn(chat));
      case 'account':
        return this.#methods !== null && targets.chats.every((chat) => this.#isOwn(chat));
      case 'unknown':
        return false;
      default:
        return unreachable(targets);
    }
  }

  lowered(priority: Priority): Priority {
    const most = this.#priority;
    return most !== null && PRIORITY_RANK[priority] < PRIORITY_RANK[most] ? most : priority;
  }

  // 0: it is counted. Else how long until the next call may be made.
  takeMs(now: number): number | Promise<number> {
    return this.#rate === null ? 0 : this.#rate.take(now);
  }

  #isOwn(chat: string): boolean {
    return this.#chats === null || this.#chats.has(chat);
  }

  #isNamed(method: string): boolean {
    return this.#methods === null || this.#methods.has(lower(method));
  }
}

// As a person may write it, and as the journal does: names do not tell cases apart, and numbers have no leading zeros.
function spellings(chat: string): string[] {
  const text = chat.trim();
  if (WHOLE_NUMBER.test(text)) return [chat, String(BigInt(text))];
  return text.startsWith('@') ? [chat, lower(text)] : [chat];
}

function lower(text: string): string {
  return text.toLowerCase();
}
