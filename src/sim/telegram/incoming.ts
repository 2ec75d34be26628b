// A message of a person to a bot, as the bot's getUpdates tells it.

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
  const user = chat.kind === 'private' ? Number(chat.id) : 1;
  const from = { id: user, is_bot: false, first_name: `User ${user}` };
  return {
    stored: {
      bot: bot.id,
      chat: chat.id,
      thread: null,
      id,
      date,
      fromBot: false,
      text,
      content: text,
      isDeleted: false,
    },
    view: { message_id: id, from, chat: chatView(chat), date, text, ...entitiesOf(text) },
  };
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
