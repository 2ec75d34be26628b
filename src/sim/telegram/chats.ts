// Chats as the simulated Telegram knows them. Every chat exists until someone says otherwise, and its kind
// is read from its id, so a stranger's first message works without any setting up.

import { type SimParams, textOf } from '../params.ts';
import { badRequest, forbidden, migrated, type SimRefusal } from './answers.ts';
import type { ChatFlood } from './flood.ts';

export type ChatKind = 'private' | 'group' | 'supergroup' | 'channel';

export type ChatState =
  | { kind: 'open' }
  | { kind: 'blocked' }
  | { kind: 'deactivated' }
  | { kind: 'kicked' }
  | { kind: 'missing' }
  | { kind: 'deleted' }
  | { kind: 'migrated'; to: string };

// One chat of one bot.
export interface SimChat {
  readonly id: string;
  readonly kind: ChatKind;
  // A supergroup with topics.
  readonly isForum: boolean;
  readonly flood: ChatFlood;
  lastMessageId: number;
  // When someone last wrote to the bot there.
  wroteAt: number;
}

// null: not something Telegram takes for a chat.
export function chatIdOf(params: SimParams): string | null {
  const id = textOf(params, 'chat_id').trim();
  return /^-?\d{1,15}$/.test(id) || /^@[A-Za-z]\w{3,31}$/.test(id) ? id : null;
}

// Ids of the form -100… are supergroups or channels; the id alone does not tell which, nor whether there are topics.
const SUPERGROUP = /^-100\d{9,}$/;

// What somebody said of chats: who is in neither is a forum, if a supergroup at all.
export interface SaidOfChats {
  readonly channels: ReadonlySet<string>;
  readonly plain: ReadonlySet<string>;
}

export function kindOf(id: string, { channels }: SaidOfChats): ChatKind {
  if (channels.has(id) || id.startsWith('@')) return 'channel';
  if (SUPERGROUP.test(id)) return 'supergroup';
  return id.startsWith('-') ? 'group' : 'private';
}

export function refusalOf(state: ChatState, kind: ChatKind): SimRefusal | null {
  switch (state.kind) {
    case 'open':
      return null;
    case 'missing':
      return badRequest('chat not found');
    case 'blocked':
      return forbidden('bot was blocked by the user');
    case 'deactivated':
      return forbidden('user is deactivated');
    case 'kicked':
      return forbidden(`bot was kicked from the ${kind} chat`);
    case 'deleted':
      return forbidden('the group chat was deleted');
    case 'migrated':
      return migrated(state.to);
  }
}

export function chatView(chat: SimChat): Record<string, unknown> {
  const own = chat.id.slice(chat.id.lastIndexOf(':') + 1);
  const id = own.startsWith('@') ? -1_000_000_000_000 - own.length : Number(own);
  if (chat.kind === 'private') return { id, first_name: `User ${chat.id}`, type: 'private' };
  const username = chat.id.startsWith('@') ? { username: chat.id.slice(1) } : {};
  const forum = chat.isForum ? { is_forum: true } : {};
  return { id, title: `Chat ${chat.id}`, ...username, type: chat.kind, ...forum };
}
