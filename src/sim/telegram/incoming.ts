// A message of a person to a bot, and a press on a button under one of its messages, as getUpdates tells them.

import type { Bot } from './bots.ts';
import { chatView, type SimChat } from './chats.ts';
import type { StoredMessage } from './messages.ts';

export function incoming(
  bot: Bot,
  chat: SimChat,
  text: string,
  now: number,
): { stored: StoredMessage; view: Record<string, unknown> } {
  const id = ++chat.lastMessageId;
  const date = Math.floor(now / 1000);
  const from = personIn(chat);
  return {
    stored: {
      bot: bot.id,
      chat: chat.id,
      thread: null,
      id,
      date,
      fromBot: false,
      text,
      entities: [],
      content: text,
      isDeleted: false,
    },
    view: { message_id: id, from, chat: chatView(chat), date, text, ...entitiesOf(text) },
  };
}

export function pressed(
  bot: Bot,
  chat: SimChat,
  under: StoredMessage,
  data: string,
): Record<string, unknown> {
  const { id: message_id, date, text } = under;
  const message = { message_id, from: bot.view, chat: chatView(chat), date, text };
  const id = `${chat.id}-${message_id}-${data}`;
  return { id, from: personIn(chat), message, chat_instance: chat.id, data };
}

function personIn(chat: SimChat) {
  const id = chat.kind === 'private' ? Number(chat.id) : 1;
  return { id, is_bot: false, first_name: `User ${id}` };
}

// Commands and mentions are marked; a message without any carries no list.
function entitiesOf(text: string): { entities?: object[] } {
  const entities = Array.from(text.matchAll(/(?<![\w@/])[/@]\w+(?:@\w+)?/g), (match) => ({
    type: match[0].startsWith('/') ? 'bot_command' : 'mention',
    offset: match.index,
    length: match[0].length,
  }));
  return entities.length === 0 ? {} : { entities };
}
