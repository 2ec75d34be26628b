// The table against the published types of the Bot API: every method of theirs has a row, with the parameters it needs.

import { describe, expect, test } from 'vitest';
import { JSON_PARAMS, PROSE, plainParams } from './plain-params.ts';
import { published } from './published.fixture.ts';
import { canonicalChat, targets } from './targets.ts';

const OWN = { chat_id: 5, user_id: 5 };

test('the types are read', () => {
  expect(published.size).toBeGreaterThan(170);
  expect([...published.get('forwardMessage')!.keys()]).toContain('from_chat_id');
  expect([...published.get('getMe')!.keys()]).toEqual([]);
});

describe('the table', () => {
  test('has every published method', () => {
    const unknown = [...published.keys()].filter((name) => targets(name, OWN).kind === 'unknown');
    expect(unknown).toEqual([]);
  });

  test('says `chats` only of methods that must be given the chat or user they go to', () => {
    for (const [name, params] of published) {
      const touched = targets(name, OWN);
      if (touched.kind !== 'chats') continue;
      // Of inline messages it is optional, and without it nobody knows where they are.
      expect(params.has('chat_id') || params.has('user_id'), name).toBe(true);
      expect(targets(name, {}).kind, name).not.toBe('chats');
    }
  });

  test('says `none` of getMe alone', () => {
    const harmless = [...published.keys()].filter((name) => targets(name, {}).kind === 'none');
    expect(harmless).toEqual(['getMe']);
  });

  test('a method in other letters is the same, a future one is not known', () => {
    expect(targets('GETUPDATES', {}).kind).toBe('account');
    expect(targets('SendMessage', OWN)).toEqual({ kind: 'chats', chats: ['5'] });
    expect(targets('sendEverything', OWN).kind).toBe('unknown');
  });

  test('every chat that a call names counts, wherever it stands', () => {
    const chatsOf = (params: object) => targets('sendMessage', { ...OWN, ...params });
    expect(chatsOf({ from_chat_id: 7 })).toEqual({ kind: 'chats', chats: ['5', '7'] });
    expect(chatsOf({ CHAT_ID: 7 })).toEqual({ kind: 'chats', chats: ['5', '7'] });
    const deep = { reply_parameters: { a: [{ chat_id: '@Seven' }] } };
    expect(chatsOf(deep)).toEqual({ kind: 'chats', chats: ['5', '@seven'] });
    expect(targets('transferGift', { new_owner_chat_id: 7 })).toEqual({
      kind: 'account',
      chats: ['7'],
    });
  });

  test('what hides the chat makes it unknown', () => {
    for (const hiding of [
      'business_connection_id',
      'inline_message_id',
      'Business_Connection_ID',
    ]) {
      expect(targets('editMessageText', { ...OWN, [hiding]: 'x' }).kind, hiding).toBe('unknown');
    }
    expect(targets('editMessageText', { ...OWN, inline_message_id: '' }).kind).toBe('chats');
  });

  test('without its chat a default of the whole account is meant', () => {
    expect(targets('setChatMenuButton', {}).kind).toBe('account');
    expect(targets('setChatMenuButton', OWN).kind).toBe('chats');
  });
});

test.each<[unknown, string | null]>([
  [5, '5'],
  ['5', '5'],
  [-1001234567890, '-1001234567890'],
  ['@Name', '@name'],
  ...['05', '+5', ' 5', '5 ', '5.0', '5e0', '٥', '5abc', '', '-0', '0', '@', '@a b', '"5"', '0x5']
    .concat('9007199254740993')
    .map((odd): [string, null] => [odd, null]),
  ...[0, 5.5, 2 ** 53, Number.NaN, true, null, [5], { a: 5 }].map((odd): [unknown, null] => [
    odd,
    null,
  ]),
])('chat %j is %j', (given, chat) => {
  expect(canonicalChat(given)).toBe(chat);
});

describe('plain parameters', () => {
  const typesOf = (name: string) =>
    new Set([...published.values()].flatMap((params) => params.get(name)?.type ?? []));

  test('what is prose is a string in every method, what is JSON in none', () => {
    for (const name of PROSE) expect([...typesOf(name)], name).toEqual(['string']);
    for (const name of JSON_PARAMS) {
      expect(typesOf(name).size, name).toBeGreaterThan(0);
      expect([...typesOf(name)], name).not.toContain('string');
    }
  });

  test('JSON in text is read, text is left', () => {
    const given = { chat_id: '5', reply_parameters: ' {"chat_id":5}', text: '{"a":', emoji: '[x' };
    expect(plainParams({ ...given, emoji: undefined, method: 'x' })).toEqual({
      kind: 'plain',
      params: { chat_id: '5', reply_parameters: { chat_id: 5 }, text: '{"a":' },
    });
    expect(plainParams(given).kind).toBe('unreadable');
  });

  test.each([
    ['a leading plus', '{"chat_id":+7}'],
    ['a leading zero', '{"chat_id":07}'],
    ['a raw control character', '{"chat_id":7,"quote":"a\nb"}'],
    ['text after the end', '{"chat_id":7}{}'],
    ['a text that is no JSON', 'attach://x'],
    ['a JSON text in a JSON text', '"{\\"chat_id\\":7}"'],
    ['nested too deep', `${'['.repeat(100)}${']'.repeat(100)}`],
  ])('%s is refused', (_name, reply) => {
    expect(plainParams({ reply_parameters: reply }).kind).toBe('unreadable');
  });

  test('a text that says nothing is left out', () => {
    const given = { reply_markup: 'null', entities: '', chat_id: null };
    expect(plainParams(given)).toEqual({ kind: 'plain', params: { entities: '' } });
  });

  test('of two equal members one is left, and it is the one that was read', () => {
    expect(plainParams({ reply_parameters: '{"chat_id":7,"chat_id":5}' })).toEqual({
      kind: 'plain',
      params: { reply_parameters: { chat_id: 5 } },
    });
  });

  test.each(['CHAT_ID', 'chat_id ', 'chat id', '', 'a"b', 'chat_id\u0000'])('name %j', (name) => {
    expect(plainParams({ [name]: 1 }).kind).toBe('unreadable');
  });
});
