import { describe, expect, test } from 'vitest';
import type { SimVerdict } from '../model.ts';
import { createTelegramModel } from './model.ts';
import type { SimTelegramOptions } from './options.ts';

const TOKEN = '42:sandbox';
const GROUP = '-1001234567890';
const T0 = 1_700_000_000_000;

function telegram(options: Partial<SimTelegramOptions> = {}) {
  const model = createTelegramModel({ options });
  let n = 0;
  const call = (method: string, params: Record<string, unknown>, at: number) =>
    model.call(TOKEN, method, params, T0 + at);
  const send = (chat: string, at: number, more: Record<string, unknown> = {}) =>
    call('sendMessage', { chat_id: chat, text: `m${++n}`, ...more }, at);
  return { model, call, send };
}

const said = (verdict: SimVerdict) => JSON.parse(verdict.answer.body);
const refusal = (verdict: SimVerdict): string => said(verdict).description;

describe('what is refused', () => {
  test.each([
    [{ chat_id: '', text: 'x' }, 'Bad Request: chat_id is empty'],
    [{ chat_id: 'nobody', text: 'x' }, 'Bad Request: chat not found'],
    [{ chat_id: 7, text: '' }, 'Bad Request: message text is empty'],
    [{ chat_id: 7, text: 'é'.repeat(4097) }, 'Bad Request: message is too long'],
    [{ chat_id: 7, text: 'x'.repeat(32_769) }, 'Bad Request: text is too long'],
    [
      { chat_id: 7, text: 'x', reply_parameters: { message_id: 99 } },
      'Bad Request: message to be replied not found',
    ],
    [
      { chat_id: 7, text: '<b>x', parse_mode: 'HTML' },
      `Bad Request: can't parse entities: Can't find end tag corresponding to start tag "b"`,
    ],
    [
      { chat_id: 7, text: 'a *b', parse_mode: 'MarkdownV2' },
      "Bad Request: can't parse entities: Can't find end of Bold entity at byte offset 2",
    ],
    [
      { chat_id: 7, text: 'a-b', parse_mode: 'MarkdownV2' },
      "Bad Request: can't parse entities: Character '-' is reserved and must be escaped with the preceding '\\'",
    ],
    [
      { chat_id: 7, text: 'a _b', parse_mode: 'Markdown' },
      "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 2",
    ],
  ])('sendMessage %j', (params, words) => {
    const verdict = telegram().call('sendMessage', params, 0);
    expect(refusal(verdict)).toBe(words);
    expect(verdict.answer.status).toBe(400);
  });

  test('markup that is sound is taken out of the text', () => {
    const { call } = telegram();
    const shown = (text: string, parse_mode: string) =>
      said(call('sendMessage', { chat_id: 7, text, parse_mode }, 0)).result.text;
    expect(shown('<b>x</b> &lt; <a href="u">y</a>', 'HTML')).toBe('x < y');
    expect(shown('*x* [y](u) \\- `a-b`', 'MarkdownV2')).toBe('x y - a-b');
    expect(shown('*x* [y](u)', 'Markdown')).toBe('x y');
  });

  test('chats that are closed, gone or moved', () => {
    const { model, send } = telegram();
    model.setChat('1', { kind: 'blocked' });
    model.setChat('2', { kind: 'deactivated' });
    model.setChat('3', { kind: 'missing' });
    model.setChat(GROUP, { kind: 'kicked' });
    model.setChat('-55', { kind: 'migrated', to: '-1005555555555' });
    expect(refusal(send('1', 0))).toBe('Forbidden: bot was blocked by the user');
    expect(refusal(send('2', 0))).toBe('Forbidden: user is deactivated');
    expect(refusal(send('3', 0))).toBe('Bad Request: chat not found');
    expect(refusal(send(GROUP, 0))).toBe('Forbidden: bot was kicked from the supergroup chat');
    expect(said(send('-55', 0)).parameters).toEqual({ migrate_to_chat_id: -1005555555555 });
  });

  test('tokens and methods', () => {
    const { model, call } = telegram();
    expect(refusal(call('sendSmoke', {}, 0))).toBe('Not Found: method not found');
    expect(said(model.call('nonsense', 'getMe', {}, T0)).error_code).toBe(404);
    model.revoke(TOKEN);
    expect(said(call('getMe', {}, 0))).toEqual({
      ok: false,
      error_code: 401,
      description: 'Unauthorized',
    });
  });

  test('an edit that changes nothing, and one of nothing', () => {
    const { call, send } = telegram();
    const id = said(send('7', 0)).result.message_id;
    const edit = (text: string, message_id: number) =>
      call('editMessageText', { chat_id: 7, message_id, text }, 10_000);
    expect(said(edit('new', id)).result).toMatchObject({ message_id: id, text: 'new' });
    expect(refusal(edit('new', id))).toMatch(/^Bad Request: message is not modified/);
    const bare = { chat_id: 7, message_id: id, text: 'new', reply_markup: { inline_keyboard: [] } };
    expect(refusal(call('editMessageText', bare, 10_000))).toMatch(/message is not modified/);
    expect(refusal(edit('new', 77))).toBe('Bad Request: message to edit not found');
  });

  test('files that did not come along', () => {
    const { call } = telegram();
    const item = { type: 'photo', media: 'attach://one' };
    const calls: [string, Record<string, unknown>, string][] = [
      ['sendVideoNote', {}, 'there is no video note in the request'],
      ['sendPhoto', { photo: 'attach://one' }, 'there is no photo in the request'],
      ['sendMediaGroup', { media: [item] }, "can't parse InputMedia: media not found"],
      ['sendPaidMedia', { media: [item] }, "can't parse InputPaidMedia: media not found"],
      [
        'editMessageMedia',
        { message_id: 1, media: item },
        "can't parse InputMedia: media not found",
      ],
    ];
    for (const [method, params, words] of calls) {
      // A part of this name is there, but it is a text.
      const verdict = call(method, { chat_id: 7, one: 'a text', ...params }, 0);
      expect(refusal(verdict)).toBe(`Bad Request: ${words}`);
    }
    const sent = said(call('sendPhoto', { chat_id: 7, photo: 'attach://one', one: 'file:a:5' }, 0));
    expect(sent.result.photo[0].file_size).toBe(5);
  });

  test('drafts are for private chats and whole numbers', () => {
    const { call } = telegram();
    const draft = (chat_id: string, draft_id: unknown) =>
      call('sendMessageDraft', { chat_id, draft_id, text: 'x' }, 0);
    expect(refusal(draft(GROUP, 1))).toBe('Bad Request: TEXTDRAFT_PEER_INVALID');
    expect(refusal(draft('7', 'abc'))).toBe('Bad Request: RANDOM_ID_INVALID');
    expect(said(draft('7', 1)).result).toBe(true);
  });
});

describe('what is answered', () => {
  test('messages look like messages', () => {
    const { call } = telegram();
    const sent = said(call('SENDMESSAGE', { chat_id: 7, text: 'hello' }, 0));
    expect(sent).toEqual({
      ok: true,
      result: {
        message_id: 1,
        from: { id: 42, is_bot: true, first_name: 'Bot 42', username: 'sim42_bot' },
        chat: { id: 7, first_name: 'User 7', type: 'private' },
        date: T0 / 1000,
        text: 'hello',
      },
    });
  });

  test('buttons are told with their message', () => {
    const { call } = telegram();
    const reply_markup = { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] };
    const sent = said(call('sendMessage', { chat_id: 7, text: 'a', reply_markup }, 0)).result;
    expect(sent.reply_markup).toEqual(reply_markup);
    const params = { chat_id: 7, message_id: 1, text: 'b', reply_markup };
    expect(said(call('editMessageText', params, 0)).result.reply_markup).toEqual(reply_markup);
  });

  test('copies, forwards, deletions, topics, updates', () => {
    const { model, call, send } = telegram();
    const id = said(send('7', 0)).result.message_id;
    const batch = { chat_id: '8', from_chat_id: '7', message_ids: [id, 99] };
    expect(said(call('copyMessages', batch, 0)).result).toEqual([{ message_id: 1 }]);
    const one = { chat_id: '8', from_chat_id: '7', message_id: id };
    expect(said(call('forwardMessage', one, 0)).result.forward_origin).toBeDefined();
    expect(said(call('deleteMessage', { chat_id: '7', message_id: id }, 0)).result).toBe(true);
    expect(refusal(call('deleteMessage', { chat_id: '7', message_id: id }, 0))).toBe(
      'Bad Request: message to delete not found',
    );
    expect(said(call('createForumTopic', { chat_id: GROUP, name: 'news' }, 0)).result.name).toBe(
      'news',
    );
    model.inject(TOKEN, '7', 'hi', T0);
    model.press(TOKEN, '8', 1, 'yes');
    const updates = said(call('getUpdates', {}, 0)).result;
    expect(updates[0].message.text).toBe('hi');
    expect(updates[1].callback_query).toMatchObject({ data: 'yes', message: { message_id: 1 } });
    expect(said(call('getUpdates', { offset: updates[1].update_id + 1 }, 0)).result).toEqual([]);
  });
});
