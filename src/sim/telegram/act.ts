// What a method comes to before flood control has spoken: refused on the spot (nothing is spent), or an act
// with its charge. `backend` is a refusal that only Telegram's core can know: it spends like a success does.

import { flagOf, intOf, objectOf, type SimParams, textOf } from '../params.ts';
import { badRequest, type SimRefusal } from './answers.ts';
import { argOf } from './args.ts';
import type { Bot } from './bots.ts';
import { type ChatState, chatIdOf, kindOf, refusalOf, type SimChat } from './chats.ts';
import type { Bucket, SimCharge } from './flood.ts';
import type { Messages } from './messages.ts';

export interface Scene {
  readonly bot: Bot;
  readonly params: SimParams;
  readonly now: number;
  readonly messages: Messages;
  readonly channels: ReadonlySet<string>;
  readonly replyWindowMs: number;
  stateOf(chat: string): ChatState;
}

export interface Act {
  readonly kind: 'act';
  readonly chat: SimChat | null;
  readonly thread: string | null;
  readonly charge: SimCharge | null;
  readonly backend: SimRefusal | null;
  // The text a reader would see, for the log.
  readonly text: string;
  // Albums: which item the core will choke on (1-based); 0: none.
  readonly brokenItem: number;
  // Makes `count` of its messages real; `at` is when they are.
  run(at: number, count: number): Done;
}

export interface Done {
  readonly result: unknown;
  readonly messageIds: readonly number[];
}

export type Planned = Act | Refused;

export interface Refused {
  readonly kind: 'refused';
  readonly refusal: SimRefusal;
}

export function no(refusal: SimRefusal): Refused {
  return { kind: 'refused', refusal };
}

export function act(part: Partial<Act> & Pick<Act, 'run'>): Act {
  return {
    kind: 'act',
    chat: null,
    thread: null,
    charge: null,
    backend: null,
    text: '',
    brokenItem: 0,
    ...part,
  };
}

export function answers(result: unknown): Act {
  return act({ run: () => ({ result, messageIds: [] }) });
}

// The chat a call names, or why there is none. A chat that is only closed to the bot is the core's refusal.
export function target(
  scene: Scene,
): { kind: 'chat'; chat: SimChat; backend: SimRefusal | null } | Refused {
  const id = chatIdOf(scene.params);
  if (id === null) {
    const isEmpty = argOf(scene.params, 'chat_id') === '';
    if (textOf(scene.params, 'business_connection_id') !== '') {
      const what = isEmpty ? 'is empty' : 'must be a valid Integer';
      return no(badRequest(`chat identifier ${what}`));
    }
    return no(badRequest(isEmpty ? 'chat_id is empty' : 'chat not found'));
  }
  const state = scene.stateOf(id);
  const kind = kindOf(id, scene.channels);
  const refusal = refusalOf(state, kind);
  if (state.kind === 'missing') return no(refusal!);
  // In another person's name: the same id is another chat there.
  const connection = textOf(scene.params, 'business_connection_id');
  const own = connection === '' ? id : `${connection}:${id}`;
  return { kind: 'chat', chat: scene.bot.chat(own, kind), backend: refusal };
}

export function charge(scene: Scene, chat: SimChat, bucket: Bucket, cost: number): SimCharge {
  if (bucket !== 'message') return { bucket, cost, budget: 'none' };
  if (flagOf(scene.params, 'allow_paid_broadcast')) return { bucket, cost, budget: 'paid' };
  const isAnswer = scene.now - chat.wroteAt <= scene.replyWindowMs;
  return { bucket, cost, budget: isAnswer ? 'none' : 'broadcast' };
}

export function threadOf(params: SimParams): string | null {
  const thread = intOf(params, 'message_thread_id');
  return thread === null || thread === 0 ? null : String(thread);
}

export function isThere(scene: Scene, chat: SimChat, messageId: number): boolean {
  if (messageId < 1 || messageId > chat.lastMessageId) return false;
  return scene.messages.get(scene.bot.id, chat.id, messageId)?.isDeleted !== true;
}

// What the core says about where a message would stand: its thread and what it replies to.
export function misplaced(scene: Scene, chat: SimChat): SimRefusal | null {
  const { params } = scene;
  const thread = threadOf(params);
  const hasTopics = chat.kind === 'supergroup' || chat.kind === 'private';
  if (thread !== null) {
    const isGone = scene.stateOf(`${chat.id}#${thread}`).kind === 'missing';
    if (!hasTopics || isGone) return badRequest('message thread not found');
  }
  const reply = objectOf(params, 'reply_parameters');
  const replyTo = intOf(reply, 'message_id') ?? intOf(params, 'reply_to_message_id');
  const isOptional =
    flagOf(reply, 'allow_sending_without_reply') || flagOf(params, 'allow_sending_without_reply');
  if (replyTo !== null && replyTo !== 0 && !isOptional && !isThere(scene, chat, replyTo)) {
    return badRequest('message to be replied not found');
  }
  return null;
}
