// What the official server refuses before or instead of the core, in its words; and what it takes without a word.

import { describe, expect, test } from 'vitest';
import { systemClock } from '../../system/clock.ts';
import { createTelegramModel } from './model.ts';
import { TelegramServing } from './serving.ts';

const TOKEN = '42:sandbox';
const T0 = 1_700_000_000_000;
const GROUP = '-1001234567890';

function ask(method: string, params: Record<string, unknown>) {
  const model = createTelegramModel({});
  model.call(TOKEN, 'sendMessage', { chat_id: 7, text: 'first' }, T0);
  return JSON.parse(model.call(TOKEN, method, params, T0 + 5000).answer.body);
}

const button = (inline_keyboard: unknown) => ({
  chat_id: 7,
  text: 'x',
  reply_markup: { inline_keyboard },
});
const album = (...media: unknown[]) => ({ chat_id: 7, media });

describe('refused as the official server refuses it', () => {
  test.each<[string, Record<string, unknown>, string]>([
    // The content is looked at before the chat.
    ['sendMessage', {}, 'message text is empty'],
    ['sendMessage', { text: 'x' }, 'chat_id is empty'],
    ['sendMessage', { chat_id: 7, text: ' \n ' }, 'text must be non-empty'],
    ['sendMessage', { chat_id: 7, text: 'x', parse_mode: 'bbcode' }, 'unsupported parse_mode'],
    ['sendMessage', { chat_id: 7, text: 'x', parse_mode: null }, 'unsupported parse_mode'],
    [
      'sendMessage',
      { chat_id: 'x', business_connection_id: 'b', text: 'x' },
      'chat identifier must be a valid Integer',
    ],
    [
      'sendMessage',
      { chat_id: 7, text: 'x', entities: [{ type: 'bold', offset: 0 }] },
      `can't parse MessageEntity: Can't find field "length"`,
    ],
    [
      'sendMessage',
      { chat_id: 7, text: 'x', entities: [{ type: 'loud', offset: 0, length: 1 }] },
      `can't parse MessageEntity: Unsupported type specified`,
    ],
    [
      'sendMessage',
      { chat_id: 7, text: 'x', entities: [{ type: 'bold', offset: 0, length: 2 }] },
      'entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 2',
    ],
    [
      'sendMessage',
      { chat_id: 7, text: 'x', reply_markup: null },
      'object expected as reply markup',
    ],
    [
      'sendMessage',
      { chat_id: 7, text: 'x', reply_markup: '{' },
      "can't parse reply keyboard markup JSON object",
    ],
    ['sendMessage', button({}), 'field "inline_keyboard" must be of type Array'],
    [
      'sendMessage',
      button([{}]),
      'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays',
    ],
    [
      'sendMessage',
      button([[{ text: 'a' }]]),
      "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
    ],
    [
      'sendMessage',
      button([[{ text: 'a', url: null }]]),
      `can't parse inline keyboard button: Field "url" must be of type String`,
    ],
    [
      'sendMessage',
      { chat_id: 7, text: 'x', reply_markup: { keyboard: [[5]] } },
      "can't parse keyboard button: KeyboardButton must be a String or an Object",
    ],
    [
      'sendMessage',
      { chat_id: 7, text: 'x', reply_parameters: { quote: 'a' } },
      `can't find field "message_id"`,
    ],
    [
      'sendMessage',
      { chat_id: 7, text: 'x', reply_parameters: [1] },
      'object expected as reply parameters',
    ],
    [
      'sendMessage',
      { chat_id: 7, text: 'x', link_preview_options: { is_disabled: 'yes' } },
      'field "is_disabled" must be of type Boolean',
    ],
    ['sendPhoto', { chat_id: 7, photo: 'two words' }, 'wrong file identifier/HTTP URL specified'],
    ['sendMediaGroup', { chat_id: 7 }, 'parameter "media" is required'],
    ['sendMediaGroup', { chat_id: 7, media: '{' }, "can't parse media JSON object"],
    ['sendMediaGroup', { chat_id: 7, media: {} }, 'expected an Array of InputMedia'],
    ['sendMediaGroup', album(), 'there are no messages to send'],
    ['sendMediaGroup', album(1), "can't parse InputMedia: expected an Object"],
    ['sendMediaGroup', album({ media: 'a' }), `can't parse InputMedia: Can't find field "type"`],
    [
      'sendMediaGroup',
      album({ type: 'photo', media: '' }),
      "can't parse InputMedia: media not found",
    ],
    [
      'sendMediaGroup',
      album({ type: 'animation', media: 'a' }),
      `can't parse InputMedia: type "animation" can't be used in sendMediaGroup`,
    ],
    [
      'sendMediaGroup',
      album({ type: 'x', media: 'a' }),
      `can't parse InputMedia: type "x" is unsupported`,
    ],
    ['sendPaidMedia', { chat_id: 7 }, 'parameter "media" is required'],
    ['sendLocation', { chat_id: 7, latitude: 1 }, 'longitude is empty'],
    ['sendContact', { chat_id: 7, phone_number: '1' }, 'parameter "first_name" is required'],
    ['sendGame', { chat_id: 7 }, 'parameter "game_short_name" is required'],
    ['sendInvoice', { chat_id: 7, title: 'a' }, 'parameter "description" is required'],
    ['sendPoll', { chat_id: 7, question: 'a' }, "can't parse options JSON object"],
    [
      'sendPoll',
      { chat_id: 7, question: 'a', options: [1] },
      'expected an option to be of type String',
    ],
    ['sendChatAction', { chat_id: 7, action: 'dance' }, 'wrong parameter action in request'],
    ['copyMessage', { chat_id: 7, message_id: 1 }, 'parameter "from_chat_id" is required'],
    ['forwardMessages', { chat_id: 7, from_chat_id: 7 }, 'message identifiers are not specified'],
    [
      'forwardMessages',
      { chat_id: 7, from_chat_id: 7, message_ids: Array.from({ length: 101 }, (_, i) => i + 1) },
      'too many message identifiers specified',
    ],
    ['deleteMessages', { chat_id: 7, message_ids: [0] }, 'invalid message identifier specified'],
    ['deleteMessage', { message_id: 1 }, 'chat identifier is not specified'],
    ['deleteMessage', { chat_id: 7 }, 'message identifier is not specified'],
    ['editMessageText', { text: 'x' }, 'message identifier is not specified'],
    ['editMessageText', { chat_id: 7, text: 'x' }, 'message to edit not found'],
    ['editMessageText', { chat_id: 7, message_id: 1, text: '' }, 'message text is empty'],
    ['editMessageMedia', { chat_id: 7, message_id: 1 }, 'parameter "media" is required'],
    ['pinChatMessage', { chat_id: 7 }, 'message to pin not found'],
    ['unpinChatMessage', { chat_id: 7, message_id: 9 }, 'message to unpin not found'],
    [
      'setMessageReaction',
      { chat_id: 7, message_id: 1, reaction: [{ type: 'nod' }] },
      "can't parse ReactionType: invalid reaction type specified",
    ],
    ['setChatPhoto', { chat_id: GROUP, photo: 'an-id' }, 'photo must be uploaded as an InputFile'],
    ['setChatTitle', { chat_id: GROUP }, 'title must be non-empty'],
    ['createForumTopic', { chat_id: GROUP }, 'name must be non-empty'],
    ['getFile', {}, 'file_id not specified'],
    ['getFile', { file_id: 'a b' }, 'invalid file_id'],
  ])('%s %j', (method, params, words) => {
    expect(ask(method, params)).toEqual({
      ok: false,
      error_code: 400,
      description: `Bad Request: ${words}`,
    });
  });
});

describe('taken as the official server takes it', () => {
  test.each<[string, Record<string, unknown>]>([
    ['sendMessage', { chat_id: 7, text: 'x', colour: 'red', nonsense: [1] }],
    ['sendMessage', { chat_id: '7', text: 5 }],
    ['sendMessage', { chat_id: 7, text: 'x', reply_parameters: {} }],
    ['sendMessage', { chat_id: 7, text: 'x', reply_parameters: '' }],
    ['sendMessage', { chat_id: 7, text: 'x', reply_markup: {} }],
    ['sendMessage', { chat_id: 7, text: 'x', message_thread_id: 'none' }],
    ['sendMessage', { chat_id: 7, text: 'x', entities: 'no JSON' }],
    ['unpinChatMessage', { chat_id: 7 }],
  ])('%s %j', (method, params) => {
    expect(ask(method, params).ok).toBe(true);
  });

  test('a parse mode counts before entities, and entities are told', () => {
    const entities = [{ type: 'italic', offset: 0, length: 1 }];
    const params = { chat_id: 7, text: '<b>x</b>', parse_mode: 'HTML', entities };
    expect(ask('sendMessage', params).result).toMatchObject({
      text: 'x',
      entities: [{ type: 'bold', offset: 0, length: 1 }],
    });
  });

  test('of a name that comes twice the first counts, the query before the body', () => {
    const serving = new TelegramServing(createTelegramModel({}), systemClock());
    const said = (url: string, params: Record<string, unknown>) => {
      const asked = serving.receive({ url: `/bot${TOKEN}/${url}`, headers: {}, params } as never);
      if (asked.kind !== 'call') throw new Error('not a call');
      return JSON.parse(asked.judge(T0).answer.body);
    };
    const sent = said('sendMessage?chat_id=7&text=a&text=b', { text: 'c' });
    expect(sent.result.text).toBe('a');
    const photo = said('sendPhoto?chat_id=8&photo=', { photo: 'file:a.png:77' });
    expect(photo.result.photo[0].file_size).toBe(77);
    serving.close();
  });
});

describe('markup as the core reads it', () => {
  const read = (text: string, parse_mode: string) =>
    ask('sendMessage', { chat_id: 8, text, parse_mode });
  const marks = (text: string, mode: string) =>
    (read(text, mode).result.entities ?? []).map(
      (e: Record<string, unknown>) => `${e.type} ${e.offset}+${e.length}`,
    );

  test.each([
    ['<b>a</b><b>b</b>', ['bold 0+2']],
    ['<b>a<i>b</i>c</b>', ['bold 0+1', 'bold 1+2', 'italic 1+1']],
    ['<b>a<code>b</code>c</b>', ['bold 0+1', 'code 1+1', 'bold 2+1']],
    ['<b>a <a href="x.org">b</a></b>', ['bold 0+2', 'text_link 2+1', 'bold 2+1']],
    ['<pre><code class="language-ts">x</code></pre>', ['pre 0+1']],
    ['<a href="nowhere">x</a>', []],
    ['<blockquote><code>x</code></blockquote>', ['blockquote 0+1', 'code 0+1']],
  ])('HTML %s', (text, entities) => {
    expect(marks(text, 'HTML')).toEqual(entities);
  });

  test.each([
    ['*a _b_* c', ['bold 0+2', 'bold 2+1', 'italic 2+1']],
    ['>a\n>b||\nc', ['expandable_blockquote 0+4']],
    ['```ts\nx```', ['pre 0+1']],
    ['[x](http://a.org)', ['text_link 0+1']],
    ['`a*b`', ['code 0+3']],
  ])('MarkdownV2 %j', (text, entities) => {
    expect(marks(text, 'MarkdownV2')).toEqual(entities);
  });

  test.each([
    ['HTML', '<b', 'Unclosed start tag at byte offset 0'],
    ['HTML', 'é<u x', 'Unclosed start tag "u" at byte offset 2'],
    ['HTML', '<a ="x">', 'Empty attribute name in the tag "a" at byte offset 0'],
    [
      'HTML',
      '<span class="x">a</span>',
      'Tag "span" must have class "tg-spoiler" at byte offset 0',
    ],
    ['HTML', '<b>a</b', 'Unclosed end tag at byte offset 4'],
    ['MarkdownV2', '[a](b', "Can't find end of a URL at byte offset 4"],
    ['MarkdownV2', '[a', "Can't find end of TextUrl entity at byte offset 0"],
    [
      'MarkdownV2',
      'a > b',
      "Character '>' is reserved and must be escaped with the preceding '\\'",
    ],
  ])('%s %s is refused', (mode, text, words) => {
    expect(read(text, mode).description).toBe(`Bad Request: can't parse entities: ${words}`);
  });
});

// Client.cpp of the official server (10.0): `check_message_topic`, and `is_forum` of TDLib's ForumTopicManager.
describe('topics', () => {
  const FORUM = -1001234567890;
  const PLAIN = -1001234567891;
  const CHANNEL = -1001234567892;

  function chats() {
    const model = createTelegramModel({});
    model.setPlain(String(PLAIN));
    model.setChannel(String(CHANNEL));
    model.setChat(`${FORUM}#9`, { kind: 'missing' });
    model.setChat('7#9', { kind: 'missing' });
    let now = 0;
    return (method: string, params: Record<string, unknown>) => {
      now += 60_000;
      return JSON.parse(model.call(TOKEN, method, params, now).answer.body);
    };
  }

  const about = (said: { ok: boolean; result?: Record<string, unknown>; description?: string }) =>
    said.ok ? (said.result?.message_thread_id ?? 'no topic') : said.description;

  test.each<[string, number, unknown, unknown]>([
    ['a forum', FORUM, 5, 5],
    ['a forum, of which General has a number', FORUM, 1, 'Bad Request: message thread not found'],
    ['a forum without that topic', FORUM, 9, 'Bad Request: message thread not found'],
    ['a forum', FORUM, -5, 'no topic'],
    ['a forum', FORUM, 'none', 'no topic'],
    ['a forum', FORUM, '5x', 5],
    ['a supergroup', PLAIN, 5, 'no topic'],
    ['a supergroup', PLAIN, 1, 'no topic'],
    ['a group', -5, 5, 'no topic'],
    ['a channel', CHANNEL, 5, 'no topic'],
    ['a private chat', 7, 5, 5],
    ['a private chat without that topic', 7, 9, 'Bad Request: message thread not found'],
  ])('a message to %s (%j) with topic %j: %j', (_, chat_id, message_thread_id, want) => {
    const ask = chats();
    const place = { chat_id, message_thread_id };
    expect(about(ask('sendMessage', { ...place, text: 'x' }))).toBe(want);
    const media = [{ type: 'photo', media: 'https://pictures.example/1.jpg' }];
    const album = ask('sendMediaGroup', { ...place, media });
    expect(about(album.ok ? { ok: true, result: album.result[0] } : album)).toBe(want);
  });

  test('in another person’s name no topic counts', () => {
    const business = { chat_id: 7, business_connection_id: 'b', message_thread_id: 9 };
    expect(about(chats()('sendMessage', { ...business, text: 'x' }))).toBe('no topic');
  });

  // https://github.com/tdlib/telegram-bot-api/issues/732: a topic that is gone is not noticed.
  test.each<[number, number, unknown]>([
    [FORUM, 1, true],
    [FORUM, 9, true],
    [PLAIN, 5, true],
    [7, 5, true],
    [-5, 5, 'Bad Request: chat is not a forum'],
    [CHANNEL, 5, 'Bad Request: chat is not a forum'],
  ])('typing in %j with topic %j: %j', (chat_id, message_thread_id, want) => {
    const said = chats()('sendChatAction', { chat_id, message_thread_id, action: 'typing' });
    expect(said.result ?? said.description).toBe(want);
  });

  test.each<[string, number, number | undefined, unknown]>([
    ['editForumTopic', FORUM, 5, true],
    ['editForumTopic', FORUM, undefined, 'invalid forum topic identifier specified'],
    ['editForumTopic', 7, 5, true],
    ['editForumTopic', PLAIN, 5, 'the chat is not a forum'],
    ['closeForumTopic', FORUM, 5, true],
    ['closeForumTopic', 7, 5, 'the chat is not a supergroup forum'],
    ['closeForumTopic', -5, 5, 'the chat is not a forum'],
    ['hideGeneralForumTopic', FORUM, undefined, true],
    ['hideGeneralForumTopic', PLAIN, undefined, 'the chat is not a forum'],
    ['deleteForumTopic', FORUM, 5, true],
    ['deleteForumTopic', FORUM, undefined, 'invalid forum topic identifier specified'],
    ['deleteForumTopic', -5, 5, 'the chat is not a forum'],
  ])('%s of %j, topic %j: %j', (method, chat_id, message_thread_id, want) => {
    const said = chats()(method, { chat_id, message_thread_id, name: 'news' });
    expect(said.result ?? said.description.replace('Bad Request: ', '')).toBe(want);
  });

  test('a new topic never has the number of General, and messages find it', () => {
    const ask = chats();
    const { message_thread_id } = ask('createForumTopic', { chat_id: FORUM, name: 'news' }).result;
    expect(message_thread_id).toBeGreaterThan(1);
    const sent = ask('sendMessage', { chat_id: FORUM, message_thread_id, text: 'x' }).result;
    expect(sent).toMatchObject({ message_thread_id, is_topic_message: true });
    expect(sent.chat).toMatchObject({ type: 'supergroup', is_forum: true });
    expect(ask('getChat', { chat_id: PLAIN }).result).not.toHaveProperty('is_forum');
  });
});
