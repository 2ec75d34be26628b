import { expect, test } from 'vitest';
import { wording } from './wording.ts';

test.each([
  ['sendMessage', { text: 'a < b' }, 'a < b'],
  ['sendMessage', { text: '<b>bold</b> &amp; more', parse_mode: 'HTML' }, 'bold & more'],
  ['sendMessage', { text: '*bold* and `code`', parse_mode: 'MarkdownV2' }, 'bold and code'],
  ['sendMessage', { text: '<b>never closed', parse_mode: 'HTML' }, '<b>never closed'],
  ['sendMessage', {}, null],
  ['sendPhoto', { photo: 'id', caption: '<i>mine</i>', parse_mode: 'html' }, '[photo] mine'],
  ['sendVoice', { voice: 'id' }, '[voice message]'],
  ['sendLocation', { latitude: 1, longitude: 2 }, null],
  ['editMessageText', { message_id: 3, text: 'new' }, null],
])('%s %j says %j', (method, params, said) => {
  expect(wording(method, params)).toBe(said);
});
