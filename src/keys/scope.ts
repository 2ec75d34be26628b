// What a key is bound to. A scope is what is kept and shown; Bounds is the same, ready to be asked on every call.

import { PRIORITY_RANK, type Priority } from '../domain/priority.ts';
import { Rate } from './rate.ts';

export interface Scope {
  // null: all of them.
  readonly accounts: readonly string[] | null;
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

// Calls that tell of no chat. A key that is bound to chats may make them without their being named.
const HARMLESS = ['getme'];
// The platform does not mind the case of a name.
const CHAT_PARAM = /(?:^|_)chat_id$/i;
// Stands for a message in a chat that nobody can tell.
const PLACELESS_PARAM = /^inline_message_id$/i;
// Texts for people, whatever they look like.
const PROSE = ['text', 'caption'];
// Parameters nest a little (reply_parameters, scope); what is deeper than this is not looked into, but refused.
const DEPTH_MAX = 8;

export class Bounds {
  readonly #accounts: ReadonlySet<string> | null;
  readonly #chats: ReadonlySet<string> | null;
  readonly #methods: ReadonlySet<string> | null;
  readonly #rate: Rate | null;
  readonly #priority: Priority | null;

  constructor({ accounts, chats, methods, perMinute, priority }: Scope) {
    this.#accounts = accounts === null ? null : new Set(accounts);
    this.#chats = chats === null ? null : new Set(chats.map(lower));
    this.#methods = methods === null ? null : new Set(methods.map(lower));
    this.#rate = perMinute === null ? null : new Rate(perMinute);
    this.#priority = priority;
  }

  // Bound in what it reaches, not only in how often and how urgently.
  get isNarrow(): boolean {
    return this.#accounts !== null || this.#chats !== null || this.#methods !== null;
  }

  // What is read is bound by account and chat; null: nothing of a single chat is asked for.
  mayRead(account: string, chat: string | null): boolean {
    if (this.#accounts !== null && !this.#accounts.has(account)) return false;
    return this.#chats === null || (chat !== null && this.#chats.has(lower(chat)));
  }

  mayUse(account: string): boolean {
    return this.#accounts === null || this.#accounts.has(account);
  }

  // A call with its parameters, and the chat it goes to where that is known apart from them: every chat must be one of
  // its own, also the one that is forwarded from or replied to. A call that names none may reach any, so it must be one
  // that the scope names.
  mayCall(
    method: string,
    params: Readonly<Record<string, unknown>>,
    chat: string | null = null,
  ): boolean {
    const name = lower(method);
    if (this.#methods !== null && !this.#methods.has(name)) return false;
    if (this.#chats === null) return true;
    if (chat !== null && !this.#chats.has(lower(chat))) return false;
    const named = { count: chat === null ? 0 : 1 };
    if (!this.#areOwn(params, named, 0)) return false;
    return named.count > 0 || this.#methods !== null || HARMLESS.includes(name);
  }

  lowered(priority: Priority): Priority {
    const most = this.#priority;
    return most !== null && PRIORITY_RANK[priority] < PRIORITY_RANK[most] ? most : priority;
  }

  // 0: it is counted. Else how long until the next call may be made.
  takeMs(now: number): number {
    const rate = this.#rate;
    if (rate === null) return 0;
    const waitMs = rate.waitMs(now);
    if (waitMs > 0) return waitMs;
    rate.count(now);
    return 0;
  }

  #areOwn(value: unknown, named: { count: number }, depth: number): boolean {
    if (typeof value !== 'object' || value === null) return true;
    if (depth > DEPTH_MAX) return false;
    for (const [name, part] of Object.entries(value)) {
      if (PLACELESS_PARAM.test(name)) return false;
      if (CHAT_PARAM.test(name)) {
        if (!this.#chats!.has(lower(String(part)))) return false;
        named.count += 1;
        continue;
      }
      const isObject = depth === 0 && typeof part === 'string' && !PROSE.includes(lower(name));
      if (!this.#areOwn(isObject ? parsed(part) : part, named, depth + 1)) return false;
    }
    return true;
  }
}

// A parameter may be an object written down as text, as forms have them.
function parsed(text: string): unknown {
  if (!text.startsWith('{') && !text.startsWith('[')) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function lower(text: string): string {
  return text.toLowerCase();
}
