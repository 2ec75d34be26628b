// What a call is, where it goes and what it counts for, whichever way its parameters came.

import { expect, describe as group, test } from 'vitest';
import { address, describe } from './describe.ts';

const sendMessage = (params: object) => describe('sendMessage', { text: 'x', ...params });

group('the chat', () => {
  test.each([
    [1, '1'],
    ['1', '1'],
    [' -1001234567890 ', '-1001234567890'],
    ['007', '7'],
    ['@Some_Channel', '@some_channel'],
  ])('%j is %s', (chat_id, chat) => {
    expect(sendMessage({ chat_id })).toMatchObject({ kind: 'call', chat });
  });

  test.each([
    [undefined, 'Bad Request: chat_id is empty'],
    [null, 'Bad Request: chat_id is empty'],
    ['', 'Bad Request: chat_id is empty'],
    ['  ', 'Bad Request: chat_id is empty'],
    ['name', 'Bad Request: chat not found'],
    ['@', 'Bad Request: chat not found'],
    ['9'.repeat(30), 'Bad Request: chat not found'],
    [1.5, 'Bad Request: chat not found'],
    [0, 'Bad Request: chat not found'],
    [{}, 'Bad Request: chat not found'],
    [[1], 'Bad Request: chat not found'],
  ])('%j cannot be routed', (chat_id, detail) => {
    expect(sendMessage({ chat_id })).toEqual({ kind: 'invalid', detail });
  });

  test.each([
    [{ message_thread_id: 5 }, '5'],
    [{ message_thread_id: '5' }, '5'],
    [{ direct_messages_topic_id: 9 }, 'direct:9'],
    [{ message_thread_id: 0 }, null],
    [{}, null],
  ])('the thread of %j is %j', (params, thread) => {
    expect(sendMessage({ chat_id: 1, ...params })).toMatchObject({ thread });
  });

  test('a gift goes to the user’s private chat', () => {
    expect(describe('sendGift', { user_id: 5 })).toMatchObject({ family: 'send', chat: '5' });
    const premium = describe('giftPremiumSubscription', { user_id: 5 });
    expect(premium).toMatchObject({ family: 'send', chat: '5' });
  });

  test.each([
    ['web_app_query_id', 'answerWebAppQuery'],
    ['guest_query_id', 'answerGuestQuery'],
    ['chat_join_request_query_id', 'answerChatJoinRequestQuery'],
    ['pre_checkout_query_id', 'answerPreCheckoutQuery'],
  ])('of %s is whoever asked', (name, method) => {
    expect(describe(method, { [name]: 'q1' })).toMatchObject({ chat: 'query:q1' });
  });

  test('of a topic’s end is its lane, behind what waits there', () => {
    const place = { chat_id: -100, message_thread_id: 7 };
    expect(describe('closeForumTopic', place)).toMatchObject({ chat: '-100', thread: '7' });
    expect(describe('deleteForumTopic', place)).toMatchObject({ chat: '-100', thread: '7' });
  });

  test('of a business account is another than the bot’s own, for each connection', () => {
    const chats = [{}, { business_connection_id: 'A' }, { business_connection_id: 'B:%' }].map(
      (more) => sendMessage({ chat_id: 42, ...more }),
    );
    expect(chats).toMatchObject([
      { chat: '42' },
      { chat: 'business:A:42' },
      { chat: 'business:B%3A%25:42' },
    ]);
  });
});

group('the family', () => {
  test.each([
    ['sendmessage', 'sendMessage', 'send'],
    ['SENDPHOTO', 'sendPhoto', 'send'],
    ['createForumTopic', 'createForumTopic', 'send'],
    ['sendHologram', 'sendHologram', 'send'],
    ['summonMessage', 'summonMessage', 'send'],
    ['editMessageText', 'editMessageText', 'edit'],
    ['editEphemeralMessageText', 'editEphemeralMessageText', 'edit'],
    ['deleteMessages', 'deleteMessages', 'delete'],
    ['setmessagereaction', 'setMessageReaction', 'reaction'],
    ['sendChatAction', 'sendChatAction', 'typing'],
    ['sendRichMessageDraft', 'sendRichMessageDraft', 'draft'],
    ['answerCallbackQuery', 'answerCallbackQuery', 'free'],
    ['answerWebAppQuery', 'answerWebAppQuery', 'free'],
    ['answerGuestQuery', 'answerGuestQuery', 'free'],
    ['closeForumTopic', 'closeForumTopic', 'edit'],
    ['hideGeneralForumTopic', 'hideGeneralForumTopic', 'edit'],
    ['setChatTitle', 'setChatTitle', 'edit'],
    ['setChatPhoto', 'setChatPhoto', 'edit'],
    ['deleteForumTopic', 'deleteForumTopic', 'free'],
    ['leaveChat', 'leaveChat', 'free'],
    ['unpinAllChatMessages', 'unpinAllChatMessages', 'free'],
    ['deleteMessageReaction', 'deleteMessageReaction', 'reaction'],
    ['deleteAllMessageReactions', 'deleteAllMessageReactions', 'reaction'],
  ])('%s is %s, a call of family %s', (name, method, family) => {
    const params = { chat_id: 1, message_id: 2, callback_query_id: 'q' };
    expect(describe(name, params)).toMatchObject({ kind: 'call', method, family });
  });

  test.each([
    'getChat',
    'GETUPDATES',
    'setWebhook',
    'setChatDescription',
    'banChatMember',
    'createChatInviteLink',
    'approveSuggestedPost',
  ])('%s passes, also with a chat', (name) => {
    expect(describe(name, { chat_id: 1 })).toEqual({ kind: 'pass', method: name });
  });

  test('an unknown method without a chat passes', () => {
    expect(describe('teleport', {})).toEqual({ kind: 'pass', method: 'teleport' });
  });
});

group('the budget', () => {
  test.each([
    [{}, 'broadcast'],
    [{ allow_paid_broadcast: true }, 'paid'],
    [{ allow_paid_broadcast: 'true', reply_to_message_id: 5 }, 'paid'],
    [{ allow_paid_broadcast: false }, 'broadcast'],
    [{ reply_parameters: { message_id: 5 } }, 'reply'],
    [{ reply_to_message_id: 5 }, 'reply'],
  ])('%j spends %s', (params, budget) => {
    expect(sendMessage({ chat_id: 1, ...params })).toMatchObject({ budget });
  });

  test.each(['editMessageText', 'deleteMessage', 'setMessageReaction', 'sendChatAction'])(
    '%s spends nothing of the account',
    (name) => {
      expect(describe(name, { chat_id: 1, message_id: 2 })).toMatchObject({ budget: 'open' });
    },
  );
});

group('the cost', () => {
  test.each([
    ['sendMediaGroup', { media: [{}, {}, {}] }, 3],
    ['sendMediaGroup', { media: '[{},{}]' }, 2],
    ['sendMediaGroup', { media: 'nonsense' }, 1],
    ['sendMediaGroup', {}, 1],
    ['forwardMessages', { message_ids: [1, 2, 3, 4] }, 4],
    ['copyMessages', { message_ids: '[1,2]' }, 2],
    ['copyMessages', { message_ids: Array(500).fill(1) }, 100],
    ['sendMessage', { media: [{}, {}] }, 1],
  ])('%s %j', (name, params, cost) => {
    expect(describe(name, { chat_id: 1, ...params })).toMatchObject({ cost });
  });
});

group('the slot', () => {
  test.each([
    ['editMessageText', { chat_id: 1, message_id: 2 }, 'edit:1:2'],
    ['editMessageText', { chat_id: '1', message_id: '2' }, 'edit:1:2'],
    ['editMessageText', { inline_message_id: 'abc' }, 'edit:inline:abc'],
    ['editMessageText', { chat_id: 1 }, null],
    ['editMessageReplyMarkup', { chat_id: 1, message_id: 2 }, 'edit_markup:1:2'],
    ['setMessageReaction', { chat_id: 1, message_id: 2 }, 'reaction:1:2'],
    ['sendChatAction', { chat_id: 1 }, 'typing:1'],
    ['sendChatAction', { chat_id: 1, message_thread_id: 5 }, 'typing:1:5'],
    [
      'editMessageText',
      { chat_id: 1, message_id: 2, business_connection_id: 'A' },
      'edit:business:A:1:2',
    ],
    ['sendChatAction', { chat_id: 1, business_connection_id: 'A' }, 'typing:business:A:1'],
    [
      'editEphemeralMessageText',
      { chat_id: 1, receiver_user_id: 3, ephemeral_message_id: 2 },
      'edit:1:["3","2"]',
    ],
    ['deleteMessage', { chat_id: 1, message_id: 2 }, null],
    ['sendMessage', { chat_id: 1 }, null],
  ])('%s %j', (name, params, slot) => {
    expect(describe(name, params)).toMatchObject({ kind: 'call', slot });
  });
});

group('address', () => {
  test.each([
    ['sendMessage', '-1001234567890', '5'],
    ['sendMessage', '42', null],
    ['sendMessage', '@some_channel', null],
    ['sendMessage', '-100', 'direct:9'],
    ['editMessageText', 'inline:abc', null],
    ['sendMessage', 'business:B%3A%25:42', null],
  ])('%s to %s, thread %j: described as addressed', (method, chat, thread) => {
    const params = address({ text: 'x' }, { chat, thread });
    expect(params.text).toBe('x');
    expect(describe(method, params)).toMatchObject({ kind: 'call', chat, thread });
  });

  test('the given parameters are left as they were', () => {
    const params = Object.freeze({ text: 'x', chat_id: 1 });
    expect(address(params, { chat: '2', thread: null })).toEqual({ text: 'x', chat_id: 2 });
  });
});

group('what becomes part of a key has a bound', () => {
  const long = 'x'.repeat(257);
  test.each([
    ['sendMessage', { chat_id: `@${long}` }, 'chat not found'],
    ['sendMessage', { chat_id: '1'.repeat(40_000) }, 'chat not found'],
    ['editMessageText', { inline_message_id: long }, 'invalid inline message identifier specified'],
    ['answerCallbackQuery', { callback_query_id: long }, 'query is too old'],
    ['editMessageText', { chat_id: 1, message_id: long }, 'MESSAGE_ID_INVALID'],
    ['editMessageText', { chat_id: 1, message_id: [[1]] }, 'MESSAGE_ID_INVALID'],
    ['editEphemeralMessageText', { chat_id: 1, ephemeral_message_id: long }, 'MESSAGE_ID_INVALID'],
    ['sendMessage', { chat_id: 1, business_connection_id: long }, 'business connection not found'],
  ])('%s', (method, params, words) => {
    const described = describe(method, { text: 'x', ...params });
    expect(described).toMatchObject({ kind: 'invalid', detail: expect.stringContaining(words) });
  });
});
