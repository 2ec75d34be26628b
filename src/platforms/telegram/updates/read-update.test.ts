import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { namesSomeone, readUpdate } from './read-update.ts';

const BOT = { id: '42', username: 'Helper_Bot' };

function message(changes: object = {}) {
  const from = { id: 7, is_bot: false };
  const chat = { id: -100, type: 'supergroup' };
  return {
    update_id: 1,
    message: { message_id: 5, from, chat, date: 90, text: 'hello', ...changes },
  };
}

function entity(type: string, text: string, part: string, extra: object = {}) {
  return { text, entities: [{ type, offset: text.indexOf(part), length: part.length, ...extra }] };
}

const voiceOf = (update: unknown, bot: Parameters<typeof readUpdate>[1] = BOT) =>
  readUpdate(update, bot)?.voice;

describe('what an update says', () => {
  test('a message: where, which, when, and that someone wrote', () => {
    expect(readUpdate(message(), BOT)).toEqual({
      id: '1',
      order: 1,
      chat: '-100',
      messageId: '5',
      voice: 'wrote',
      user: '7',
      saidAt: 90_000,
    });
  });

  test('what people call the chat: a title, or the person’s name', () => {
    const name = (update: unknown) => readUpdate(update, BOT)!.chatName;
    expect(name(message({ chat: { id: -100, title: 'News' } }))).toBe('News');
    expect(name(message({ chat: { id: 7, first_name: 'Ada', last_name: 'L.' } }))).toBe('Ada L.');
    expect(name({ update_id: 1, inline_query: { from: { id: 7, username: 'ada' } } })).toBe('@ada');
    expect(name(message())).toBeUndefined();
    expect(name(message({ chat: { id: -100, title: 7 } }))).toBeUndefined();
  });

  test('of a business account it is in a chat of that connection', () => {
    const { chat } = readUpdate(message({ business_connection_id: 'A' }), BOT)!;
    expect(chat).toBe(`business:A:${readUpdate(message({}), BOT)!.chat}`);
  });

  test.each([
    ['a mention, in any case', entity('mention', 'hi @helper_BOT!', '@helper_BOT')],
    ['a mention behind an emoji', entity('mention', '🙂🙂 @helper_bot', '@helper_bot')],
    ['a mention by id', entity('text_mention', 'hi you', 'you', { user: { id: 42 } })],
    ['a command', entity('bot_command', '/start', '/start')],
    ['a command with its name', entity('bot_command', '/start@helper_bot', '/start@helper_bot')],
    ['a reply to it', { reply_to_message: { message_id: 4, from: { id: 42 } } }],
    [
      'a mention under a photo',
      {
        text: undefined,
        caption: '@helper_bot',
        caption_entities: [{ type: 'mention', offset: 0, length: 11 }],
      },
    ],
  ])('%s means the bot', (_name, changes) => {
    expect(voiceOf(message(changes))).toBe('addressed');
  });

  test.each([
    ['a mention of another', entity('mention', 'hi @helper', '@helper')],
    ['another user by id', entity('text_mention', 'hi you', 'you', { user: { id: 43 } })],
    ['a command for another bot', entity('bot_command', '/start@other_bot', '/start@other_bot')],
    ['a reply to a person', { reply_to_message: { message_id: 4, from: { id: 9 } } }],
    ['the name without an entity', { text: 'ask @helper_bot' }],
  ])('%s does not', (_name, changes) => {
    expect(voiceOf(message(changes))).toBe('wrote');
  });

  test('as long as the bot has no name, a command may be for it, a mention may not', () => {
    const nameless = { id: '42', username: null };
    const mention = message(entity('mention', '@helper_bot', '@helper_bot'));
    expect(voiceOf(mention, nameless)).toBe('wrote');
    expect(namesSomeone(mention)).toBe(true);
    expect(namesSomeone(message())).toBe(false);
    expect(voiceOf(message(entity('bot_command', '/a@b', '/a@b')), nameless)).toBe('addressed');
  });

  test('a press on a button is of the chat of its message, and somebody waits', () => {
    const callback_query = { id: 'q', from: { id: 7 }, message: message().message, data: 'x' };
    expect(readUpdate({ update_id: 2, callback_query }, BOT)).toMatchObject({
      chat: '-100',
      voice: 'addressed',
      // The message is the bot's own, and old.
      saidAt: null,
    });
  });

  test('without a chat it belongs to the person', () => {
    const inline_query = { id: 'q', from: { id: 7 }, query: 'x' };
    expect(readUpdate({ update_id: 2, inline_query }, BOT)).toMatchObject({ chat: '7' });
  });

  test('a post in a channel is no word to the bot, and future kinds are none either', () => {
    const { message: post } = message();
    for (const kind of ['channel_post', 'my_chat_member', 'unheard_of']) {
      expect(readUpdate({ update_id: 2, [kind]: post }, BOT)).toMatchObject({
        chat: '-100',
        voice: 'none',
      });
    }
    expect(voiceOf({ update_id: 2, poll: { id: 'p' } })).toBe('none');
  });

  test('whatever comes is read or refused, never thrown at', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (content, value) => {
        readUpdate(value, BOT);
        namesSomeone(value);
        const read = readUpdate({ update_id: 3, message: content }, BOT);
        expect(read).toMatchObject({ id: '3', order: 3 });
      }),
    );
    for (const wrong of [null, [], 'x', {}, { update_id: '3' }, { update_id: 1.5 }]) {
      expect(readUpdate(wrong, BOT)).toBeNull();
    }
  });
});
