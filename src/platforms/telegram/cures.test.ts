// Each cure changes what it names and nothing else; a cure that would change nothing is none.

import { expect, test } from 'vitest';
import { asExact } from '../../domain/body.ts';
import type { Cure } from '../../domain/outcome.ts';
import { cure } from './cures.ts';

function cured(how: Cure, call: object) {
  const result = cure(how, JSON.stringify(call));
  return result === null ? null : { chat: result.chat, call: JSON.parse(result.body) };
}

test('the call follows the group to its new id', () => {
  const how: Cure = { kind: 'move_chat', chat: '-1001234567890' };
  expect(cured(how, { chat_id: '-5', text: 'x' })).toEqual({
    ...{ chat: '-1001234567890', call: { chat_id: -1001234567890, text: 'x' } },
  });
});

test.each<[Cure['kind'], object, object]>([
  ['drop_reply', { reply_parameters: { message_id: 1 }, text: 'x' }, { text: 'x' }],
  ['drop_reply', { reply_to_message_id: 1, allow_sending_without_reply: false }, {}],
  ['drop_thread', { message_thread_id: 5, text: 'x' }, { text: 'x' }],
  ['plain_text', { text: '*x', parse_mode: 'MarkdownV2' }, { text: '*x' }],
  ['plain_text', { caption: 'x', caption_entities: [{}], entities: [] }, { caption: 'x' }],
  [
    'plain_text',
    { media: [{ caption: '<b>', parse_mode: 'HTML' }, { caption: 'y' }] },
    { media: [{ caption: '<b>' }, { caption: 'y' }] },
  ],
  [
    'plain_text',
    { media: '[{"caption":"<b>","parse_mode":"HTML"}]' },
    { media: '[{"caption":"<b>"}]' },
  ],
  ['plain_text', { question: 'x', question_parse_mode: 'HTML' }, { question: 'x' }],
])('%s: %j becomes %j', (kind, before, after) => {
  const fixed = { chat_id: 1, disable_notification: true };
  const how = { kind } as Cure;
  const expected = { chat: null, call: { ...fixed, ...after } };
  expect(cured(how, { ...fixed, ...before })).toEqual(expected);
});

test.each([
  [{ media: [1, 2, 3] }, 2, { media: [3] }],
  [{ media: '[1,2,3]' }, 1, { media: '[2,3]' }],
  [{ media: [1, 2] }, 2, null],
  [{ media: 'nonsense' }, 1, null],
  [{}, 1, null],
])('of %j the first %i arrived: %j', (call, count, rest) => {
  expect(cured({ kind: 'drop_sent', count }, call)?.call ?? null).toEqual(rest);
});

test('a call that goes out as it is follows its group, and is not changed otherwise', () => {
  const given = { chat_id: 1, text: '*x', parse_mode: 'HTML', message_thread_id: 5 };
  const of = (how: Cure, more: object) => cure(how, asExact(JSON.stringify({ ...given, ...more })));
  expect(of({ kind: 'plain_text' }, {})).toBeNull();
  expect(of({ kind: 'drop_thread' }, {})).toBeNull();
  expect(of({ kind: 'drop_reply' }, { reply_to_message_id: 5 })).toBeNull();
  expect(of({ kind: 'drop_reply' }, { reply_parameters: '{"message_id":5}' })).toBeNull();
  // Of a message that was never sent.
  expect(of({ kind: 'drop_reply' }, { reply_parameters: { message_id: -5 } })).not.toBeNull();
  expect(of({ kind: 'move_chat', chat: '-7' }, {})).not.toBeNull();
  expect(of({ kind: 'drop_sent', count: 1 }, { media: [1, 2] })).not.toBeNull();
});

test.each(['drop_reply', 'drop_thread', 'plain_text'] as const)(
  '%s does not fit a call without the trouble',
  (kind) => {
    const call = { chat_id: 1, text: 'my parse_mode and "entities"', media: '[not json' };
    expect(cured({ kind }, call)).toBeNull();
  },
);
