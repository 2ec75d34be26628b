// What is remembered of the updates seen: who wrote when, which messages came in, which of them meant the bot.
// From it follows whether a call answers someone (platforms bound unsolicited messages) and whether someone
// waits for it. Pure: `now` is an argument. Bounded per account, what was silent longest is forgotten: a forgotten
// chat costs a slower message, never a wrong one.

import type { Budgets, Family } from '../domain/call.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Calls, UpdateSummary, Voice } from '../platforms/platform.ts';

export interface UpdatesBounds {
  // Per account.
  readonly chatsMax: number;
  readonly messagesMax: number;
  // Of all accounts together: names are for people, and nobody looks at more.
  readonly namesMax: number;
}

const UPDATES_BOUNDS: UpdatesBounds = {
  chatsMax: 200_000,
  messagesMax: 50_000,
  namesMax: 20_000,
};

// After this long a message without a reply mark no longer counts as the answer to a mention.
const ANSWER_MS_MAX = 60_000;

// A call, as far as it tells whom it answers.
export interface AnsweringCall {
  readonly chat: string;
  readonly family: Family;
  readonly budget: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface Chat {
  wroteAt: number;
  // When someone last turned to the bot itself.
  addressedAt: number;
}

interface SeenMessage {
  readonly voice: Voice;
  // null: nobody told.
  readonly user: string | null;
}

interface Memory {
  username: string | null;
  // Insertion order is order of the last word: the first key was silent longest.
  readonly chats: Map<string, Chat>;
  readonly messages: Map<string, SeenMessage>;
  readonly replyTarget: ReplyTarget;
  // null: nothing is known of its platform.
  readonly budgets: Budgets | null;
}

type ReplyTarget = NonNullable<Calls['replyTarget']>;
const TELLS_NONE: ReplyTarget = () => null;

// What the calls of an account tell of whom they answer.
export interface AnswerRules {
  // Left out: they do not tell which message they reply to.
  readonly replyTarget?: ReplyTarget | undefined;
  readonly budgets: Budgets;
}

export class Updates {
  readonly #rulesOf: (account: AccountId) => AnswerRules | undefined;
  readonly #bounds: UpdatesBounds;
  readonly #accounts = new Map<AccountId, Memory>();
  // By account, then chat, in order of the last update.
  readonly #names = new Map<string, string>();

  // `rulesOf` is asked once per account.
  constructor(
    rulesOf: (account: AccountId) => AnswerRules | undefined,
    bounds: UpdatesBounds = UPDATES_BOUNDS,
  ) {
    this.#rulesOf = rulesOf;
    this.#bounds = bounds;
  }

  // Accounts of which something was seen: of the others nothing can be told.
  get seen(): { has(account: AccountId): boolean } {
    return this.#accounts;
  }

  // The account is no more.
  forget(account: AccountId): void {
    this.#accounts.delete(account);
    for (const key of this.#names.keys()) {
      if (key.startsWith(nameKey(account, ''))) this.#names.delete(key);
    }
  }

  // What people call a chat; null: no update has told.
  nameOf(account: AccountId, chat: string): string | null {
    return this.#names.get(nameKey(account, chat)) ?? null;
  }

  // What is told late (the app was away) was said when it was said.
  remember(account: AccountId, summary: Omit<UpdateSummary, 'id' | 'order'>, now: number): void {
    const { chat, messageId, voice, chatName } = summary;
    const memory = this.#memoryOf(account);
    if (chat !== null && chatName !== undefined) this.#name(account, chat, chatName);
    if (chat === null || voice === 'none') return;
    const before = memory.chats.get(chat);
    memory.chats.delete(chat);
    memory.chats.set(chat, {
      wroteAt: Math.max(Math.min(now, summary.saidAt ?? now), before?.wroteAt ?? 0),
      addressedAt: voice === 'addressed' ? now : (before?.addressedAt ?? Number.NEGATIVE_INFINITY),
    });
    if (memory.chats.size > this.#bounds.chatsMax) forgetOldest(memory.chats);
    if (messageId === null) return;
    memory.messages.set(`${chat}/${messageId}`, { voice, user: summary.user ?? null });
    if (memory.messages.size > this.#bounds.messagesMax) forgetOldest(memory.messages);
  }

  #name(account: AccountId, chat: string, name: string): void {
    const key = nameKey(account, chat);
    this.#names.delete(key);
    this.#names.set(key, name);
    if (this.#names.size > this.#bounds.namesMax) forgetOldest(this.#names);
  }

  // Unknown until someone tells.
  usernameOf(account: AccountId): string | null {
    return this.#accounts.get(account)?.username ?? null;
  }

  nameBot(account: AccountId, username: string): void {
    this.#memoryOf(account).username = username;
  }

  // Which budget a call spends. Of an account whose updates nobody showed us, its own word must do.
  budgetFor(account: AccountId, call: AnsweringCall, now: number, windowMs: number): string {
    const memory = this.#accounts.get(account);
    const { unsolicited, reply } = memory?.budgets ?? {};
    if (memory === undefined || unsolicited === undefined || reply === undefined)
      return call.budget;
    // Of the others no update tells anything.
    if (call.budget !== unsolicited && call.budget !== reply) return call.budget;
    const chat = memory.chats.get(call.chat);
    if (chat !== undefined && now - chat.wroteAt <= windowMs) return reply;
    return answered(memory, call) === undefined ? unsolicited : reply;
  }

  // null: nothing speaks for another class than the usual one.
  priorityFor(account: AccountId, call: AnsweringCall, now: number): 'high' | null {
    const memory = this.#accounts.get(account);
    if (memory === undefined || call.family !== 'send') return null;
    if (memory.replyTarget(call.chat, call.params) !== null) {
      return answered(memory, call)?.voice === 'addressed' ? 'high' : null;
    }
    const chat = memory.chats.get(call.chat);
    return chat !== undefined && now - chat.addressedAt <= ANSWER_MS_MAX ? 'high' : null;
  }

  // Who wrote what it replies to; null: it replies to nothing, or nobody knows.
  authorOf(account: AccountId, call: Pick<AnsweringCall, 'chat' | 'params'>): string | null {
    const memory = this.#accounts.get(account);
    return memory === undefined ? null : (answered(memory, call)?.user ?? null);
  }

  #memoryOf(account: AccountId): Memory {
    let memory = this.#accounts.get(account);
    if (memory === undefined) {
      const { replyTarget = TELLS_NONE, budgets = null } = this.#rulesOf(account) ?? {};
      memory = { username: null, chats: new Map(), messages: new Map(), replyTarget, budgets };
      this.#accounts.set(account, memory);
    }
    return memory;
  }
}

function nameKey(account: AccountId, chat: string): string {
  return `${account} ${chat}`;
}

// The message it replies to, if that came in.
function answered(
  memory: Memory,
  call: Pick<AnsweringCall, 'chat' | 'params'>,
): SeenMessage | undefined {
  const target = memory.replyTarget(call.chat, call.params);
  return target === null ? undefined : memory.messages.get(`${call.chat}/${target}`);
}

function forgetOldest(map: Map<string, unknown>): void {
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
