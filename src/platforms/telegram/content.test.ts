import { describe, expect, test } from 'vitest';
import { touch } from './content.ts';

const of = (method: string, params: object) => touch(method, JSON.stringify(params));
const BUTTON = { inline_keyboard: [[{ text: 'a', callback_data: 'b' }]] };

describe('equal content', () => {
  const shown = of('sendMessage', { chat_id: 1, text: 'x', reply_markup: BUTTON });

  test.each([
    ['where it goes', { chat_id: '@c', message_id: 5, text: 'x', reply_markup: BUTTON }],
    ['JSON as text', { message_id: 5, text: 'x', reply_markup: JSON.stringify(BUTTON) }],
    ['empty parameters', { message_id: 5, text: 'x', parse_mode: '', reply_markup: BUTTON }],
  ])('does not depend on %s', (_, params) => {
    expect(of('editMessageText', params)).toEqual({ messages: ['5'], content: shown!.content });
  });

  test.each([
    ['another text', { message_id: 5, text: 'y', reply_markup: BUTTON }],
    ['no buttons', { message_id: 5, text: 'x' }],
    ['markup', { message_id: 5, text: 'x', parse_mode: 'HTML', reply_markup: BUTTON }],
  ])('%s is another content', (_, params) => {
    expect(of('editMessageText', params)!.content).not.toBe(shown!.content);
  });

  test('a caption is no text, and a keyboard alone is neither', () => {
    const text = of('editMessageText', { message_id: 5, text: 'x' });
    const caption = of('editMessageCaption', { message_id: 5, caption: 'x' });
    const markup = of('editMessageReplyMarkup', { message_id: 5 });
    expect(new Set([text, caption, markup].map((each) => each!.content)).size).toBe(3);
  });
});

test.each([
  ['editMessageMedia', { message_id: 5, media: {} }, ['5']],
  ['deleteMessage', { message_id: '5' }, ['5']],
  ['deleteMessages', { message_ids: [5, 6] }, ['5', '6']],
  ['deleteMessages', { message_ids: '[5,6]' }, ['5', '6']],
  ['editMessageMedia', { inline_message_id: 'i' }, ['']],
  ['stopPoll', { message_id: 5 }, ['5']],
])('%s %j leaves what we cannot compare in %j', (method, params, messages) => {
  expect(of(method, params)).toEqual({ messages, content: null });
});

test.each(['forwardMessage', 'sendMediaGroup', 'setMessageReaction', 'sendDice'])(
  '%s touches no text',
  (method) => {
    expect(of(method, { chat_id: 1, message_id: 2 })).toBeNull();
  },
);
