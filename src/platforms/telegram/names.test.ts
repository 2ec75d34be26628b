import { expect, test } from 'vitest';
import { readNames } from './names.ts';

const answer = (result: unknown) => JSON.stringify({ ok: true, result });
const from = { id: 1, is_bot: true, first_name: 'Helper', username: 'helper_bot' };

test('a group by its title, a person by their name, anyone else by the username', () => {
  const named = (chat: object) => readNames(answer({ message_id: 1, from, chat }));
  expect(named({ id: -100, title: ' News ', type: 'channel' })).toEqual({
    chat: { id: '-100', name: 'News' },
    account: '@helper_bot',
  });
  expect(named({ id: 7, first_name: 'Ada', last_name: 'Lovelace' }).chat?.name).toBe(
    'Ada Lovelace',
  );
  expect(named({ id: 7, username: 'ada' }).chat?.name).toBe('@ada');
  expect(named({ id: 7 }).chat).toBeNull();
  expect(named({ id: 7, title: 'x'.repeat(500) }).chat?.name).toHaveLength(80);
});

test('an album names its chat as one message does; a post of a channel names no bot', () => {
  const chat = { id: -100, title: 'News' };
  expect(readNames(answer([{ chat, from }, { chat }])).chat?.name).toBe('News');
  expect(readNames(answer({ chat })).account).toBeNull();
  expect(readNames(answer({ chat, from: { ...from, is_bot: false } })).account).toBeNull();
});

test.each(['', 'nonsense', 'null', '[]', answer(true), answer([]), answer({ chat: 'x', from: 7 })])(
  'nobody is named in %j',
  (result) => {
    expect(readNames(result)).toEqual({ chat: null, account: null });
  },
);
