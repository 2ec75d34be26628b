// What the simulated Telegram offers to those who call it, play with it and check it.

import type { SimCall, SimModel, SimPeople, SimVerdict } from '../model.ts';
import type { SimParams } from '../params.ts';
import type { Update } from './bots.ts';
import type { ChatState } from './chats.ts';
import type { StoredMessage } from './messages.ts';

// An album that broke took effect in part.
export interface JudgedCall extends SimCall {
  readonly thread: string | null;
  readonly cause: 'flood' | 'forced' | 'restart' | 'active' | 'webhook' | null;
  // Of the call; `messageIds` are those that were made or changed.
  readonly cost: number;
  readonly messageIds: readonly number[];
  readonly text: string;
}

export interface Injected {
  readonly update: Update;
  // Numbered by time: the simulator counts anew after every start, and who keeps updates remembers.
  readonly posted: Update;
  readonly messageId: number;
}

export interface TelegramModel extends SimModel<JudgedCall>, SimPeople {
  call(token: string, method: string, params: SimParams, now: number): SimVerdict<JudgedCall>;
  // Someone wrote to the bot: for a while messages there are answers.
  userWrote(token: string, chat: string, now: number): void;
  // An incoming message of a user, as getUpdates will tell it.
  inject(token: string, chat: string, text: string, now: number): Injected;
  // Someone pressed the button with this data under a message of the bot.
  press(token: string, chat: string, messageId: number, data: string): void;
  setChat(chat: string, state: ChatState): void;
  // Before its first call: a channel; a supergroup without topics.
  setChannel(chat: string): void;
  setPlain(chat: string): void;
  // Refuses the chat for so long, for no fault of the bot's.
  freeze(token: string, chat: string, seconds: number, now: number): void;
  revoke(token: string): void;
  messagesOf(chat: string): StoredMessage[];
  // The newest message of each chat of each bot, the newest first.
  newestByChat(max: number): StoredMessage[];
  // Calls back at each update of the bot; returns how to stop.
  onUpdate(token: string, run: () => void): () => void;
}
