import { expect, test } from 'vitest';
import { LIVE_OUTPUT as live } from './live-output.ts';

const PARAMS = {
  text: 'not this',
  parse_mode: 'HTML',
  reply_parameters: { message_id: 7 },
  reply_markup: { inline_keyboard: [] },
  link_preview_options: { is_disabled: true },
  disable_notification: true,
};
const PLACE = { chat: '-1001', thread: '5', params: PARAMS, isFirst: true, isLast: true };

test('people get drafts, groups and channels edits', () => {
  expect(['42', '-42', '-1001', '@name', 'inline:a'].map(live.transportOf)).toEqual([
    'draft',
    ...Array<string>(4).fill('edit'),
  ]);
});

test('a budget leaves the reserve free, and is the chat’s own where there is none', () => {
  const { budgetMpm, messageMpm } = live.rates({});
  expect(budgetMpm('-1001', 'edit')).toBe(16);
  expect(budgetMpm('42', 'edit')).toBe(60);
  expect([messageMpm('-1001'), messageMpm('42')]).toEqual([20, 60]);
  expect(live.rates({ draftPerS: 0.5 }).budgetMpm('42', 'draft')).toBe(30);
});

test('the first message replies, the last has the buttons, and the text is ours', () => {
  const { text: _text, parse_mode: _mode, ...kept } = PARAMS;
  const addressed = { chat_id: -1001, message_thread_id: 5, text: 'hello' };
  expect(live.open({ text: 'hello' }, PLACE)).toEqual({
    method: 'sendMessage',
    params: { ...kept, ...addressed },
  });
  const { params } = live.open({ text: 'hello' }, { ...PLACE, isFirst: false, isLast: false });
  expect(params).toEqual({
    ...addressed,
    link_preview_options: { is_disabled: true },
    disable_notification: true,
  });
});

test('an edit keeps the buttons under the last message', () => {
  const edited = { chat_id: -1001, message_id: -9, text: 'hello' };
  const { link_preview_options, reply_markup } = PARAMS;
  expect(live.edit({ text: 'hello' }, PLACE, '-9')).toEqual({
    method: 'editMessageText',
    params: { ...edited, link_preview_options, reply_markup },
  });
  const { params } = live.edit({ text: 'hello' }, { ...PLACE, isLast: false }, '-9');
  expect(params).toEqual({ ...edited, link_preview_options });
});

test('what says that there are no drafts is told apart from what says wait', () => {
  const refusal = (error_code: number, description: string) =>
    JSON.stringify({ ok: false, error_code, description });
  expect(live.lacksDrafts(refusal(400, 'Bad Request: TEXTDRAFT_PEER_INVALID'))).toBe(true);
  expect(live.lacksDrafts(refusal(404, 'Not Found: method not found'))).toBe(true);
  expect(live.lacksDrafts(refusal(429, 'Too Many Requests: retry after 3'))).toBe(false);
  expect(live.lacksDrafts(refusal(400, "Bad Request: can't parse entities"))).toBe(false);
  expect(live.isGone('message_not_found')).toBe(true);
  expect(live.isGone('chat_not_found')).toBe(false);
});
