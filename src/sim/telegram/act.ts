// What a method comes to before flood control has spoken: refused on the spot (nothing is spent), or an act
// with its charge. `backend` is a refusal that only Telegram's core can know: it spends like a success does.

import { flagOf, intOf, objectOf, type SimParams, textOf } from '../params.ts';
import { badRequest, type SimRefusal } from './answers.ts';
import { argOf } from './args.ts';
import type { Bot } from './bots.ts';
import { type ChatState, chatIdOf, refusalOf, type SaidOfChats, type SimChat } from './chats.ts';
import type { Bucket, SimCharge } from './flood.ts';
import type { Messages } from './messages.ts';

export interface Scene {
  readonly bot: Bot;
  readonly params: SimParams;
  readonly now: number;
  readonly messages: Messages;
  readonly said: SaidOfChats;
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
  if (state.kind === 'missing') return no(badRequest('chat not found'));
  // In another person's name: the same id is another chat there.
  const connection = textOf(scene.params, 'business_connection_id');
  const own = connection === '' ? id : `${connection}:${id}`;
  const chat = scene.bot.chat(own, scene.said, id);
  return { kind: 'chat', chat, backend: refusalOf(state, chat.kind) };
}

export function charge(scene: Scene, chat: SimChat, bucket: Bucket, cost: number): SimCharge {
  if (bucket !== 'message') return { bucket, cost, budget: 'none' };
  if (flagOf(scene.params, 'allow_paid_broadcast')) return { bucket, cost, budget: 'paid' };
  const isAnswer = scene.now - chat.wroteAt <= scene.replyWindowMs;
  return { bucket, cost, budget: isAnswer ? 'none' : 'broadcast' };
}

// The number of a topic that a call names; 0 for what is no number or below it, which counts as none.
export function namedTopic(params: SimParams): number {
  return Number(/^\d{1,10}/.exec(argOf(params, 'message_thread_id'))?.[0] ?? 0);
}

// The topic that a message stands in. Where there are none (groups, supergroups that are no forum, channels) and in
// another person's name the number is ignored: `check_message_topic` in the server's Client.cpp, version 10.0.
export function topicOf(scene: Scene, chat: SimChat): string | null {
  const topic = namedTopic(scene.params);
  const isBusiness = textOf(scene.params, 'business_connection_id') !== '';
  const hasTopics = chat.isForum || chat.kind === 'private';
  return topic === 0 || isBusiness || !hasTopics ? null : String(topic);
}

export function isThere(scene: Scene, chat: SimChat, messageId: number): boolean {
  if (messageId < 1 || messageId > chat.lastMessageId) return false;
  return scene.messages.get(scene.bot.id, chat.id, messageId)?.isDeleted !== true;
}

const GENERAL = '1';

function isTopicGone(scene: Scene, chat: SimChat, topic: string): boolean {
  return scene.stateOf(`${chat.id}#${topic}`).kind === 'missing';
}

// What the core says about where a message would stand: its thread and what it replies to.
export function misplaced(scene: Scene, chat: SimChat): SimRefusal | null {
  const { params } = scene;
  const topic = topicOf(scene, chat);
  // General has a number too, but a message for it must name none.
  const isGeneral = chat.isForum && topic === GENERAL;
  if (isGeneral || (topic !== null && isTopicGone(scene, chat, topic))) {
    return badRequest('message thread not found');
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
