// What is remembered of the updates seen: who wrote when, which messages came in, which of them meant the bot.
// From it follows whether a call answers someone (Telegram bounds unsolicited messages only) and whether someone
// waits for it. Pure: `now` is an argument. Bounded per account, what was silent longest is forgotten: a forgotten
// chat costs a slower message, never a wrong one.

import { botOf } from '../domain/account-id.ts';
import type { Family, Gate } from '../domain/call.ts';
import { jsonOrUndefined } from '../system/json.ts';
import type { BotIdentity, Glimpse, Voice } from './read-update.ts';

export interface UpdatesBounds {
  readonly chatsMax: number;
  readonly messagesMax: number;
}

// Per account.
export const UPDATES_BOUNDS: UpdatesBounds = { chatsMax: 200_000, messagesMax: 50_000 };

// After this long a message without a reply mark no longer counts as the answer to a mention.
const ANSWER_MS_MAX = 60_000;

// A call, as far as it tells whom it answers.
export interface AnsweringCall {
  readonly chat: string;
  readonly family: Family;
  readonly gate: Gate;
  readonly params: Readonly<Record<string, unknown>>;
}

interface Chat {
  wroteAt: number;
  // When someone last turned to the bot itself.
  addressedAt: number;
}

interface Memory {
  username: string | null;
  // Insertion order is order of the last word: the first key was silent longest.
  readonly chats: Map<string, Chat>;
  readonly messages: Map<string, Voice>;
}

export class Updates {
  readonly #bounds: UpdatesBounds;
  readonly #accounts = new Map<string, Memory>();

  constructor(bounds: UpdatesBounds = UPDATES_BOUNDS) {
    this.#bounds = bounds;
  }

  // What is told late (the app was away) was said when it was said.
  remember(account: string, glimpse: Omit<Glimpse, 'updateId'>, now: number): void {
    const { chat, messageId, voice } = glimpse;
    const memory = this.#memoryOf(account);
    if (chat === null || voice === 'none') return;
    const before = memory.chats.get(chat);
    memory.chats.delete(chat);
    memory.chats.set(chat, {
      wroteAt: Math.max(Math.min(now, glimpse.saidAt ?? now), before?.wroteAt ?? 0),
      addressedAt: voice === 'addressed' ? now : (before?.addressedAt ?? Number.NEGATIVE_INFINITY),
    });
    if (memory.chats.size > this.#bounds.chatsMax) forgetOldest(memory.chats);
    if (messageId === null) return;
    memory.messages.set(`${chat}/${messageId}`, voice);
    if (memory.messages.size > this.#bounds.messagesMax) forgetOldest(memory.messages);
  }

  // Unknown until someone tells.
  botOf(account: string): BotIdentity {
    return { id: botOf(account), username: this.#accounts.get(account)?.username ?? null };
  }

  nameBot(account: string, username: string): void {
    this.#memoryOf(account).username = username;
  }

  // Which budget a call spends. Of an account whose updates nobody showed us, its own word must do.
  gateFor(account: string, call: AnsweringCall, now: number, windowMs: number): Gate {
    const memory = this.#accounts.get(account);
    if (memory === undefined || (call.gate !== 'broadcast' && call.gate !== 'reply')) {
      return call.gate;
    }
    const chat = memory.chats.get(call.chat);
    if (chat !== undefined && now - chat.wroteAt <= windowMs) return 'reply';
    return answered(memory, call) === undefined ? 'broadcast' : 'reply';
  }

  // null: nothing speaks for another class than the usual one.
  priorityFor(account: string, call: AnsweringCall, now: number): 'high' | null {
    const memory = this.#accounts.get(account);
    if (memory === undefined || call.family !== 'send') return null;
    if (replyTarget(call) !== null) {
      return answered(memory, call) === 'addressed' ? 'high' : null;
    }
    const chat = memory.chats.get(call.chat);
    return chat !== undefined && now - chat.addressedAt <= ANSWER_MS_MAX ? 'high' : null;
  }

  #memoryOf(account: string): Memory {
    let memory = this.#accounts.get(account);
    if (memory === undefined) {
      memory = { username: null, chats: new Map(), messages: new Map() };
      this.#accounts.set(account, memory);
    }
    return memory;
  }
}

// The message it replies to, if that came in.
function answered(memory: Memory, call: AnsweringCall): Voice | undefined {
  const target = replyTarget(call);
  return target === null ? undefined : memory.messages.get(`${call.chat}/${target}`);
}

// Parameters come typed (JSON) or as text (query, form). What quotes a message of another chat answers nobody here.
function replyTarget({ params, chat }: AnsweringCall): string | null {
  const { reply_parameters: reply, reply_to_message_id: old } = params;
  const fields = typeof reply === 'string' ? parsed(reply) : reply;
  if (typeof fields !== 'object' || fields === null || !('message_id' in fields)) {
    return wholeOf(old);
  }
  const isElsewhere = 'chat_id' in fields && String(fields.chat_id) !== chat;
  return isElsewhere ? null : wholeOf(fields.message_id);
}

function wholeOf(value: unknown): string | null {
  const isWhole = typeof value === 'string' ? /^\d+$/.test(value) : Number.isSafeInteger(value);
  return isWhole && Number(value) > 0 ? String(Number(value)) : null;
}

function parsed(text: string): unknown {
  return jsonOrUndefined(text) ?? null;
}

function forgetOldest(map: Map<string, unknown>): void {
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
